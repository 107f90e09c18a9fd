import type { ServerResponse } from 'node:http';
import styles from '../html/browser/styles.css?text';
import type { ResolvedRoutes } from '../options/routes.js';
import type { SessionRequest } from '../session/site-session.js';
import type { CallbackRoute } from './callback-route.js';
import { assertSameOrigin } from './csrf.js';
import type { ErrorResponses } from './error-responses.js';
import type { Exchange, Middleware, Next } from './http-types.js';
import type { LoginRoute } from './login-route.js';
import type { LogoutRoutes } from './logout-routes.js';
import { mountError } from './mount-checks.js';
import type { SitePaths } from './paths.js';
import { refuseMethod, refuseSpeculation } from './responses.js';

/** Responds to one route. @internal */
export type RouteHandler = (req: SessionRequest, res: ServerResponse, next: Next) => Promise<void> | void;

interface RouterOptions {
  routes: ResolvedRoutes;
  paths: Pick<SitePaths, 'pathOf'>;
  callbackPath: string;
  origin: string;
  loginRoute: Pick<LoginRoute, 'handle'>;
  callbackRoute: Pick<CallbackRoute, 'handle'>;
  logoutRoutes: LogoutRoutes;
  /** The routes of the features. */
  moreRoutes: readonly RouteRow[];
  /** Receives the requests for the site's own pages. */
  handlePageView: RouteHandler;
  errorResponses: Pick<ErrorResponses, 'fail'>;
  clientScript: string;
}

type Method = 'GET' | 'POST';
/** A route: its path, unless it is left out. @internal */
export type RouteRow = [path: string | false, method: Method, handler: RouteHandler];
/** The handlers of one path by method. */
type Route = Map<string, RouteHandler>;

/** @returns a handler that sends a text that never changes while the process runs. */
function staticFile(contentType: string, text: string): RouteHandler {
  const body = Buffer.from(text);
  return function clinicianStaticFile(_req, res) {
    res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
    // The response may have the session cookie, which a proxy must not store for other users.
    res.setHeader('Cache-Control', 'private, max-age=3600');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // The page with the form of a logout has an opaque origin. A policy of the site, such as that of helmet, is for its own files.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.end(body);
  };
}

/** @returns the routes that the site mounts, by path. */
function routeTable(options: RouterOptions): Map<string, Route> {
  const { routes, callbackPath, loginRoute, callbackRoute, logoutRoutes, moreRoutes, clientScript, origin } = options;
  const callback = routes.callback !== false && callbackPath;
  const sameOrigin = (handler: RouteHandler): RouteHandler =>
    async function clinicianSameOrigin(req, res, next) {
      assertSameOrigin(req, origin);
      await handler(req, res, next);
    };
  const rows: RouteRow[] = [
    [routes.login, 'GET', (req, res, next) => loginRoute.handle(req, res, next)],
    [callback, 'GET', (req, res, next) => callbackRoute.handle(req, res, next)],
    [routes.logout, 'GET', (req, res) => logoutRoutes.confirmLogout(req, res)],
    [routes.logout, 'POST', sameOrigin((req, res) => logoutRoutes.logout(req, res))],
    [routes.endSession, 'GET', (req, res) => logoutRoutes.endSession(req, res)],
    [routes.forget, 'POST', sameOrigin((req, res) => logoutRoutes.forget(req, res))],
    [routes.loggedOut, 'GET', (req, res) => logoutRoutes.loggedOut(req, res)],
    ...moreRoutes,
    [routes.clientScript, 'GET', staticFile('text/javascript', clientScript)],
    [routes.stylesheet, 'GET', staticFile('text/css', styles)],
  ];
  const table = new Map<string, Route>();
  for (const [path, method, handler] of rows) {
    if (path) table.set(path, (table.get(path) ?? new Map()).set(method, handler));
  }
  return table;
}

/** @returns middleware that responds to the drop-in's own routes, without Express: it works with any version and copy of it. */
export function createRouter(options: RouterOptions): Middleware {
  const { callbackPath, routes, paths: sitePaths, errorResponses, handlePageView } = options;
  const table = routeTable(options);
  const paths = [...table.keys()];
  /** Their GET requests start, use up or change something. */
  const usedOnce: unknown[] = [routes.login, callbackPath, routes.endSession, routes.loggedOut];

  /**
   * @returns the method to route by. HEAD is GET without the body, except at the callback: an authorization response is used
   * once.
   */
  function methodOf({ method = '' }: SessionRequest, path: string): string {
    return method === 'HEAD' && path !== callbackPath ? 'GET' : method;
  }

  async function run(handler: RouteHandler, { req, res, next }: Exchange): Promise<void> {
    try {
      await handler(req, res, next);
    } catch (error) {
      await errorResponses.fail(error, { req, res, next });
    }
  }

  return function clinicianRoutes(req: SessionRequest, res, next) {
    const misplaced = req.baseUrl && mountError(req, routes.basePath, paths);
    if (misplaced) return next(misplaced);
    const path = sitePaths.pathOf(req);
    const route = table.get(path);
    if (!route) return void handlePageView(req, res, next);
    const handler = route.get(methodOf(req, path));
    if (!handler) return refuseMethod(res, route.keys());
    if (usedOnce.includes(path) && refuseSpeculation(req, res)) return;
    run(handler, { req, res, next }).catch(next);
  };
}
