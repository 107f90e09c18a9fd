import type { ServerResponse } from 'node:http';
import { ConfigurationError } from '../errors/errors.js';
import clientScript from '../html/browser/client.js?text';
import styles from '../html/browser/styles.css?text';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { isAuthorizationResponse } from '../sign-in/attempts.js';
import type { AttemptState } from '../sign-in/login-request.js';
import { excludeFromReturnTo } from '../sign-in/same-origin.js';
import type { CallbackRoute } from './callback-route.js';
import type { CSRFProtection } from './csrf.js';
import type { ErrorResponses } from './error-responses.js';
import type { Exchange, Middleware, Next } from './http-types.js';
import type { LoginRoute } from './login-route.js';
import type { LogoutRoutes } from './logout-routes.js';
import type { MountCheck } from './mount-checks.js';
import { prefixesOf, type ResolvedRoutes, routePaths, type SitePaths } from './paths.js';
import type { PolicyCheck } from './policy-check.js';
import { refuseMethod } from './responses.js';
import type { SessionCheck } from './session-check.js';
import type { SessionState } from './session-state.js';
import type { UserChanges } from './user-changes.js';

/** Responds to one route. @internal */
type RouteHandler = (req: SessionRequest, res: ServerResponse, next: Next) => Promise<void> | void;

interface RouterOptions {
  /** Passport's routes start and finish the logins of a strategy. */
  owner: AttemptState['owner'];
  routes: ResolvedRoutes;
  links: Pick<SitePaths, 'pathOf'>;
  callbackPath: string;
  origin: string;
  loginRoute: Pick<LoginRoute, 'handle'>;
  callbackRoute: Pick<CallbackRoute, 'handle'>;
  logoutRoutes: LogoutRoutes;
  userChanges: Pick<UserChanges, 'confirm'>;
  /** Also handles requests for the site's own pages. */
  sessionCheck: SessionCheck;
  sessionState: SessionState;
  csrf: CSRFProtection;
  errorResponses: Pick<ErrorResponses, 'fail' | 'report'>;
  policyCheck: Pick<PolicyCheck, 'check'>;
  mountCheck: Pick<MountCheck, 'errorAt'>;
}

type Method = 'GET' | 'POST';
/** The handlers of one path by method. */
type Route = Map<string, RouteHandler>;

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
function routeTable(options: RouterOptions): Map<string, Route> {
  const {
    routes,
    callbackPath,
    csrf,
    loginRoute,
    callbackRoute,
    logoutRoutes,
    userChanges,
    sessionCheck,
    sessionState,
  } = options;
  const isPassports = options.owner === 'strategy';
  const callback = routes.callback !== false && callbackPath;
  const login = !isPassports && routes.login;
  const sameOrigin = (handler: RouteHandler): RouteHandler =>
    async function clinicianSameOrigin(req, res, next) {
      await csrf.assertSameOrigin(req);
      await handler(req, res, next);
    };
  const rows: [path: string | false, method: Method, handler: RouteHandler][] = [
    [login, 'GET', (req, res, next) => loginRoute.handle(req, res, next)],
    [login, 'POST', sameOrigin((req, res) => userChanges.confirm(req, res))],
    [callback, 'GET', (req, res, next) => (isPassports ? next() : callbackRoute.handle(req, res, next))],
    [routes.logout, 'GET', (req, res) => logoutRoutes.confirmLogout(req, res)],
    [routes.logout, 'POST', sameOrigin((req, res) => logoutRoutes.logout(req, res))],
    [routes.endSession, 'GET', (req, res) => logoutRoutes.endSession(req, res)],
    [routes.forget, 'POST', sameOrigin((req, res) => logoutRoutes.forget(req, res))],
    [routes.loggedOut, 'GET', (req, res) => logoutRoutes.loggedOut(req, res)],
    [routes.sessionCheck, 'GET', (req, res) => sessionCheck.page(req, res)],
    [routes.sessionCheck, 'POST', sameOrigin((req, res) => sessionCheck.report(req, res))],
    [routes.session, 'GET', (req, res) => sessionState.respond(req, res)],
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
  const { owner, callbackPath, routes, links, origin, errorResponses, sessionCheck, policyCheck, mountCheck } = options;
  const table = routeTable(options);
  // Also as the site receives them: a proxy may have stripped `basePath`.
  for (const { length } of prefixesOf(routes.basePath)) {
    const received = routePaths(routes, callbackPath).map((path) => path.slice(length));
    excludeFromReturnTo(origin, received);
  }
  const paths = [...table.keys()];
  let checkedApp: object | undefined;
  const isLeftToSite = owner === 'strategy' || !routes.callback;

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

  /** Reports, for a callback that this package leaves to a route of the site, that there is none. */
  function reportUnreceived(req: SessionRequest, res: ServerResponse): void {
    if (req.method !== 'GET' || !isAuthorizationResponse(queryOf(req))) return;
    res.once('finish', () => {
      if (res.statusCode === 404) errorResponses.report(callbackMissing(callbackPath, owner));
    });
  }

  return function clinicianRoutes(req, res, next) {
    if (req.baseUrl || req.app !== checkedApp) {
      const mountError = mountCheck.errorAt(req, paths);
      if (mountError) return next(mountError);
      checkedApp = req.app;
    }
    const path = links.pathOf(req);
    if (path === callbackPath && isLeftToSite) reportUnreceived(req, res);
    const route = table.get(path);
    if (!route) return sessionCheck.checkPageView(req, res, next);
    policyCheck.check(res);
    const handler = route.get(methodOf(req, path));
    if (!handler) return refuseMethod(res, route.keys());
    run(handler, { req, res, next }).catch(next);
  };
}

/** @returns the error for an authorization response to which the site has responded with status 404. */
function callbackMissing(path: string, owner: AttemptState['owner']): ConfigurationError {
  const fix = owner === 'strategy' ? '' : ', or remove routes.callback: false';
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: no route of this site receives '${path}', the path of callbackURL, so no sign-in is finished. Put passport.authenticate('clinician') at this path${fix}.`,
  );
}
