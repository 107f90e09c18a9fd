import type { Request, RequestHandler } from 'express';
import { ConfigurationError } from '../errors.js';
import type { CSRFProtection } from './csrf.js';
import type { Failures } from './failures.js';
import type { RouteHandler } from './login-handlers.js';
import { pathOf, sendScript, sendStyles } from './responses.js';
import type { Routes } from './routes.js';

/** Holds the handlers of the drop-in's routes. @internal */
export type RouteHandlers = Record<
  'login' | 'callback' | 'logout' | 'forget' | 'loggedOut' | 'sessionCheck',
  RouteHandler
>;

export interface RouterOptions {
  routes: Routes;
  callbackPath: string;
  handlers: RouteHandlers;
  csrf: CSRFProtection;
  failures: Failures;
}

interface Route {
  method: 'GET' | 'POST';
  handler: RouteHandler;
}

/** @returns an error where the middleware is mounted below a path that some of its routes are not below. */
function mountError(baseUrl: string, paths: Iterable<string>): ConfigurationError | undefined {
  const unreachable = [...paths].find((path) => !path.startsWith(`${baseUrl}/`));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL and every path of option 'routes' below '${baseUrl}'.`,
  );
}

/** @returns the routes that the site mounts, by path. */
function routeTable({ routes, callbackPath, handlers, csrf }: RouterOptions): Map<string, Route> {
  const sameOrigin = (handler: RouteHandler): RouteHandler =>
    async function clinicianSameOrigin(req, res, next) {
      await csrf.assertSameOrigin(req);
      await handler(req, res, next);
    };
  const table: [path: string | false | undefined, method: Route['method'], handler: RouteHandler][] = [
    [routes.login, 'GET', handlers.login],
    [routes.callback !== false && callbackPath, 'GET', handlers.callback],
    [routes.logout, 'POST', sameOrigin(handlers.logout)],
    [routes.forget, 'POST', sameOrigin(handlers.forget)],
    [routes.loggedOut, 'GET', handlers.loggedOut],
    [routes.sessionCheck, 'GET', handlers.sessionCheck],
    [routes.clientScript, 'GET', sendScript],
    [routes.stylesheet, 'GET', sendStyles],
  ];
  return new Map(table.flatMap(([path, method, handler]) => (path ? [[path, { method, handler }] as const] : [])));
}

/** @returns middleware that responds to the drop-in's own routes and calls `next()` for every other request. */
export function createRouter(options: RouterOptions): RequestHandler {
  const { callbackPath, failures } = options;
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
    if (!route) return next();
    if (methodOf(req, path) !== route.method) {
      res.setHeader('Allow', route.method);
      res.status(405).end();
      return;
    }
    Promise.resolve()
      .then(() => route.handler(req, res, next))
      .catch((error: unknown) => failures.fail(error, { req, res, next }))
      .catch(next);
  };
}
