import type { ServerResponse } from 'node:http';
import { closestName } from '../closest-name.js';
import { ConfigurationError } from '../errors.js';
import clientScript from '../html/browser/client.js?text';
import styles from '../html/browser/styles.css?text';
import { type OptionProblem, optionError } from '../options/option-table.js';
import type { SessionRequest } from '../session/site-session.js';
import { excludeFromReturnTo } from '../sign-in/return-to.js';
import type { CSRFProtection } from './csrf.js';
import type { Failures } from './failures.js';
import type { Middleware, Next } from './http-types.js';
import type { PolicyCheck } from './policy-check.js';
import { type PageLinks, refuseMethod } from './responses.js';
import { belowBase, prefixesOf, receivedPath, type SitePaths } from './site-paths.js';

/**
 * Sets the paths of the drop-in's routes, which are below option `basePath`. Each can be another path, or `false` to leave the
 * route out.
 */
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
  /**
   * Continues a sign-out at the service, once: `POST /auth/logout` leads to it. `false` signs out on this site only.
   * @default '/auth/end-session'
   */
  endSession?: string | false;
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
  endSession: `${base}/end-session`,
  forget: `${base}/forget`,
  loggedOut: `${base}/logged-out`,
  sessionCheck: `${base}/session-check`,
  clientScript: `${base}/clinician.js`,
  stylesheet: `${base}/clinician.css`,
});

