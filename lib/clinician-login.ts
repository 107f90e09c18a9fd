import { createDropIn, type DropIn, type FeatureMembers } from './drop-in.js';
import { argumentInvalid } from './errors/errors.js';
import { refuseAsStrategy } from './express/call-checks.js';
import { type ClinicianLoginOptions, resolveLoginOptions } from './express/login-options.js';
import type { ClinicianMiddleware } from './express/members.js';
import { type Environment, withEnvironment } from './options/environment.js';
import type { Site } from './options/site.js';
import { ClinicianLogins } from './passport/accept-by-on-sign-in.js';
import { PassportSignIn } from './passport/passport-sign-in.js';
import { SiteTokens } from './passport/site-tokens.js';
import { ClinicianStrategy } from './passport/strategy.js';

/**
 * The return value of `clinicianLogin()`: Express middleware with the parts of the sign-in as members. `User` is the type of the
 * site's own users, which `onSignIn` returns.
 */
export interface ClinicianLogin<User extends object = object> extends ClinicianMiddleware<User>, FeatureMembers {
  /**
   * The Passport strategy of this sign-in, for `passport.use()`. A login through `passport.authenticate('clinician')` has the
   * same guards, members and events as one through the routes. `onSignIn` replaces the verify function. Created when you first
   * use it.
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
   * @param options further options. They take precedence over the environment, whose variable is then not read
   * @param env the variables. Default: `process.env`
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
      'clinicianLogin() has no verify function. Pass option onSignIn, or write new ClinicianStrategy(options, verify).',
    );
  }
  const resolved = resolveLoginOptions(options);
  const dropIn = createDropIn(resolved);
  refuseAsStrategy(dropIn.clinician, 'clinician.strategy');
  let strategy: ClinicianStrategy | undefined;
  // Created at its first use, because most sites do not use it.
  const get = () => {
    strategy ??= createStrategy(dropIn, resolved.site);
    return strategy;
  };
  return Object.defineProperty(dropIn.clinician as ClinicianLogin<User>, 'strategy', { get, enumerable: true });
}

/** @returns the strategy of a drop-in: the login that Passport establishes is the login of the drop-in. */
function createStrategy(dropIn: DropIn, site: Site): ClinicianStrategy {
  const { loginRoute, callbackRoute, errorResponses } = dropIn;
  const { look, visits, attempts, acceptance, signIn, savedFailure, events, server, tokens, identification } = dropIn;
  const logins = new ClinicianLogins(acceptance, signIn, loginRoute, callbackRoute, errorResponses);
  const siteTokens = new SiteTokens(server, tokens.revocations, identification);
  const passport = new PassportSignIn(site, look, visits, attempts, logins, savedFailure, events);
  return new ClinicianStrategy(site, passport, siteTokens);
}
