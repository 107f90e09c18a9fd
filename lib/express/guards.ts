import { type FlowName, flows } from '../authorization-server/flows.js';
import type { Clock } from '../clock.js';
import { closestName } from '../closest-name.js';
import { type ClinicianError, ConfigurationError, DeniedError, SignInRequiredError } from '../errors.js';
import { checkOptions, duration, type OptionTable } from '../options/option-table.js';
import type { Scope } from '../scope.js';
import type { LoginSession } from '../session/login-session.js';
import type { Logins, SessionLogin, Verification } from '../session/logins.js';
import { linkQuery } from '../sign-in/login-request.js';
import { trace } from '../tracing.js';
import { detectMissingCall } from './call-checks.js';
import type { Middleware } from './http-types.js';
import type { RequestState } from './middleware.js';
import { type RequestErrors, signInRequired } from './request-errors.js';

const FIVE_MINUTES_MS = 5 * 60 * 1000;
/** How much the clocks of the site and the service may differ, in milliseconds: as for ID Tokens. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Holds the options of {@link Guards.requireLogin} and {@link Guards.requireScope}. */
export interface RequireLoginOptions {
  /**
   * How long the result of a check of the token store is used, in milliseconds. A login that another process or the service has
   * ended is detected after that. No I/O until then.
   * @default 300_000, five minutes
   */
  recheckAfter?: number;
}

/** Holds the options of {@link Guards.requireVerified}. */
export interface RequireVerifiedOptions {
  /**
   * How long `verified` is used before the profile is read again, in milliseconds.
   * @default 300_000, five minutes
   */
  recheckAfter?: number;
}

/** Holds the options of {@link Guards.requireRecentLogin}. */
export interface RequireRecentLoginOptions {
  /** The maximum time since the user authenticated at the service, in milliseconds. @default 300_000, five minutes */
  maxAge?: number;
}

/** Express middleware that refuses requests of other users: navigations are redirected or get a page, scripts get problem+json. */
export interface Guards {
  /** Requires a signed-in clinician. A navigation is redirected to the sign-in and back; a script gets 401 `sign_in_required`. */
  requireLogin(options?: RequireLoginOptions): Middleware;
  /**
   * Requires a clinician who authenticated at the service recently, by the ID Token's `auth_time` (60 seconds tolerance). A
   * navigation is redirected to the service, which requires the password again, and back; a script gets 401
   * `recent_login_required`. Throws `max_age_unsupported` in the `profile` flow, which has no ID Token.
   */
  requireRecentLogin(options?: RequireRecentLoginOptions): Middleware;
  /**
   * Requires a verified clinician. Signed out: as {@link Guards.requireLogin}. Not yet verified: 403 `verification_pending`.
   * `verified` needs scope `basic`: throws `scope_not_requested` where the site does not request it, and responds 403
   * `scope_missing` where it was not granted.
   */
  requireVerified(options?: RequireVerifiedOptions): Middleware;
  /** Requires a granted scope; 403 `scope_missing` otherwise. Throws `scope_not_requested` where the site does not request it. */
  requireScope(scope: string, options?: RequireLoginOptions): Middleware;
}

const requireLoginOptions: OptionTable<RequireLoginOptions> = {
  recheckAfter: { ...duration, default: FIVE_MINUTES_MS, otherNames: ['maxage'] },
};

const requireRecentLoginOptions: OptionTable<RequireRecentLoginOptions> = {
  maxAge: { ...duration, default: FIVE_MINUTES_MS },
};

type GuardError = ClinicianError | undefined;
type Check = (login: SessionLogin) => GuardError | Promise<GuardError>;

function recentLoginRequired(): SignInRequiredError {
  return new SignInRequiredError('recent_login_required', 'Sign in again to confirm that it is you.');
}

function scopeMissing(scope: string): DeniedError {
  return new DeniedError(
    'scope_missing',
    `This request needs scope '${scope}', which was not granted. Sign in again and approve it.`,
  );
}

function verificationError(verification: Verification): GuardError {
  if (verification === 'verified') return undefined;
  if (verification === 'unknown') return scopeMissing('basic');
  return new DeniedError('verification_pending', 'Your verification is in progress. It can take up to three days.');
}

