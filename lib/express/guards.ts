import type { Clock } from '../async/clock.js';
import { BoundedMap } from '../async/work.js';
import { DENIALS, denied, scopeMissing } from '../errors/denials.js';
import { argumentInvalid, type ClinicianError, DeniedError, SignInRequiredError } from '../errors/errors.js';
import { checkOptions, duration, type WithDefaults } from '../options/option-table.js';
import type { Site } from '../options/site.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { type OptionTable, text } from '../schema.js';
import type { Logins, SessionLogin, Verification } from '../session/logins.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Visits } from '../session/visit.js';
import { linkQuery, scopeQuery } from '../sign-in/login-request.js';
import { decisionOf } from '../sign-in/site-user.js';
import { assertRequest, detectMissingCall } from './call-checks.js';
import { type ErrorResponses, signInRequired } from './error-responses.js';
import type { Middleware } from './http-types.js';

const FIVE_MINUTES_MS = 5 * 60 * 1000;
const MAX_LOGINS = 50_000;
/** How much the clocks of the site and the service may differ, in milliseconds: as for ID Tokens. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The options of {@link Guards.requireLogin} and {@link Guards.requireScope}. */
export interface RequireLoginOptions {
  /**
   * How long a guard accepts a login without a look at the token store, in milliseconds. Each process looks again after 60
   * seconds, on every route: a longer time applies only while the store is unavailable.
   * @default 300_000, five minutes
   */
  recheckAfter?: number | undefined;
}

/** The options of {@link Guards.requireVerified}. */
export interface RequireVerifiedOptions {
  /** How long `verified` is used before the profile is read again, in milliseconds. @default 300_000, five minutes */
  recheckAfter?: number | undefined;
}

/** A condition of {@link Guards.requireProfile}. */
export type ProfileCondition = (profile: ClinicianProfile) => boolean | Promise<boolean>;

/** The options of {@link Guards.requireProfile}. */
export interface RequireProfileOptions extends RequireLoginOptions {
  /** The message for users who do not meet the condition. @default 'Your profile does not give access to this page.' */
  message?: string | undefined;
}

/** The options of {@link Guards.requireRecentLogin}. */
export interface RequireRecentLoginOptions {
  /** How long ago the user may have signed in at the service, in milliseconds. @default 300_000, five minutes */
  maxAge?: number | undefined;
}

/** Express middleware that refuses requests: navigations are redirected or get a page, scripts get problem+json. */
export interface Guards {
  /** Requires a signed-in clinician. A navigation is redirected to the sign-in and back; a script gets 401 `sign_in_required`. */
  requireLogin(options?: RequireLoginOptions): Middleware;
  /**
   * Requires a clinician who has recently signed in at the service, by the ID Token's `auth_time`, with 60 seconds of tolerance.
   * A navigation is redirected to the service, which requires the password again, and back; a script gets 401
   * `recent_login_required`. Throws `option_invalid` in the `profile` flow, which has no ID Token.
   */
  requireRecentLogin(options?: RequireRecentLoginOptions): Middleware;
  /**
   * Requires a verified clinician. Signed out: as {@link Guards.requireLogin}. Not yet verified: 403 `verification_pending`.
   * `verified` needs scope `basic`: throws `scope_not_requested` if the site does not request it, and responds 403
   * `scope_missing` if it was not granted.
   */
  requireVerified(options?: RequireVerifiedOptions): Middleware;
  /**
   * Requires a profile that meets a condition, such as `(profile) => profile.specialty === 'Cardiology'`; 403 `profile_refused`
   * otherwise. Signed out, and without scope `basic`: as {@link Guards.requireVerified}. Reads the profile (spec, "Profile"). A
   * user who meets the condition is checked again after `recheckAfter`, any other user at each request. If the condition throws,
   * the response is 500 `site_error`.
   */
  requireProfile(condition: ProfileCondition, options?: RequireProfileOptions): Middleware;
  /** Requires a granted scope; 403 `scope_missing` otherwise. Throws `scope_not_requested` if the site does not request it. */
  requireScope(scope: string, options?: RequireLoginOptions): Middleware;
  /**
   * @returns middleware for your own `POST` routes: as at the logout, requests of another origin get 403 `cross_site_request`. It
   * does not protect a `GET` route that changes something: users can open it from the address bar, from an email, or from a
   * page of this site to which another site has led them.
   */
  requireSameOrigin(): Middleware;
}

