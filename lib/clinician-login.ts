import { PendingWork } from './async/work.js';
import { AuthorizationServer } from './authorization-server/authorization-server.js';
import { flows } from './authorization-server/flows.js';
import { argumentInvalid } from './errors/errors.js';
import { Events } from './events/events.js';
import { createButtons } from './express/buttons.js';
import { refuseAsStrategy } from './express/call-checks.js';
import { CallbackRoute } from './express/callback-route.js';
import { ErrorResponses } from './express/error-responses.js';
import { createGuards } from './express/guards.js';
import { LoginModes } from './express/login-modes.js';
import {
  type ClinicianLoginOptions,
  logoutOrigins,
  type ResolvedLoginOptions,
  resolveLoginOptions,
} from './express/login-options.js';
import { LoginRoute } from './express/login-route.js';
import { LogoutRoutes } from './express/logout-routes.js';
import { type ClinicianMiddleware, errorMembers, loginMembers, pageMembers, signInMembers } from './express/members.js';
import { LoginMiddleware } from './express/middleware.js';
import { SitePaths } from './express/paths.js';
import { createRouter, fileRoutes } from './express/router.js';
import { SavedFailure } from './express/saved-failure.js';
import { createHealth } from './health.js';
import shareScript from './html/browser/share.js?text';
import type { ClosableFetch } from './http/http.js';
import { type Environment, withEnvironment } from './options/environment.js';
import { ClinicianLogins } from './passport/accept-by-on-sign-in.js';
import { PassportSignIn } from './passport/passport-sign-in.js';
import { SiteTokens } from './passport/site-tokens.js';
import { ClinicianStrategy } from './passport/strategy.js';
import { Popup, popupClientScript } from './popup/popup.js';
import { RequestLimits } from './resource-api/request-limits.js';
import { Cookies } from './sealing/cookies.js';
import { Sealer } from './sealing/sealer.js';
import { Logins } from './session/logins.js';
import { Revocations } from './session/revocations.js';
import { ServiceLogout } from './session/service-logout.js';
import { SignOut } from './session/sign-out.js';
import { SiteSession } from './session/site-session.js';
import { Tokens, warnOfMemoryStore } from './session/tokens.js';
import { Visits } from './session/visit.js';
import { SessionCheck, type SessionCheckMembers } from './session-check/session-check.js';
import { CHECK_MODE, SilentCheck } from './session-check/silent-check.js';
import { Attempts } from './sign-in/attempts.js';
import { Identification } from './sign-in/identify.js';
import { Acceptance, SignIn } from './sign-in/sign-in.js';
import { SilentSignIn, type SilentSignInMembers } from './silent-sign-in/silent-sign-in.js';
import { GrantRecords } from './token-vault/grant-records.js';
import { instanceID, wrapStoreErrors } from './token-vault/token-store.js';
import { TokenVault } from './token-vault/token-vault.js';

/** The members of the features. */
interface FeatureMembers extends SessionCheckMembers, SilentSignInMembers {}

/**
 * The return value of `clinicianLogin()`: Express middleware with the parts of the sign-in as members. `User` is the type of your
 * own users, which `onSignIn` returns.
 */
export interface ClinicianLogin<User extends object = object> extends ClinicianMiddleware<User>, FeatureMembers {
  /**
   * The Passport strategy of this sign-in, for `passport.use()`. A login through `passport.authenticate('clinician')` has the
   * same guards, members and events as one through the routes. `onSignIn` replaces the verify function.
   */
  readonly strategy: ClinicianStrategy;
}

/** The user of a site without `onSignIn`: `id` is the service's id of the user. */
export interface DefaultUser {
  id: string;
}

