import styles from '../html/browser/styles.css?text';
import type { Site } from '../options/site.js';
import type { Visit } from '../session/visit.js';
import type { CallbackRoute } from './callback-route.js';
import type { ErrorResponses } from './error-responses.js';
import type { LoginRoute } from './login-route.js';
import type { LogoutRoutes } from './logout-routes.js';
import { mountError } from './mount-checks.js';
import type { SitePaths } from './paths.js';
import { assertSameOrigin, refuseMethod, refuseSpeculation } from './responses.js';

/** Responds to one route. @internal */
export type RouteHandler = (visit: Visit) => Promise<void> | void;

type Method = 'GET' | 'POST';
/** A route: its path, unless it is left out. @internal */
export type RouteRow = [path: string | false, method: Method, handler: RouteHandler];
/** The handlers of one path by method. */
type Route = Map<string, RouteHandler>;

/** @returns a handler that sends a text that never changes while the process runs. */
function staticFile(contentType: string, text: string): RouteHandler {
  const body = Buffer.from(text);
  return function clinicianStaticFile({ res }) {
    res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
    // The response may have the session cookie, which a proxy must not store for other users.
    res.setHeader('Cache-Control', 'private, max-age=3600');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // The page with the form of a logout has an opaque origin. A policy of the site, such as that of helmet, is for its own files.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.end(body);
  };
}

/** @returns a handler for requests of pages of the same origin only. */
function sameOrigin(handler: RouteHandler): RouteHandler {
  return async function clinicianSameOrigin(visit) {
    assertSameOrigin(visit);
    await handler(visit);
  };
}

/** @returns the routes of sign-in and sign-out, and the files. */
export function routeRows(
  { routes, callbackPath }: Site,
  clientScript: string,
  loginRoute: Pick<LoginRoute, 'handle'>,
  callbackRoute: Pick<CallbackRoute, 'handle'>,
  logoutRoutes: LogoutRoutes,
): RouteRow[] {
  return [
    [routes.login, 'GET', (visit) => loginRoute.handle(visit)],
    [routes.callback !== false && callbackPath, 'GET', (visit) => callbackRoute.handle(visit)],
    [routes.logout, 'GET', (visit) => logoutRoutes.confirmLogout(visit)],
    [routes.logout, 'POST', sameOrigin((visit) => logoutRoutes.logout(visit))],
    [routes.endSession, 'GET', (visit) => logoutRoutes.endSession(visit)],
    [routes.forget, 'POST', sameOrigin((visit) => logoutRoutes.forget(visit))],
    [routes.loggedOut, 'GET', (visit) => logoutRoutes.loggedOut(visit)],
    [routes.clientScript, 'GET', staticFile('text/javascript', clientScript)],
    [routes.stylesheet, 'GET', staticFile('text/css', styles)],
  ];
}

/**
 * @param handlePageView receives the requests for the site's own pages
 * @returns a handler that responds to the drop-in's own routes, without Express: it works with any version and copy of it
 */
export function createRouter(
  { routes, callbackPath }: Site,
  rows: readonly RouteRow[],
  paths: Pick<SitePaths, 'pathOf'>,
  errorResponses: Pick<ErrorResponses, 'fail'>,
  handlePageView: RouteHandler,
): RouteHandler {
  const table = new Map<string, Route>();
  for (const [path, method, handler] of rows) {
    if (path) table.set(path, (table.get(path) ?? new Map()).set(method, handler));
  }
  const allPaths = [...table.keys()];
  /** Their GET requests start, use up or change something. */
  const usedOnce: unknown[] = [routes.login, callbackPath, routes.endSession, routes.loggedOut];

  async function run(handler: RouteHandler, visit: Visit): Promise<void> {
    try {
      await handler(visit);
    } catch (error) {
      await errorResponses.fail(error, visit);
    }
  }

  return function clinicianRoutes(visit) {
    const { req, next } = visit;
    const misplaced = req.baseUrl && mountError(visit, routes.basePath, allPaths);
    if (misplaced) return next(misplaced);
    const path = paths.pathOf(visit);
    const route = table.get(path);
    if (!route) return handlePageView(visit);
    // HEAD is GET without the body, except at the callback: an authorization response is used once.
    const isRead = req.method === 'HEAD' && path !== callbackPath;
    const handler = route.get(isRead ? 'GET' : (req.method ?? ''));
    if (!handler) return refuseMethod(visit, route.keys());
    if (usedOnce.includes(path) && refuseSpeculation(visit)) return;
    run(handler, visit).catch(next);
  };
}