const requireLoginOptions: OptionTable<RequireLoginOptions> = {
  recheckAfter: { ...duration, default: FIVE_MINUTES_MS },
};

const requireProfileOptions: OptionTable<RequireProfileOptions> = {
  ...requireLoginOptions,
  message: { ...text, default: DENIALS.profile_refused },
};

const requireRecentLoginOptions: OptionTable<RequireRecentLoginOptions> = {
  maxAge: { ...duration, default: FIVE_MINUTES_MS },
};

type GuardError = ClinicianError | undefined;
type Check = (login: SessionLogin) => GuardError | Promise<GuardError>;

function recentLoginRequired(): SignInRequiredError {
  return new SignInRequiredError('recent_login_required', 'Sign in again to confirm that it is you.');
}

function verificationError(verification: Verification): GuardError {
  if (verification === 'verified') return undefined;
  if (verification === 'unknown') return scopeMissing('basic');
  return denied('verification_pending');
}

interface Collaborators {
  site: Site;
  visits: Visits;
  logins: Logins;
  errorResponses: ErrorResponses;
}

/** What one guard requires. */
interface Requirement {
  kind: keyof Guards;
  /** Milliseconds. */
  recheckAfter: number;
  /** @default none: a login is enough */
  check?: Check;
  /** What the sign-in must request, as the end of a query. @default nothing more */
  query?: string;
}

function createGuard(
  { kind, recheckAfter, check, query = '' }: Requirement,
  { visits, logins, errorResponses }: Collaborators,
): Middleware {
  /** Checks the login, and then the guard's condition. It needs no I/O and no promise when everything is known. */
  function refusalOf(login: SessionLogin): GuardError | Promise<GuardError> {
    const isActive = logins.isActive(login, recheckAfter);
    if (isActive === true) return check?.(login);
    return Promise.resolve(isActive).then((active) => (active ? check?.(login) : signInRequired()));
  }

  return function clinicianGuard(req: SessionRequest, res, next) {
    try {
      if (!req?.session) assertRequest(req, `${kind}()`);
      const visit = visits.of(req, res, next);
      const login = visit.readLogin();
      const refusal = login ? refusalOf(login) : errorResponses.signedOutError(visit);
      if (refusal === undefined) return next();
      const refuse = (error: GuardError) => (error ? errorResponses.refuse(visit, error, login, query) : next());
      if (!(refusal instanceof Promise)) return refuse(refusal);
      refusal.then(refuse, (error: unknown) => refuse(errorResponses.report(error))).catch(next);
    } catch (error) {
      // Another framework has called it with its own arguments.
      if (typeof next !== 'function') throw error;
      next(error);
    }
  };
}

function withDefaults<T extends object>(
  options: T | undefined,
  table: OptionTable<T>,
  caller: string,
): WithDefaults<T> {
  return checkOptions(options, table, caller) as WithDefaults<T>;
}

/** @returns the check of a profile, which it reads again after `recheckAfter`, and each time if it does not meet the condition. */
function profileCheck(
  condition: ProfileCondition,
  { message, recheckAfter }: WithDefaults<RequireProfileOptions>,
  clock: Clock,
  logins: Logins,
): Check {
  /** When the profile of a login was last read that meets the condition. */
  const metAt = new BoundedMap<string, number>(MAX_LOGINS);

  async function read(login: SessionLogin): Promise<GuardError> {
    const now = clock.now();
    const profile = await logins.profile(login);
    const isMet = await decisionOf('the condition of requireProfile()', () => condition(profile));
    if (!isMet) return new DeniedError('profile_refused', message);
    metAt.set(login.grantID, now);
    return undefined;
  }

  return (login) => {
    if (!logins.scopeOf(login).includes('basic')) return scopeMissing('basic');
    const isFresh = clock.now() - (metAt.get(login.grantID) ?? Number.NEGATIVE_INFINITY) < recheckAfter;
    return isFresh ? undefined : read(login);
  };
}