const NAMES = ['base', ...Object.keys(defaultRoutes(''))];
/** The maximum length of `returnTo` in a link, which a redirect has in its header: encoding makes it longer. */
const MAX_ENCODED_LENGTH = 1500;
/** A browser reads `//x` and `/\x` as another host. */
const PATH = /^\/(?!\/)[^\s?#\\]*$/;
/** Segments of the characters that a path can have (RFC 3986 section 3.3), without those that a proxy may decode to `.`, `/` or `\`. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[\w.~!$&'()*+,;=:@-]|%(?![01]|2[ef]|5c)[\da-f]{2})+)*$/i;

function checkRoute(name: string, path: unknown): void {
  if (!NAMES.includes(name)) {
    const closest = closestName(name, NAMES);
    const fix = closest ? `Did you mean '${closest}'?` : `The routes are: ${NAMES.join(', ')}.`;
    throw optionError('routes', 'option_misspelled', `there is no route '${name.slice(0, 100)}'. ${fix}`);
  }
  if (name === 'callback' && (typeof path === 'boolean' || typeof path === 'string')) return;
  if (path === false || (typeof path === 'string' && PATH.test(path))) return;
  const types =
    name === 'callback' ? "true or false: its path is that of 'callbackURL'" : "a path that starts with '/', or false";
  throw optionError('routes', 'option_invalid', `routes.${name} must be ${types}.`);
}

/** Holds the paths of all routes in the browser. @internal */
export type ResolvedRoutes = Readonly<Required<Routes> & { basePath: string }>;

/** @returns what is wrong with option `basePath`. */
export function basePathProblem(basePath: string): OptionProblem | undefined {
  if (BASE_PATH.test(basePath)) return undefined;
  return {
    code: 'option_invalid',
    phrase: "must be '' or a path such as '/app', without a final slash, '//', '.' or '..'.",
  };
}

/** @returns what precedes the default path of the callback: `/app` for `/app/auth/callback`. */
function basePathOf(callbackPath: string, base: string): string {
  const end = `${base}/callback`;
  return callbackPath.endsWith(end) ? callbackPath.slice(0, -end.length) : '';
}

/** @returns every conflict between these paths, for a message. */
function conflictsOf(callbackPath: string, basePath: string, { callback, ...routes }: Omit<Routes, 'base'>): string[] {
  const conflicts: string[] = [];
  if (typeof callback === 'string')
    conflicts.push(`routes.callback is '${callback}', but its path is that of callbackURL: set it to true or false`);
  if (callbackPath.startsWith('//') || !BASE_PATH.test(basePath))
    conflicts.push(
      `a browser or a proxy can read the path of callbackURL, '${callbackPath}', in another way: use another`,
    );
  else if (!callbackPath.startsWith(`${basePath}/`))
    conflicts.push(`the path of callbackURL, '${callbackPath}', is not below basePath, '${basePath}'`);
  const used = new Map([[callbackPath, 'callbackURL']]);
  for (const [name, path] of Object.entries(routes)) {
    if (typeof path !== 'string') continue;
    const other = used.get(path);
    if (other === undefined) used.set(path, `routes.${name}`);
    else conflicts.push(`routes.${name} and ${other} are the same path, '${path}'`);
  }
  return conflicts;
}

/**
 * @returns the routes with their defaults, and `basePath`, which all of them are below. Throws for an unknown route, an invalid
 * path, and one error for all conflicts between the paths.
 */
export function resolveRoutes(
  callbackPath: string,
  { base = '/auth', ...others }: Routes = {},
  basePath: string = basePathOf(callbackPath, base),
): ResolvedRoutes {
  if (!PATH.test(base) || base.endsWith('/')) {
    throw optionError('routes', 'option_invalid', "routes.base must be a path such as '/auth', without a final slash.");
  }
  const set = Object.entries(others).filter(([, path]) => path !== undefined);
  for (const [name, path] of set) checkRoute(name, path);
  const relative = { ...defaultRoutes(base), ...Object.fromEntries(set) };
  const routes = Object.fromEntries(
    Object.entries(relative).map(([name, path]) => [
      name,
      typeof path === 'string' && name !== 'callback' ? belowBase(basePath, path) : path,
    ]),
  ) as Required<Omit<Routes, 'base'>>;
  const conflicts = conflictsOf(callbackPath, basePath, routes);
  if (conflicts.length === 0) return { base: belowBase(basePath, base), basePath, ...routes };
  throw optionError('routes', 'path_conflict', `conflicting paths: ${conflicts.join('; ')}.`);
}

/** @returns the paths of all routes, and that of `callbackURL`. */
export function routePaths(routes: ResolvedRoutes, callbackPath: string): string[] {
  const { base: _, basePath: __, callback: ___, ...paths } = routes;
  return [callbackPath, ...Object.values(paths).filter((path) => path !== false)];
}

/** @returns the links of this package's pages. */
export function pageLinks(routes: ResolvedRoutes, siteName: string, paths: SitePaths): PageLinks {
  return {
    ...paths,
    siteName,
    canLogin: Boolean(routes.login),
    login(returnTo) {
      if (!routes.login) return paths.home;
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
export type RouteHandlers = Record<
  | 'login'
  | 'confirm'
  | 'callback'
  | 'fragment'
  | 'confirmLogout'
  | 'logout'
  | 'endSession'
  | 'forget'
  | 'loggedOut'
  | 'sessionCheck'
  | 'sessionReport',
  RouteHandler
>;

interface RouterOptions {
  routes: ResolvedRoutes;
  links: Pick<SitePaths, 'pathOf'>;
  callbackPath: string;
  origin: string;
  /** See `instanceID()`. */
  instance: string;
  handlers: RouteHandlers;
  /** Handles requests for the site's own pages. */
  otherRequests: Middleware;
  csrf: CSRFProtection;
  failures: Failures;
  policyCheck: Pick<PolicyCheck, 'check'>;
}

type Method = 'GET' | 'POST';
/** The handlers of one path by method. */
type Route = Map<string, RouteHandler>;

/**
 * @returns an error where the middleware is mounted below a path that some of its routes are not below, also where a proxy strips
 * `basePath` or its first segments.
 */
function mountError(baseUrl: string, paths: Iterable<string>, basePath: string): Error | undefined {
  const prefixes = prefixesOf(basePath);
  const unreachable = [...paths].find((path) => !prefixes.some((prefix) => path.startsWith(`${prefix}${baseUrl}/`)));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL below '${baseUrl}' and set option basePath: '${baseUrl}'.`,
  );
}

/** The instance of each URL path that an application serves, or receives where a proxy strips `basePath`. */
const instancesOfApps = new WeakMap<object, Map<string, { instance: string; isStripped: boolean }>>();

/**
 * @returns an error for a path that another instance in the same application has too: only one of them receives its requests.
 * Instances with other origins in `callbackURL` are for other hosts. A proxy strips the prefix of one instance at most.
 */
function instanceError(
  app: object,
  paths: Iterable<string>,
  { origin, instance, routes: { basePath } }: Pick<RouterOptions, 'origin' | 'instance' | 'routes'>,
): Error | undefined {
  const instances = instancesOfApps.get(app) ?? new Map<string, { instance: string; isStripped: boolean }>();
  instancesOfApps.set(app, instances);
  for (const prefix of prefixesOf(basePath)) {
    const isStripped = prefix !== '';
    for (const path of paths) {
      const received = path.slice(prefix.length);
      const other = instances.get(origin + received);
      if (other === undefined) instances.set(origin + received, { instance, isStripped });
      else if (other.instance !== instance && !(isStripped && other.isStripped)) {
        return new ConfigurationError(
          'mount_path_conflict',
          `passport-clinician: two instances of clinicianLogin() have the path '${received}', so that one of them never receives requests for it. Set callbackURL, basePath or option routes.base of one of them to other paths.`,
        );
      }
    }
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
    // The page with the form of a logout has an opaque origin. A policy of the site, such as that of helmet, is for its own files.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
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
    [routes.endSession, 'GET', handlers.endSession],
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
  const { callbackPath, routes, links, origin, failures, otherRequests, policyCheck } = options;
  const table = routeTable(options);
  // Also as the site receives them: a proxy may have stripped `basePath`.
  for (const { length } of prefixesOf(routes.basePath)) {
    const received = routePaths(routes, callbackPath).map((path) => path.slice(length));
    excludeFromReturnTo(origin, received);
  }
  const checkedApps = new WeakSet<object>();

  /** Returns an error where the routes cannot all receive requests. The instances of an application are compared once. */
  function mistakeOf(req: SessionRequest): Error | undefined {
    const { app, baseUrl } = req;
    if (baseUrl && baseUrl !== receivedPath(req)) return mountError(baseUrl, table.keys(), routes.basePath);
    // Only applications of Express are known here.
    if (!app || checkedApps.has(app)) return undefined;
    const mistake = instanceError(app, [...table.keys()], options);
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

  async function run(handler: RouteHandler, req: SessionRequest, res: ServerResponse, next: Next): Promise<void> {
    try {
      await handler(req, res, next);
    } catch (error) {
      await failures.fail(error, { req, res, next });
    }
  }

  return function clinicianRoutes(req, res, next) {
    const mistake = mistakeOf(req);
    if (mistake) return next(mistake);
    const path = links.pathOf(req);
    const route = table.get(path);
    if (!route) return otherRequests(req, res, next);
    policyCheck.check(res);
    const handler = route.get(methodOf(req, path));
    if (!handler) return refuseMethod(res, route.keys());
    run(handler, req, res, next).catch(next);
  };
}
