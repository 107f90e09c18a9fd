import { flows } from '../authorization-server/flows.js';
import type { Core } from '../core.js';
import type { ClinicianHealth } from '../health.js';
import type { SessionLoss } from '../session/browser-cookies.js';
import { createBrowserID } from '../session/browser-cookies.js';
import type { Logins } from '../session/logins.js';
import type { ServiceLogout } from '../session/service-logout.js';
import type { SiteSessionStore } from '../session/session-store.js';
import type { SignOut } from '../session/sign-out.js';
import type { Tokens } from '../session/tokens.js';
import { SignIn } from '../sign-in/sign-in.js';
import { CallbackRoute } from './callback-route.js';
import { CSRFProtection } from './csrf.js';
import { ErrorResponses } from './error-responses.js';
import { createGuards } from './guards.js';
import { logoutOrigins, type ResolvedLoginOptions, serviceOrigins } from './login-options.js';
import { LoginRoute } from './login-route.js';
import { LogoutRoutes } from './logout-routes.js';
import { type ClinicianMiddleware, createMembers } from './members.js';
import { createMiddleware, RequestState } from './middleware.js';
import { PolicyCheck } from './policy-check.js';
import { createRouter } from './router.js';
import { SavedFailure } from './saved-failure.js';
import { SessionCheck } from './session-check.js';
import { SilentSignIn } from './silent-sign-in.js';
import { UserChanges } from './user-changes.js';

/** The logins of the site's users: their sessions and their tokens. @internal */
export interface SessionParts {
  siteSessions: SiteSessionStore;
  tokens: Tokens;
  logins: Logins;
  sessionLoss: SessionLoss;
  signOut: SignOut;
  serviceLogout: ServiceLogout;
  health: () => Promise<ClinicianHealth>;
}

/** The options of the drop-in, and what it works with. */
type Parts = ResolvedLoginOptions & Core & SessionParts & { requestState: RequestState; policyCheck: PolicyCheck };

/** The routes of the drop-in, and what they share. */
interface RouteParts {
  csrf: CSRFProtection;
  errorResponses: ErrorResponses;
  silentSignIn: SilentSignIn;
  sessionCheck: SessionCheck;
  userChanges: UserChanges;
  signIn: SignIn;
  loginRoute: LoginRoute;
  callbackRoute: CallbackRoute;
  logoutRoutes: LogoutRoutes;
}

function createRoutes(parts: Parts): RouteParts {
  const { cookies, routes, flow, postLogoutRedirectURI } = parts;
  const csrf = new CSRFProtection(parts);
  const silentSignIn = new SilentSignIn(parts);
  const savedFailure = new SavedFailure(cookies);
  const errorResponses = new ErrorResponses({ ...parts, savedFailure, loginPath: routes.login });
  const userChanges = new UserChanges({ ...parts, csrf, serviceOrigins: serviceOrigins(parts) });
  const signIn = new SignIn({ ...parts, browserID: createBrowserID(parts) });
  const logoutRoutes = new LogoutRoutes({
    ...parts,
    csrf,
    silentSignIn,
    savedFailure,
    userChanges,
    hasServiceLogout: flows[flow].expectsIDToken && postLogoutRedirectURI !== undefined,
    logoutOrigins: logoutOrigins(parts),
  });
  return {
    csrf,
    errorResponses,
    silentSignIn,
    sessionCheck: new SessionCheck({ ...parts, silentSignIn }),
    userChanges,
    signIn,
    loginRoute: new LoginRoute({ ...parts, errorResponses }),
    callbackRoute: new CallbackRoute({ ...parts, signIn, userChanges, savedFailure, errorResponses }),
    logoutRoutes,
  };
}

/** @returns the middleware of the drop-in with its members, and the parts that its strategy shares. */
export function createDropIn(
  options: ResolvedLoginOptions,
  core: Core,
  session: SessionParts,
): Pick<RouteParts, 'signIn' | 'loginRoute' | 'callbackRoute'> & { clinician: ClinicianMiddleware } {
  const requestState = new RequestState({ ...core, ...session });
  const policyCheck = new PolicyCheck(options.origin, core.events);
  const parts = { ...options, ...core, ...session, requestState, policyCheck };
  const routes = createRoutes(parts);
  const router = createRouter({ ...parts, ...routes });
  const middleware = createMiddleware({ ...parts, router });
  const guards = createGuards({ ...parts, errorResponses: routes.errorResponses });
  const members = createMembers(options, { ...parts, ...routes });
  return { ...routes, clinician: Object.assign(middleware, guards, members) };
}