function requireSameOrigin({ visits, errorResponses }: Collaborators): Middleware {
  return function clinicianSameOriginOnly(req, res, next) {
    const visit = visits.of(req, res, next);
    if (visit.isSameOrigin) next();
    else errorResponses.refuse(visit, denied('cross_site_request'));
  };
}

function requireLogin(using: Collaborators, options?: RequireLoginOptions): Middleware {
  const { recheckAfter } = withDefaults(options, requireLoginOptions, 'requireLogin()');
  return createGuard({ kind: 'requireLogin', recheckAfter }, using);
}

function requireRecentLogin(using: Collaborators, options?: RequireRecentLoginOptions): Middleware {
  const { maxAge } = withDefaults(options, requireRecentLoginOptions, 'requireRecentLogin()');
  const query = linkQuery({ prompt: 'login', maxAge }, using.site);
  const isRecent = ({ authenticatedAt = 0 }: SessionLogin) =>
    using.site.clock.now() - authenticatedAt <= maxAge + CLOCK_TOLERANCE_MS;
  const check: Check = (login) => (isRecent(login) ? undefined : recentLoginRequired());
  return createGuard({ kind: 'requireRecentLogin', recheckAfter: FIVE_MINUTES_MS, check, query }, using);
}

function requireVerified(using: Collaborators, options?: RequireVerifiedOptions): Middleware {
  const { recheckAfter } = withDefaults(options, requireLoginOptions, 'requireVerified()');
  const query = scopeQuery('basic', 'requireVerified()', using.site);
  const check: Check = (login) => {
    const verification = using.logins.verification(login, recheckAfter);
    return verification instanceof Promise ? verification.then(verificationError) : verificationError(verification);
  };
  return createGuard({ kind: 'requireVerified', recheckAfter, check, query }, using);
}

function requireProfile(
  using: Collaborators,
  condition: ProfileCondition,
  options?: RequireProfileOptions,
): Middleware {
  if (typeof condition !== 'function') {
    throw argumentInvalid(
      "requireProfile() needs a function that receives the profile: requireProfile((profile) => profile.specialty === 'Cardiology').",
    );
  }
  const settings = withDefaults(options, requireProfileOptions, 'requireProfile()');
  const query = scopeQuery('basic', 'requireProfile()', using.site);
  const check = profileCheck(condition, settings, using.site.clock, using.logins);
  return createGuard({ kind: 'requireProfile', recheckAfter: settings.recheckAfter, check, query }, using);
}

function requireScope(using: Collaborators, scope: string, options?: RequireLoginOptions): Middleware {
  if (typeof scope !== 'string' || scope === '') {
    throw argumentInvalid(
      "requireScope() needs one scope, a string: requireScope('email'). For several scopes, use it several times.",
    );
  }
  const { recheckAfter } = withDefaults(options, requireLoginOptions, 'requireScope()');
  const query = scopeQuery(scope, 'requireScope()', using.site);
  const check: Check = (login) => (using.logins.scopeOf(login).includes(scope) ? undefined : scopeMissing(scope));
  return createGuard({ kind: 'requireScope', recheckAfter, check, query }, using);
}

export function createGuards(using: Collaborators): Guards {
  const { visits } = using;
  return {
    requireLogin: detectMissingCall(visits, 'requireLogin()', (options) => requireLogin(using, options)),
    requireRecentLogin: detectMissingCall(visits, 'requireRecentLogin()', (options) =>
      requireRecentLogin(using, options),
    ),
    requireVerified: detectMissingCall(visits, 'requireVerified()', (options) => requireVerified(using, options)),
    requireProfile: detectMissingCall(visits, 'requireProfile((profile) => ...)', (condition, options) =>
      requireProfile(using, condition, options),
    ),
    requireScope: detectMissingCall(visits, "requireScope('email')", (scope, options) =>
      requireScope(using, scope, options),
    ),
    requireSameOrigin: detectMissingCall(visits, 'requireSameOrigin()', () => requireSameOrigin(using)),
  };
}
