import { flows } from './authorization-server/flows.js';
import { createCore } from './core.js';
import { CallbackRoute } from './express/callback-route.js';
import { CSRFProtection } from './express/csrf.js';
import { ErrorResponses } from './express/error-responses.js';
import { createGuards } from './express/guards.js';
import {
  type ClinicianLoginOptions,
  logoutOrigins,
  resolveLoginOptions,
  serviceOrigins,
} from './express/login-options.js';
import { LoginRoute } from './express/login-route.js';
import { LogoutRoutes } from './express/logout-routes.js';
import { type ClinicianMiddleware, createMembers } from './express/members.js';
import { createMiddleware, RequestState } from './express/middleware.js';
import { createPolicyCheck } from './express/policy-check.js';
import { createRouter } from './express/router.js';
import { SavedFailure } from './express/saved-failure.js';
import { SessionCheck } from './express/session-check.js';
import { SilentSignIn } from './express/silent-sign-in.js';
import { UserChanges } from './express/user-changes.js';
import { createHealth } from './health.js';
import { type Environment, withEnvironment } from './options/environment.js';
import { type DropIn, DropInStrategy } from './passport/drop-in-strategy.js';
import type { ClinicianStrategy } from './passport/strategy.js';
import { createBrowserID } from './session/browser-id.js';
import { createClose } from './session/close.js';
import { LoginSession } from './session/login-session.js';
import { Logins } from './session/logins.js';
import { ServiceLogout } from './session/service-logout.js';
import { createSessionLoss } from './session/session-loss.js';
import { SiteSessionStore } from './session/session-store.js';
import { SignOut } from './session/sign-out.js';
import { Tokens } from './session/tokens.js';
import { Attempts } from './sign-in/attempts.js';
import { createCallbackHost } from './sign-in/callback-host.js';
import { Identification } from './sign-in/identify.js';
import { SignIn } from './sign-in/sign-in.js';

/** The return value of `clinicianLogin()`: Express middleware with the parts of the sign-in as members. */
export interface ClinicianLogin extends ClinicianMiddleware {
  /**
   * The Passport strategy of this sign-in, for `passport.use()`: a login through `passport.authenticate('clinician')` is the same as
   * one through the routes, with the same guards, members and events. `onSignIn` replaces the verify function. Created at its
   * first use.
   */
  readonly strategy: ClinicianStrategy;
}

/** Creates the drop-in; see {@link clinicianLogin}. */
export interface ClinicianLoginFactory {
  /**
   * Creates the drop-in "Sign in as a clinician": Express middleware with login, callback and logout mounted, and with guards, the
   * resource API and the button as members. Put `app.use(session({ ... }))` before it.
   *
   * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network until a login.
   * Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
   */
  (options: ClinicianLoginOptions): ClinicianLogin;
  /**
   * Creates the drop-in with options from environment variables: `CLINICIAN_ISSUER`, `CLINICIAN_API_URL`,
   * `CLINICIAN_SHARE_SCRIPT_URL`, `CLINICIAN_CLIENT_ID`, `CLINICIAN_CLIENT_SECRET`, `CLINICIAN_FLOW`, `CLINICIAN_SCOPE`,
   * `CLINICIAN_OPTIONAL_SCOPE`, `APP_URL` (the public address of the site: `callbackURL` is its `/auth/callback`) and
   * `SESSION_SECRET` (several secrets are separated by spaces: the first seals, each opens). Empty variables are ignored.
   *
   * Throws one {@link ConfigurationError} (`environment_invalid`) that names every missing or invalid variable, without its value.
   * @param options further options. They take precedence over the environment, whose variable is then not read
   * @param env the variables. Default: `process.env`
   */
  fromEnv(options?: Partial<ClinicianLoginOptions>, env?: Environment): ClinicianLogin;
}

/** Creates the drop-in: see the members of {@link ClinicianLoginFactory}. */
export const clinicianLogin: ClinicianLoginFactory = Object.assign(createClinicianLogin, {
  fromEnv: (options: Partial<ClinicianLoginOptions> = {}, env: Environment = process.env) =>
    createClinicianLogin(withEnvironment(options, env) as ClinicianLoginOptions),
});