/** Creates the drop-in; see {@link clinicianLogin}. */
export interface ClinicianLoginFactory {
  /**
   * Creates the drop-in "Sign in as a clinician": Express middleware with login, callback and logout mounted, and with guards,
   * the resource API and the button as members. Put `app.use(session({ ... }))` before it.
   *
   * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not use the network before the first
   * sign-in. Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
   */
  <User extends object = DefaultUser>(options: ClinicianLoginOptions<User>): ClinicianLogin<User>;
  /**
   * Creates the drop-in with options from environment variables: `CLINICIAN_ISSUER`, `CLINICIAN_API_URL`,
   * `CLINICIAN_SHARE_SCRIPT_URL`, `CLINICIAN_CLIENT_ID`, `CLINICIAN_CLIENT_SECRET`, `CLINICIAN_FLOW`, `CLINICIAN_SCOPE`,
   * `CLINICIAN_OPTIONAL_SCOPE`, `APP_URL` (the public address of the site: `callbackURL` is its `/auth/callback`) and
   * `SESSION_SECRET` (several secrets are separated by spaces: the first seals, each opens). Empty variables are ignored.
   *
   * Throws one {@link ConfigurationError} (`environment_invalid`) that names every missing or invalid variable, without its value.
   * @param options take precedence over the variables @param env the variables, by default `process.env`
   */
  fromEnv<User extends object = DefaultUser>(
    options?: Partial<ClinicianLoginOptions<User>>,
    env?: Environment,
  ): ClinicianLogin<User>;
}

/** Creates the drop-in: see the members of {@link ClinicianLoginFactory}. */
export const clinicianLogin: ClinicianLoginFactory = Object.assign(createClinicianLogin, {
  fromEnv: <User extends object>(
    options: Partial<ClinicianLoginOptions<User>> = {},
    env: Environment = process.env,
  ): ClinicianLogin<User> => createClinicianLogin(withEnvironment(options, env) as ClinicianLoginOptions<User>),
});
refuseAsStrategy(clinicianLogin, 'clinicianLogin(options).strategy');

function createClinicianLogin<User extends object>(
  options: ClinicianLoginOptions<User>,
  verify?: unknown,
): ClinicianLogin<User> {
  if (typeof verify === 'function') {
    throw argumentInvalid(
      'clinicianLogin() takes no verify function. Pass option onSignIn, or write new ClinicianStrategy(options, verify).',
    );
  }
  return connect(resolveLoginOptions(options)) as ClinicianLogin<User>;
}

