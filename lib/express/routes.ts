import type { ServerResponse } from 'node:http';
import { closestName } from '../closest-name.js';
import { ConfigurationError } from '../errors.js';
import clientScript from '../html/browser/client.js?text';
import styles from '../html/browser/styles.css?text';
import { optionError } from '../options/option-table.js';
import type { SessionRequest } from '../session/site-session.js';
import type { CSRFProtection } from './csrf.js';
import type { Failures } from './failures.js';
import type { Middleware, Next } from './http-types.js';
import { type PageLinks, pathOf, refuseMethod } from './responses.js';

/** Sets the paths of the drop-in's routes. Each can be another path, or `false` to leave the route out. */
export interface Routes {
  /** The path that the default paths are below: set it where a site has several instances of `clinicianLogin()`. @default '/auth' */
  base?: string;
  /** Starts a login: `GET /auth/login?returnTo=/path`. @default '/auth/login' */
  login?: string | false;
  /**
   * Finishes a login, at the path of `callbackURL`. `false` where `passport.authenticate('clinician')` with `clinician.strategy` is
   * at that path: it finishes every login.
   * @default true
   */
  callback?: boolean;
  /** Signs out: a POST from a page of the same origin. A GET shows a page that asks first. @default '/auth/logout' */
  logout?: string | false;
  /** Revokes and erases everything stored about the user, in every session: a POST from a page of the same origin. @default '/auth/forget' */
  forget?: string | false;
  /** Shows that the user is signed out; the service redirects back to it. @default '/auth/logged-out' */
  loggedOut?: string | false;
  /** The page that checks the session at the service, for `sessionCheckFrame()`. @default '/auth/session-check' */
  sessionCheck?: string | false;
  /** The client script, for popups and the session check. @default '/auth/clinician.js' */
  clientScript?: string | false;
  /** The style sheet of the button and the pages. @default '/auth/clinician.css' */
  stylesheet?: string | false;
}

const defaultRoutes = (base: string): Required<Omit<Routes, 'base'>> => ({
  login: `${base}/login`,
  callback: true,
  logout: `${base}/logout`,
  forget: `${base}/forget`,
  loggedOut: `${base}/logged-out`,
  sessionCheck: `${base}/session-check`,
  clientScript: `${base}/clinician.js`,
  stylesheet: `${base}/clinician.css`,
});

