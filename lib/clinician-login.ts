import { type Core, createCore } from './core.js';
import { createDropIn, type SessionParts } from './express/drop-in.js';
import { type ClinicianLoginOptions, type ResolvedLoginOptions, resolveLoginOptions } from './express/login-options.js';
import type { ClinicianMiddleware } from './express/members.js';
import { createHealth } from './health.js';
import { type Environment, withEnvironment } from './options/environment.js';
import { type DropIn, DropInStrategy } from './passport/drop-in-strategy.js';
import type { ClinicianStrategy } from './passport/strategy.js';
import { SessionLoss } from './session/browser-cookies.js';
import { Logins } from './session/logins.js';
import { ServiceLogout } from './session/service-logout.js';
import { SiteSessionStore } from './session/session-store.js';
import { SignOut } from './session/sign-out.js';
import { Tokens } from './session/tokens.js';

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
  const resolved = resolveLoginOptions(options);
  const { links, routes } = resolved;
  const { inBrowser } = links;
  const core = createCore(resolved, resolved.onEvent, {
    inBrowser,
    isLoginRoute: (req) => links.pathOf(req) === routes.login,
  });
  const session = createSession(resolved, core);
  const { clinician, ...shared } = createDropIn(resolved, core, session);
  const { forget } = clinician;
  return withStrategy(clinician, { ...core, ...session, ...shared, inBrowser, forget });
}

/** Creates what the drop-in stores about its logins. */
function createSession(options: ResolvedLoginOptions, core: Core): SessionParts {
  const { clock, cookies, events, instance, loginSession, server } = core;
  const siteSessions = new SiteSessionStore(instance, options.sessionStore);
  const tokens = new Tokens({ ...options, ...core, sessionStore: siteSessions });
  const logins = new Logins({ ...options, events, tokens, sessionStore: siteSessions });
  return {
    siteSessions,
    tokens,
    logins,
    sessionLoss: new SessionLoss({ cookies, clock, tokens }),
    signOut: new SignOut({ loginSession, tokens, logins, sessionStore: siteSessions, events }),
    serviceLogout: new ServiceLogout({ ...options, ...core, tokens }),
    health: createHealth({ server, checkStore: () => tokens.vault.checkStore(), clock }),
  };
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