/** Creates everything that the drop-in works with, and connects it. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of constants, each of those above it
function connect(options: ResolvedLoginOptions): ClinicianLogin {
  const { site, client, fetch, look, secrets, profileRequired, shareScriptURL, postLogoutRedirectURI } = options;
  const { clock, flow, isDevelopment } = site;
  const { idleTimeout, absoluteTimeout } = options.timeouts;
  const { onSignIn, onError, onEvent } = options.handlers;
  const { tokenStore } = options;
  const instance = instanceID(site);
  const formOrigins = logoutOrigins(options);
  const canLogOutAtService = flows[flow].expectsIDToken && postLogoutRedirectURI !== undefined;
  warnOfMemoryStore(tokenStore);

  const events = new Events({ clock, flow, onEvent, isDevelopment });
  const onUnknownSecret = () => events.reportUnknownSecret();
  const cookies = new Cookies({ site, instance, secrets, onUnknownSecret });
  const work = new PendingWork();
  const limits = new RequestLimits({ clock });
  const server = new AuthorizationServer(client, fetch, work);

  const store = wrapStoreErrors(tokenStore.forInstance?.(instance) ?? tokenStore);
  const sealer = new Sealer(secrets, 'tokens', onUnknownSecret);
  const records = new GrantRecords({ instance, clock, store, sealer, work });
  const revocations = new Revocations({ server, events, work });
  const vault = new TokenVault({ clock, records, server, revocations, events, work });
  const { inMemory } = tokenStore;
  const tokens = new Tokens({ site, records, vault, inMemory, revocations, fetch, limits, events });
  const logins = new Logins({ clock, tokens, events, idleTimeout, absoluteTimeout });
  const visits = new Visits(site, instance, logins, events);
  const session = new SiteSession(instance, cookies);
  const signOut = new SignOut({ session, tokens, events, work });
  const serviceLogout = new ServiceLogout({ server, cookies, postLogoutRedirectURI });

  const attempts = new Attempts({ site, server, cookies, tokens, events });
  const identification = new Identification({ site, profileRequired, fetch, events, limits });
  const acceptance = new Acceptance({ server, identification, tokens, onSignIn });
  const signIn = new SignIn({ clock, acceptance, session, tokens, logins, signOut });
  const silentSignIn = new SilentSignIn(visits, attempts, cookies);
  const silentCheck = new SilentCheck({ attempts, server, session, tokens, signOut });

  const paths = new SitePaths(site);
  const modes = new LoginModes(paths, signIn, { popup: new Popup(look), [CHECK_MODE]: silentCheck });
  const savedFailure = new SavedFailure(site, cookies);
  const errorResponses = new ErrorResponses({ site, look, onError, paths, modes, savedFailure, session, events });
  const loginRoute = new LoginRoute({ site, paths, cookies, attempts, modes, errorResponses });
  const callbackRoute = new CallbackRoute({
    site,
    look,
    modes,
    paths,
    attempts,
    errorResponses,
    savedFailure,
  });
  const logoutRoutes = new LogoutRoutes({
    site,
    look,
    canLogOutAtService,
    formOrigins,
    paths,
    signOut,
    serviceLogout,
    silentSignIn,
    savedFailure,
  });
  const sessionCheck = new SessionCheck({ site, look, server, session, silentCheck, silentSignIn });
  const files = fileRoutes(site, popupClientScript + shareScript);
  const rows = [loginRoute.routes(), callbackRoute.routes(), logoutRoutes.routes(), sessionCheck.routes(), files];
  const handlePageView = sessionCheck.middleware();
  const route = createRouter(site, rows.flat(), { paths, errorResponses, handlePageView });
  const middleware = new LoginMiddleware({ visits, session, logins, signOut, route }).middleware();

  let strategy: ClinicianStrategy | undefined;
  const createStrategy = () => {
    const users = new ClinicianLogins({ acceptance, signIn, loginRoute, callbackRoute, errorResponses });
    const siteTokens = new SiteTokens(server, revocations, identification);
    const by = new PassportSignIn({ site, look, paths, visits, attempts, logins: users, savedFailure, events });
    return new ClinicianStrategy(site, by, siteTokens);
  };
  const clinician = Object.assign(middleware, {
    ...createGuards({ site, visits, logins, errorResponses }),
    ...loginMembers(visits, tokens, logins),
    ...signInMembers({ visits, signOut, loginRoute, logoutRoutes }),
    ...errorMembers(visits, errorResponses),
    ...pageMembers(visits, site, formOrigins, shareScriptURL),
    ...createButtons(site, look, paths, shareScriptURL),
    ...sessionCheck.members(),
    ...silentSignIn.members(),
    health: createHealth(clock, server, { records, revocations }),
    close: createClose(fetch, client.timeout, work, events),
  });
  refuseAsStrategy(clinician, 'clinician.strategy');
  // Created at its first use, because most sites do not use it.
  const get = () => {
    strategy ??= createStrategy();
    return strategy;
  };
  return Object.defineProperty(clinician as typeof clinician & { strategy: ClinicianStrategy }, 'strategy', {
    get,
    enumerable: true,
  });
}

/** The time to store the tokens of a token response that arrives at its time limit. */
const STORE_TIME_MS = 2_000;

/**
 * @returns the function `close()` of an instance. It never rejects, so that the site closes its stores afterwards. Meanwhile no tokens
 * are requested: a process that ends during a refresh signs the user out.
 */
function createClose(fetch: ClosableFetch, timeout: number, work: PendingWork, events: Events) {
  async function close(): Promise<void> {
    const isComplete = await work.close(timeout + STORE_TIME_MS);
    if (!isComplete) events.report('close_incomplete');
    fetch.close();
  }
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}
