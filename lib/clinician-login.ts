import { flows } from './authorization-server/flows.js';
import { createCookies } from './cookies.js';
import { createEvents } from './events.js';
import { createCSRFProtection } from './express/csrf.js';
import { createFailures } from './express/failures.js';
import { createGuards } from './express/guards.js';
import { createLoginHandlers } from './express/login-handlers.js';
import { type ClinicianLoginOptions, resolveLoginOptions } from './express/login-options.js';
import { createLogoutHandlers } from './express/logout-handlers.js';
import { type ClinicianMiddleware, createMembers } from './express/members.js';
import { createMiddleware } from './express/middleware.js';
import { createRouter } from './express/routes.js';
import { createSessionCheck } from './express/session-check.js';
import { createSilentSignIn } from './express/silent-sign-in.js';
import type { PassportProfile } from './passport/passport-profile.js';
import { ClinicianStrategy } from './passport/strategy.js';
import type { VerifyFunction } from './passport/verify.js';
import { createLogins } from './session/logins.js';
import { createSessionLoss } from './session/session-loss.js';
import { createSiteSessionStore } from './session/session-store.js';
import { createServiceLogout, createSignOut } from './session/sign-out.js';
import { createTokenManager } from './session/token-manager.js';
import { createLogin } from './sign-in/login.js';
import { createSignIn } from './sign-in/sign-in.js';

/** Describes the return value of `clinicianLogin()`: Express middleware with the parts of the sign-in as members. */
export interface ClinicianLogin extends ClinicianMiddleware {
  /** A Passport strategy with the same options, created at its first use. */
  readonly strategy: ClinicianStrategy;
}

/**
 * Creates the drop-in "Sign in as a clinician": Express middleware with login, callback and logout mounted, and with guards, the
 * resource API and the button as members. Put `app.use(session({ ... }))` before it.
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network until a login.
 * Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export function clinicianLogin(options: ClinicianLoginOptions): ClinicianLogin {
  const resolved = resolveLoginOptions(options);
  const { clock, flow, scope, clientID, routes, links, callbackPath } = resolved;

  // The login attempt, and the login that the site's session holds.
  const cookies = createCookies(resolved);
  const events = createEvents({ clock, flow, onEvent: options.onEvent });
  const login = createLogin({ ...resolved, cookies });
  const { server } = login;
  const sessionStore = createSiteSessionStore();
  const tokens = createTokenManager({ ...resolved, server, events, destroySession: sessionStore.destroy });
  const logins = createLogins({ clock, tokens });
  const sessionLoss = createSessionLoss({ cookies, clock });
  const signOut = createSignOut({ tokens, logins, events });
  const serviceLogout = createServiceLogout({ ...resolved, server, cookies });
  const session = { tokens, logins, sessionLoss, signOut };
  const finishSignIn = createSignIn({ ...session, ...resolved, login, events });

  // The routes.
  const csrf = createCSRFProtection({ ...resolved, cookies });
  const silentSignIn = createSilentSignIn({ login, events, cookies, hasCallback: routes.callback !== false });
  const failures = createFailures({ callbackPath, links, events, cookies, onError: options.onError });
  const logoutHandlers = createLogoutHandlers({
    ...{ signOut, serviceLogout, silentSignIn, failures, links },
    loggedOutPath: routes.loggedOut || '/',
  });
  const sessionCheck = createSessionCheck({
    ...{ server, login, silentSignIn, clock, clientID, routes },
    script: links.clientScript,
  });
  const handlers = {
    ...createLoginHandlers({ ...resolved, login, finishSignIn, sessionLoss, failures, events }),
    ...logoutHandlers,
    sessionCheck: sessionCheck.page,
    sessionReport: sessionCheck.report,
  };
  const otherRequests = sessionCheck.middleware;
  const router = createRouter({ routes, callbackPath, handlers, otherRequests, csrf, failures });

  // The public interface: the middleware, the guards and the members.
  const middleware = createMiddleware({ flow, logins, signOut, sessionLoss, sessionStore, router });
  const guards = createGuards({
    ...{ links, logins, events, sessionLoss, clock },
    requestedScope: scope,
    knownScopes: flows[flow].knownScopes,
  });
  const { logout } = logoutHandlers;
  const members = createMembers(resolved, { tokens, logins, csrf, silentSignIn, sessionCheck, logout });
  return withStrategy(Object.assign(middleware, guards, members), options);
}

/** Adds the member `strategy`. It is created at its first use, because most sites do not use it. */
function withStrategy(clinician: ClinicianMiddleware, options: ClinicianLoginOptions): ClinicianLogin {
  const { siteName, tokenStore, onSignIn, onError, onEvent, postLogoutRedirectURI, routes, ...shared } = options;
  const verify: VerifyFunction = async (_accessToken: string, _refreshToken: string, { id }: PassportProfile) => ({
    id,
  });
  let strategy: ClinicianStrategy | undefined;
  const get = () => {
    strategy ??= new ClinicianStrategy(shared, verify);
    return strategy;
  };
  return Object.defineProperty(clinician as ClinicianLogin, 'strategy', { get, enumerable: true });
}