const NAMES = ['base', ...Object.keys(defaultRoutes(''))];
/** The maximum length of `returnTo` in a link, which a redirect has in its header: encoding makes it longer. */
const MAX_ENCODED_LENGTH = 1500;
const PATH = /^\/[^\s?#]*$/;

function checkRoute(name: string, path: unknown): void {
  if (!NAMES.includes(name)) {
    const closest = closestName(name, NAMES);
    const fix = closest ? `Did you mean '${closest}'?` : `The routes are: ${NAMES.join(', ')}.`;
    throw optionError('routes', 'option_misspelled', `there is no route '${name.slice(0, 100)}'. ${fix}`);
  }
  if (name === 'callback') {
    if (typeof path === 'boolean') return;
    throw optionError(
      'routes',
      'option_invalid',
      "routes.callback must be true or false: its path is that of 'callbackURL'.",
    );
  }
  if (path === false || (typeof path === 'string' && PATH.test(path))) return;
  throw optionError('routes', 'option_invalid', `routes.${name} must be a path that starts with '/', or false.`);
}

/** Holds the paths of all routes. @internal */
export type ResolvedRoutes = Readonly<Required<Routes>>;

/** @returns the routes with their defaults. Throws for an unknown route, an invalid path, and one path used twice. */
export function resolveRoutes(callbackPath: string, routes: Routes = {}): ResolvedRoutes {
  const { base = '/auth', ...others } = routes;
  if (!PATH.test(base) || base.endsWith('/')) {
    throw optionError('routes', 'option_invalid', "routes.base must be a path such as '/auth', without a final slash.");
  }
  const set = Object.entries(others).filter(([, path]) => path !== undefined);
  const paths = { ...defaultRoutes(base), ...Object.fromEntries(set) };
  const used = new Map([[callbackPath, 'callbackURL']]);
  for (const [name, path] of Object.entries(paths) as [string, unknown][]) {
    checkRoute(name, path);
    if (typeof path !== 'string') continue;
    const other = used.get(path);
    if (other !== undefined)
      throw optionError(
        'routes',
        'option_invalid',
        `routes.${name} and ${other} are the same path, '${path}': change one.`,
      );
    used.set(path, `routes.${name}`);
  }
  return { base, ...paths };
}

/** @returns the links of this package's pages. */
export function pageLinks(routes: ResolvedRoutes, siteName: string): PageLinks {
  return {
    siteName,
    canLogin: Boolean(routes.login),
    login(returnTo) {
      if (!routes.login) return '/';
      const value = encodeURIComponent(returnTo);
      return `${routes.login}?returnTo=${value.length > MAX_ENCODED_LENGTH ? '%2F' : value}`;
    },
    stylesheet: routes.stylesheet || (defaultRoutes(routes.base).stylesheet as string),
    clientScript: routes.clientScript || (defaultRoutes(routes.base).clientScript as string),
  };
}

/** Responds to one route. @internal */
type RouteHandler = (req: SessionRequest, res: ServerResponse, next: Next) => Promise<void> | void;

/** Holds the handlers of the drop-in's routes. @internal */
type RouteHandlers = Record<
  | 'login'
  | 'confirm'
  | 'callback'
  | 'fragment'
  | 'confirmLogout'
  | 'logout'
  | 'forget'
  | 'loggedOut'
  | 'sessionCheck'
  | 'sessionReport',
  RouteHandler
>;

interface RouterOptions {
  routes: ResolvedRoutes;
  callbackPath: string;
  origin: string;
  /** See `instanceID()`. */
  instance: string;
  handlers: RouteHandlers;
  /** Handles requests for the site's own pages. */
  otherRequests: Middleware;
  csrf: CSRFProtection;
  failures: Failures;
}

type Method = 'GET' | 'POST';
/** The handlers of one path by method. */
type Route = Map<string, RouteHandler>;

/** @returns an error where the middleware is mounted below a path that some of its routes are not below. */
function mountError(baseUrl: string, paths: Iterable<string>): Error | undefined {
  const unreachable = [...paths].find((path) => !path.startsWith(`${baseUrl}/`));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL and every path of option 'routes' below '${baseUrl}'.`,
  );
}

/** The instance of each URL path that an application serves. */
const instancesOfApps = new WeakMap<object, Map<string, string>>();

/**
 * @returns an error for a path that another instance in the same application has too: only one of them receives its requests.
 * Instances with other origins in `callbackURL` are for other hosts.
 */
function instanceError(app: object, paths: Iterable<string>, origin: string, instance: string): Error | undefined {
  const instances = instancesOfApps.get(app) ?? new Map<string, string>();
  instancesOfApps.set(app, instances);
  for (const path of paths) {
    const other = instances.get(origin + path);
    if (other !== undefined && other !== instance) {
      return new ConfigurationError(
        'mount_path_conflict',
        `passport-clinician: two instances of clinicianLogin() have the path '${path}', so that one of them never receives requests for it. Set callbackURL and option routes.base of one of them to other paths.`,
      );
    }
    instances.set(origin + path, instance);
  }
  return undefined;
}

/** @returns a handler that sends a text that never changes while the process runs. */
function staticFile(contentType: string, text: string): RouteHandler {
  const body = Buffer.from(text);
  return function clinicianStaticFile(_req, res) {
    res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
    res.setHeader('Cache-Control', 'public, max-age=3600');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.end(body);
  };
}

/** @returns the routes that the site mounts, by path. */
function routeTable({ routes, callbackPath, handlers, csrf }: RouterOptions): Map<string, Route> {
  const sameOrigin = (handler: RouteHandler): RouteHandler =>
    async function clinicianSameOrigin(req, res, next) {
      await csrf.assertSameOrigin(req);
      await handler(req, res, next);
    };
  const rows: [path: string | false, method: Method, handler: RouteHandler][] = [
    [routes.login, 'GET', handlers.login],
    [routes.login, 'POST', sameOrigin(handlers.confirm)],
    [routes.callback !== false && callbackPath, 'GET', handlers.callback],
    [routes.callback !== false && callbackPath, 'POST', sameOrigin(handlers.fragment)],
    [routes.logout, 'GET', handlers.confirmLogout],
    [routes.logout, 'POST', sameOrigin(handlers.logout)],
    [routes.forget, 'POST', sameOrigin(handlers.forget)],
    [routes.loggedOut, 'GET', handlers.loggedOut],
    [routes.sessionCheck, 'GET', handlers.sessionCheck],
    [routes.sessionCheck, 'POST', sameOrigin(handlers.sessionReport)],
    [routes.clientScript, 'GET', staticFile('text/javascript', clientScript)],
    [routes.stylesheet, 'GET', staticFile('text/css', styles)],
  ];
  const table = new Map<string, Route>();
  for (const [path, method, handler] of rows) {
    if (path) table.set(path, (table.get(path) ?? new Map()).set(method, handler));
  }
  return table;
}

/** @returns middleware that responds to the drop-in's own routes. */
export function createRouter(options: RouterOptions): Middleware {
  const { callbackPath, origin, instance, failures, otherRequests } = options;
  const table = routeTable(options);
  const checkedApps = new WeakSet<object>();

  /** Returns an error where the routes cannot all receive requests. The instances of an application are compared once. */
  function mistakeOf(req: SessionRequest): Error | undefined {
    const { app, baseUrl } = req;
    if (baseUrl && baseUrl !== pathOf(req)) return mountError(baseUrl, table.keys());
    // Only applications of Express are known here.
    if (!app || checkedApps.has(app)) return undefined;
    const mistake = instanceError(app, table.keys(), origin, instance);
    if (!mistake) checkedApps.add(app);
    return mistake;
  }

  /**
   * Returns the method to route by. HEAD is GET without the body, except at the callback: an authorization response is used
   * once.
   */
  function methodOf({ method = '' }: SessionRequest, path: string): string {
    return method === 'HEAD' && path !== callbackPath ? 'GET' : method;
  }

  return function clinicianRoutes(req, res, next) {
    const mistake = mistakeOf(req);
    if (mistake) return next(mistake);
    const path = pathOf(req);
    const route = table.get(path);
    if (!route) return otherRequests(req, res, next);
    const handler = route.get(methodOf(req, path));
    if (!handler) return refuseMethod(res, route.keys());
    Promise.resolve()
      .then(() => handler(req, res, next))
      .catch((error: unknown) => failures.fail(error, { req, res, next }))
      .catch(next);
  };
}
