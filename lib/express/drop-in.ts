import { flows } from '../authorization-server/flows.js';
import { type Core, type CoreOptions, createCore } from '../core.js';
import { ownRoutesOf } from '../sign-in/same-origin.js';
import { SignIn } from '../sign-in/sign-in.js';
import type { OnSignIn } from '../sign-in/site-user.js';
import { CallbackRoute } from './callback-route.js';
import { ErrorResponses } from './error-responses.js';
import { createGuards } from './guards.js';
import type { ErrorHandler } from './http-types.js';
import { logoutOrigins, type ResolvedLoginOptions } from './login-options.js';
import { LoginRoute } from './login-route.js';
import { LogoutRoutes } from './logout-routes.js';
import { type ClinicianMiddleware, createMembers } from './members.js';
import { createMiddleware, RequestState } from './middleware.js';
import { MountCheck } from './mount-checks.js';
import type { PageLook } from './page-options.js';
import { SitePaths } from './paths.js';
import { createRouter } from './router.js';
import { SavedFailure } from './saved-failure.js';
import { SessionCheck } from './session-check.js';
import { SilentSignIn } from './silent-sign-in.js';

/** The options of the drop-in, and what it works with. */
interface Parts extends CoreOptions, Core {
  look: PageLook;
  paths: SitePaths;
  onError: ErrorHandler | undefined;
  onSignIn: OnSignIn<never>;
  requestState: RequestState;
  mountCheck: MountCheck;
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
  const { cookies, clock, routes, flow, postLogoutRedirectURI, isDevelopment } = parts;
  const silentSignIn = new SilentSignIn(parts);
  const savedFailure = new SavedFailure(cookies, clock, isDevelopment);
  const errorResponses = new ErrorResponses({ ...parts, savedFailure, loginPath: routes.login });
  const signIn = new SignIn(parts);
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
    sessionCheck: new SessionCheck({ ...parts, silentSignIn }),
    signIn,
    loginRoute: new LoginRoute({ ...parts, errorResponses }),
    callbackRoute: new CallbackRoute({ ...parts, signIn, savedFailure, errorResponses }),
    logoutRoutes,
  };
}

/** The drop-in: its options, its parts and its members. A strategy of Passport uses them too. @internal */
export interface DropIn extends Parts, RouteParts {
  clinician: ClinicianMiddleware;
}

/** Creates the parts of the drop-in and connects them. */
export function createDropIn(options: ResolvedLoginOptions, owner: CoreOptions['owner']): DropIn {
  const { site, client, timeouts, handlers, secrets, profileRequired, tokenStore, postLogoutRedirectURI } = options;
  const { look } = options;
  const values = { ...site, ...client, ...timeouts, ...handlers, secrets, profileRequired, postLogoutRedirectURI };
  const all = { ...values, tokenStore, owner, ownRoutes: ownRoutesOf(site) };
  const core = createCore(all);
  const requestState = new RequestState(core);
  const mountCheck = new MountCheck(core.visits, core.events);
  const parts = { ...all, ...core, look, paths: new SitePaths(site), requestState, mountCheck };
  const routes = createRoutes(parts, options);
  const router = createRouter({ ...parts, ...routes });
  const middleware = createMiddleware({ ...parts, router });
  const guards = createGuards({ ...parts, errorResponses: routes.errorResponses });
  const members = createMembers(options, { ...parts, ...routes });
  const clinician = Object.assign(middleware, guards, members);
  return { ...parts, ...routes, clinician };
}