function createClinicianLogin(options: ClinicianLoginOptions): ClinicianLogin {
  const checked = resolveLoginOptions(options);
  const { clock, flow, origin, routes, links } = checked;
  const core = createCore(checked, checked.onEvent);
  const { instance, events, server, cookies } = core;
  const resolved = { ...checked, ...core };

  // The login attempt, and the login that the site's session holds.
  const loginSession = new LoginSession(instance, events.outages);
  const callbackHost = createCallbackHost({
    ...resolved,
    inBrowser: links.inBrowser,
    isLoginRoute: (req) => links.pathOf(req) === routes.login,
  });
  const attempts = new Attempts({ ...resolved, callbackHost, loginSession });
  const identification = new Identification(resolved);
  const sessionStore = new SiteSessionStore(instance, checked.sessionStore);
  const tokens = new Tokens({ ...resolved, sessionStore });
  const logins = new Logins({ ...resolved, tokens, sessionStore });
  const sessionLoss = createSessionLoss({ cookies, clock, tokens });
  const signOut = new SignOut({ loginSession, tokens, logins, sessionStore, events });
  const serviceLogout = new ServiceLogout({ ...resolved, tokens });
  const close = createClose(resolved);
  const requestState = new RequestState({ flow, loginSession, logins });
  const session = { loginSession, tokens, logins, sessionLoss, signOut, requestState };
  const browserID = createBrowserID(resolved);
  const signIn = new SignIn({ ...session, ...resolved, identification, attempts, browserID });

  // The routes.
  const csrf = new CSRFProtection({ ...resolved, loginSession });
  const silentSignIn = new SilentSignIn({ ...resolved, attempts, callbackHost, loginSession });
  const savedFailure = new SavedFailure(cookies);
  const errorResponses = new ErrorResponses({
    ...{ ...resolved, savedFailure, loginSession, logins, sessionLoss },
    loginPath: routes.login,
  });
  const userChanges = new UserChanges({
    ...{ ...resolved, attempts, loginSession, csrf },
    serviceOrigins: serviceOrigins(resolved),
  });
  const logoutRoutes = new LogoutRoutes({
    ...{ loginSession, csrf, signOut, serviceLogout, silentSignIn, savedFailure, userChanges, links, routes },
    issuer: resolved.issuer,
    hasServiceLogout: flows[flow].expectsIDToken && resolved.postLogoutRedirectURI !== undefined,
    logoutOrigins: logoutOrigins(resolved),
  });
  const sessionCheck = new SessionCheck({ ...resolved, attempts, loginSession, silentSignIn });
  const loginRoute = new LoginRoute({ ...resolved, attempts, callbackHost, loginSession, sessionLoss, errorResponses });
  const callbackRoute = new CallbackRoute({
    ...{ ...resolved, attempts, signIn, loginSession, userChanges, savedFailure, errorResponses },
  });
  const policyCheck = createPolicyCheck(origin, events);
  const router = createRouter({
    ...{ ...resolved, loginRoute, callbackRoute, logoutRoutes, userChanges, sessionCheck },
    ...{ csrf, errorResponses, policyCheck },
  });

  // The public interface: the middleware, the guards, the members and the strategy.
  const middleware = createMiddleware({
    ...{ loginSession, requestState, logins, signOut, sessionLoss, sessionStore, router },
  });
  const guards = createGuards({ ...resolved, loginSession, requestState, logins, errorResponses });
  const members = createMembers(resolved, {
    ...{ loginSession, requestState, tokens, logins, csrf, policyCheck, silentSignIn, sessionCheck, close },
    ...{ loginRoute, logoutRoutes, errorResponses },
    health: createHealth({ server, checkStore: () => tokens.vault.checkStore(), clock }),
  });
  return withStrategy(Object.assign(middleware, guards, members), {
    ...{ resolved, server, attempts, callbackHost, identification, loginSession, events, tokens, signIn, sessionLoss },
    ...{ close, loginRoute, callbackRoute, inBrowser: links.inBrowser, forget: members.forget, health: members.health },
  });
}

/** Adds the member `strategy`. It is created at its first use, because most sites do not use it. */
function withStrategy(clinician: ClinicianMiddleware, dropIn: DropIn): ClinicianLogin {
  let strategy: ClinicianStrategy | undefined;
  const get = () => {
    strategy ??= new DropInStrategy(dropIn);
    return strategy;
  };
  return Object.defineProperty(clinician as ClinicianLogin, 'strategy', { get, enumerable: true });
}
