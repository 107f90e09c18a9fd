import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ConfigurationError } from '../errors.js';
import clientScript from '../html/browser/client.js?text';
import styles from '../html/browser/styles.css?text';
import { optionError } from '../options/option-table.js';
import type { CSRFProtection } from './csrf.js';
import type { Failures } from './failures.js';
import { type PageLinks, pathOf } from './responses.js';

/** Sets the paths of the drop-in's routes. Each can be another path, or `false` to leave the route out. */
export interface Routes {
  /** Starts a login: `GET /auth/login?returnTo=/path`. @default '/auth/login' */
  login?: string | false;
  /**
   * Finishes a login, at the path of `callbackURL`. `false` where `passport.authenticate('clinician')` with `clinician.strategy` is
   * at that path: it finishes every login.
   * @default true
   */
  callback?: boolean;
  /** Signs out: a POST from a page of the same origin. @default '/auth/logout' */
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

const DEFAULT_ROUTES = {
  login: '/auth/login',
  callback: true,
  logout: '/auth/logout',
  forget: '/auth/forget',
  loggedOut: '/auth/logged-out',
  sessionCheck: '/auth/session-check',
  clientScript: '/auth/clinician.js',
  stylesheet: '/auth/clinician.css',
} as const satisfies Required<Routes>;

const NAMES = Object.keys(DEFAULT_ROUTES);
const PATH = /^\/[^\s?#]*$/;

function checkRoute(name: string, path: unknown): void {
  if (!NAMES.includes(name)) {
    throw optionError(
      'routes',
      'option_misspelled',
      `there is no route '${name}'. The routes are: ${NAMES.join(', ')}.`,
    );
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
  const set = Object.entries(routes).filter(([, path]) => path !== undefined);
  const resolved: ResolvedRoutes = { ...DEFAULT_ROUTES, ...Object.fromEntries(set) };
  const used = new Map([[callbackPath, 'callbackURL']]);
  for (const [name, path] of Object.entries(resolved) as [string, unknown][]) {
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
  return resolved;
}

/** @returns the links of this package's pages. */
export function pageLinks(routes: ResolvedRoutes, siteName: string): PageLinks {
  return {
    siteName,
    canLogin: Boolean(routes.login),
    login: (returnTo) => (routes.login ? `${routes.login}?returnTo=${encodeURIComponent(returnTo)}` : '/'),
    stylesheet: routes.stylesheet || DEFAULT_ROUTES.stylesheet,
    clientScript: routes.clientScript || DEFAULT_ROUTES.clientScript,
  };
}

/** Responds to one route. @internal */
type RouteHandler = (req: Request, res: Response, next: NextFunction) => Promise<void> | void;

/** Holds the handlers of the drop-in's routes. @internal */
type RouteHandlers = Record<
  'login' | 'callback' | 'fragment' | 'logout' | 'forget' | 'loggedOut' | 'sessionCheck' | 'sessionReport',
  RouteHandler
>;

interface RouterOptions {
  routes: ResolvedRoutes;
  callbackPath: string;
  handlers: RouteHandlers;
  /** Handles requests for the site's own pages. */
  otherRequests: RequestHandler;
  csrf: CSRFProtection;
  failures: Failures;
}

type Method = 'GET' | 'POST';
/** The handlers of one path by method. */
type Route = Map<string, RouteHandler>;

/** @returns an error where the middleware is mounted below a path that some of its routes are not below. */
function mountError(baseUrl: string, paths: Iterable<string>): ConfigurationError | undefined {
  const unreachable = [...paths].find((path) => !path.startsWith(`${baseUrl}/`));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL and every path of option 'routes' below '${baseUrl}'.`,
  );
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
    [routes.callback !== false && callbackPath, 'GET', handlers.callback],
    [routes.callback !== false && callbackPath, 'POST', sameOrigin(handlers.fragment)],
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
export function createRouter(options: RouterOptions): RequestHandler {
  const { callbackPath, failures, otherRequests } = options;
  const table = routeTable(options);

  /**
   * Returns the method to route by. HEAD is GET without the body, except at the callback: an authorization response is used
   * once.
   */
  function methodOf({ method }: Request, path: string): string {
    return method === 'HEAD' && path !== callbackPath ? 'GET' : method;
  }

  return function clinicianRoutes(req, res, next) {
    const mistake = req.baseUrl ? mountError(req.baseUrl, table.keys()) : undefined;
    if (mistake) return next(mistake);
    const path = pathOf(req);
    const route = table.get(path);
    if (!route) return otherRequests(req, res, next);
    const handler = route.get(methodOf(req, path));
    if (!handler) {
      res.setHeader('Allow', [...route.keys()].join(', '));
      res.status(405).end();
      return;
    }
    Promise.resolve()
      .then(() => handler(req, res, next))
      .catch((error: unknown) => failures.fail(error, { req, res, next }))
      .catch(next);
  };
}