export function createGuards(options: {
  flow: FlowName;
  scope: Scope;
  optionalScope: Scope;
  loginSession: LoginSession;
  requestState: RequestState;
  logins: Logins;
  requestErrors: RequestErrors;
  clock: Clock;
}): Guards {
  const { flow, scope: siteScope, optionalScope, loginSession, requestState, logins, requestErrors, clock } = options;
  const { knownScopes } = flows[flow];

  const scopeQuery = (scope: string) => (optionalScope.includes(scope) ? linkQuery({ scope }, options) : '');

  /** Checks the login, and then the guard's condition. It needs no I/O and no promise when everything is known. */
  function checkLogin(login: SessionLogin, recheckAfter: number, check: Check): GuardError | Promise<GuardError> {
    const isActive = logins.isActive(login, recheckAfter);
    const then = (active: boolean) => (active ? check(login) : signInRequired());
    return typeof isActive === 'boolean' ? then(isActive) : isActive.then(then);
  }

  function guard(kind: keyof Guards, recheckAfter: number, check: Check, query = ''): Middleware {
    const details = { flow, kind };
    return function clinicianGuard(req, res, next) {
      let login: SessionLogin | undefined;
      const finish = (error: GuardError) => {
        if (!error) {
          requestState.setIfOther(req);
          return next();
        }
        requestErrors.send({ req, res, next }, error, login, query);
      };
      const fail = (error: unknown) => finish(requestErrors.report(error));
      try {
        login = loginSession.read(req);
        const known = login;
        const error = trace(
          'guard',
          details,
          () => (known ? checkLogin(known, recheckAfter, check) : requestErrors.signedOutError(req, res)),
          (refusal) => refusal?.code,
        );
        if (error instanceof Promise) error.then(finish, fail).catch(next);
        else finish(error);
      } catch (error) {
        next(error);
      }
    };
  }

  /** @returns the options of a guard with the default. */
  const recheckAfterOf = (options: RequireLoginOptions | undefined, caller: string) =>
    checkOptions(options, requireLoginOptions, caller).recheckAfter as number;

  function assertRequested(scope: string, guardName: string): void {
    if (siteScope.includes(scope) || optionalScope.includes(scope)) return;
    if (!knownScopes.includes(scope)) {
      const closest = closestName(scope, knownScopes);
      const fix = closest ? `Did you mean '${closest}'?` : `The scopes are: ${knownScopes.join(', ')}.`;
      throw new ConfigurationError(
        'scope_not_requested',
        `passport-clinician: ${guardName} needs scope '${scope}', which the service does not have. ${fix}`,
      );
    }
    throw new ConfigurationError(
      'scope_not_requested',
      `passport-clinician: ${guardName} needs scope '${scope}', and this site requests only '${siteScope.join(' ')}'. Add it: scope: '${[...siteScope, scope].join(' ')}', or list it in option 'optionalScope' (the service must have granted it to your client).`,
    );
  }

  function requireLogin(options?: RequireLoginOptions): Middleware {
    return guard('requireLogin', recheckAfterOf(options, 'requireLogin()'), () => undefined);
  }

  function requireRecentLogin(recentOptions?: RequireRecentLoginOptions): Middleware {
    const { maxAge } = checkOptions(recentOptions, requireRecentLoginOptions, 'requireRecentLogin()') as {
      maxAge: number;
    };
    const query = linkQuery({ prompt: 'login', maxAge }, options);
    const isRecent = ({ authenticatedAt = 0 }: SessionLogin) =>
      clock.now() - authenticatedAt <= maxAge + CLOCK_TOLERANCE_MS;
    const check: Check = (login) => (isRecent(login) ? undefined : recentLoginRequired());
    return guard('requireRecentLogin', FIVE_MINUTES_MS, check, query);
  }

  function requireVerified(options?: RequireVerifiedOptions): Middleware {
    const recheckAfter = recheckAfterOf(options, 'requireVerified()');
    assertRequested('basic', 'requireVerified()');
    const check: Check = (login) => {
      const verification = logins.verification(login, recheckAfter);
      return verification instanceof Promise ? verification.then(verificationError) : verificationError(verification);
    };
    return guard('requireVerified', recheckAfter, check, scopeQuery('basic'));
  }

  function requireScope(scope: string, options?: RequireLoginOptions): Middleware {
    if (typeof scope !== 'string' || scope === '') {
      throw new ConfigurationError(
        'argument_invalid',
        "passport-clinician: requireScope() needs one scope, a string: requireScope('email'). For several scopes, use it several times.",
      );
    }
    const recheckAfter = recheckAfterOf(options, 'requireScope()');
    assertRequested(scope, 'requireScope()');
    const check: Check = (login) => (logins.scopeOf(login).includes(scope) ? undefined : scopeMissing(scope));
    return guard('requireScope', recheckAfter, check, scopeQuery(scope));
  }

  return {
    requireLogin: detectMissingCall('requireLogin', 'requireLogin()', requireLogin),
    requireRecentLogin: detectMissingCall('requireRecentLogin', 'requireRecentLogin()', requireRecentLogin),
    requireVerified: detectMissingCall('requireVerified', 'requireVerified()', requireVerified),
    requireScope: detectMissingCall('requireScope', "requireScope('email')", requireScope),
  };
}
