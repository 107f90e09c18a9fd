import { flows } from './authorization-server/flows.js';
import { type Core, type CoreOptions, createCore } from './core.js';
import { CallbackRoute } from './express/callback-route.js';
import { ErrorResponses } from './express/error-responses.js';
import { createGuards } from './express/guards.js';
import type { ErrorHandler } from './express/http-types.js';
import { logoutOrigins, type ResolvedLoginOptions } from './express/login-options.js';
import { LoginRoute } from './express/login-route.js';
import { LogoutRoutes } from './express/logout-routes.js';
import { type ClinicianMiddleware, createMembers } from './express/members.js';
import { createMiddleware, RequestState } from './express/middleware.js';
import { MountCheck } from './express/mount-checks.js';
import { SitePaths } from './express/paths.js';
import { createRouter } from './express/router.js';
import { SavedFailure } from './express/saved-failure.js';
import shareScript from './html/browser/share.js?text';
import type { PageLook } from './html/page.js';
import { Popup, popupClientScript } from './popup/popup.js';
import { SessionCheck, type SessionCheckMembers } from './session-check/session-check.js';
import { CHECK_MODE, SilentCheck } from './session-check/silent-check.js';
import { ownRoutesOf } from './sign-in/same-origin.js';
import { type LoginDisplays, SignIn } from './sign-in/sign-in.js';
import type { OnSignIn } from './sign-in/site-user.js';
import { SilentSignIn, type SilentSignInMembers } from './silent-sign-in/silent-sign-in.js';

/** The options of the drop-in, and what it works with. */
interface Parts extends CoreOptions, Core {
  look: PageLook;
  paths: SitePaths;
  onError: ErrorHandler | undefined;
  onSignIn: OnSignIn<never>;
  requestState: RequestState;
  mountCheck: MountCheck;
  displays: LoginDisplays;
}

/** The routes of the drop-in, and what they share. */
interface RouteParts {
  errorResponses: ErrorResponses;
  savedFailure: SavedFailure;
  silentSignIn: SilentSignIn;
  sessionCheck: SessionCheck;
  signIn: SignIn;
  loginRoute: LoginRoute;
  callbackRoute: CallbackRoute;
  logoutRoutes: LogoutRoutes;
}

function createRoutes(parts: Parts, options: ResolvedLoginOptions): RouteParts {
  const { cookies, clock, clientID, origin, look, routes, server, loginSession } = parts;
  const { flow, postLogoutRedirectURI, isDevelopment } = parts;
  const silentSignIn = new SilentSignIn(parts);
  const savedFailure = new SavedFailure(cookies, clock, isDevelopment);
  const errorResponses = new ErrorResponses({ ...parts, savedFailure, loginPath: routes.login });
  const silentCheck = new SilentCheck(parts);
  const signIn = new SignIn({ ...parts, finishers: { [CHECK_MODE]: silentCheck } });
  const logoutRoutes = new LogoutRoutes({
    ...parts,
    silentSignIn,
    savedFailure,
    hasServiceLogout: flows[flow].expectsIDToken && postLogoutRedirectURI !== undefined,
    logoutOrigins: logoutOrigins(options),
  });
  return {
    errorResponses,
    savedFailure,
    silentSignIn,
    sessionCheck: new SessionCheck({
      ...{ clientID, origin, clock, texts: look.texts, path: routes.sessionCheck },
      ...{ server, loginSession, silentCheck, silentSignIn },
    }),
    signIn,
    loginRoute: new LoginRoute({ ...parts, errorResponses }),
    callbackRoute: new CallbackRoute({ ...parts, signIn, savedFailure, errorResponses }),
    logoutRoutes,
  };
}

/** The drop-in: its options, its parts and its members. A strategy of Passport uses them too. @internal */
export interface DropIn extends Parts, RouteParts {
  clinician: ClinicianMiddleware & SessionCheckMembers & SilentSignInMembers;
}

/** Creates the parts of the drop-in and connects them. */
export function createDropIn(options: ResolvedLoginOptions): DropIn {
  const { site, client, timeouts, handlers, secrets, profileRequired, tokenStore, postLogoutRedirectURI } = options;
  const { look } = options;
  const values = { ...site, ...client, ...timeouts, ...handlers, secrets, profileRequired, postLogoutRedirectURI };
  const all = { ...values, tokenStore, ownRoutes: ownRoutesOf(site) };
  const core = createCore(all);
  const requestState = new RequestState(core);
  const mountCheck = new MountCheck(core.visits, core.events);
  const displays = { popup: new Popup({ origin: site.origin, look }) };
  const parts = { ...all, ...core, look, paths: new SitePaths(site), requestState, mountCheck, displays };
  const routes = createRoutes(parts, options);
  const { sessionCheck, silentSignIn } = routes;
  const router = createRouter({
    ...{ ...parts, ...routes },
    moreRoutes: sessionCheck.routes(),
    handlePageView: sessionCheck.middleware(),
    clientScript: popupClientScript + shareScript,
  });
  const middleware = createMiddleware({ ...parts, router });
  const guards = createGuards({ ...parts, errorResponses: routes.errorResponses });
  const members = createMembers(options, { ...parts, ...routes });
  const clinician = Object.assign(middleware, guards, members, sessionCheck.members(), silentSignIn.members());
  return { ...parts, ...routes, clinician };
}
