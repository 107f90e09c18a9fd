import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Clock } from '../clock.js';
import { type ClinicianError, ConfigurationError, DeniedError, SignInRequiredError } from '../errors.js';
import type { Events } from '../events.js';
import { closestName } from '../options/option-names.js';
import type { ActiveLogins } from '../session/active-logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import { sessionOf } from '../session/site-session.js';
import type { SessionLogin, SiteRequest, Verification } from '../session/types.js';
import type { Verifications } from '../session/verification.js';
import { asClinicianError, isOperatorError, type PageLinks, sendError } from './error-responses.js';
import { wantsHTML } from './wants-html.js';

/** A refusal this soon after the sign-in, in milliseconds, is not mended by another one. */
const JUST_NOW = 10_000;
const FIVE_MINUTES = 5 * 60 * 1000;

/** Options of {@link Guards.requireLogin} and {@link Guards.requireScope}. */
export interface RequireLoginOptions {
  /**
   * How long ago, in milliseconds, the token store may have been asked whether the login still stands: a login that was revoked,
   * forgotten or ended by the service on another machine is noticed after that. No I/O while the answer is fresh.
   * @default 300_000, five minutes
   */
  maxAge?: number;
}

/** Options of {@link Guards.requireVerified}. */
export interface RequireVerifiedOptions {
  /**
   * How old the answer "verified" may be, in milliseconds, before the profile is asked again.
   * @default 300_000, five minutes
   */
  maxAge?: number;
}

/** Express middleware that lets a request through only for the right person. A person is redirected or shown a page; a script gets problem+json. */
export interface Guards {
  /** Lets signed-in clinicians through. Others are sent to sign in and come back (401 `sign_in_required` for scripts). */
  requireLogin(options?: RequireLoginOptions): RequestHandler;
  /**
   * Lets verified clinicians through. Signed out: as {@link Guards.requireLogin}. Waiting for verification: 403 `verification_pending`.
   * Without scope `basic`, nobody can be known to be verified: throws `scope_not_requested` at once when the site never asks for it,
   * answers 403 `scope_missing` when it was asked for and not granted.
   */
  requireVerified(options?: RequireVerifiedOptions): RequestHandler;
  /** Lets clinicians through who granted a scope; 403 `scope_missing` otherwise. Throws `scope_not_requested` when the site never asks for it. */
  requireScope(scope: string, options?: RequireLoginOptions): RequestHandler;
}

type GuardError = ClinicianError | undefined;
type Check = (login: SessionLogin) => GuardError | Promise<GuardError>;

function signInRequired(): SignInRequiredError {
  return new SignInRequiredError('sign_in_required', 'Sign in as a clinician to see this.');
}

function scopeMissing(scope: string): DeniedError {
  return new DeniedError(
    'scope_missing',
    `This needs scope '${scope}', which was not granted. Sign in again and approve it.`,
  );
}

function refusalFor(verification: Verification): GuardError {
  if (verification === 'verified') return undefined;
  if (verification === 'unknown') return scopeMissing('basic');
  return new DeniedError(
    'verification_pending',
    'Your verification is not finished yet. It can take up to three days.',
  );
}

/** @returns who is signed in by the site's session. Throws when there is no session to ask. */
export function loginOf(req: SiteRequest): SessionLogin | undefined {
  return sessionOf(req).clinician;
}

export function createGuards(options: {
  asked: readonly string[];
  /** The scopes that there are. */
  known: readonly string[];
  links: PageLinks;
  verifications: Verifications;
  logins: ActiveLogins;
  events: Events;
  keptSession: SessionLoss;
  clock: Clock;
}): Guards {
  const { asked, known, links, verifications, logins, events, keptSession, clock } = options;

  /** A page or a status only tells the person before it. */
  function failure(caught: unknown): ClinicianError {
    const error = asClinicianError(caught);
    if (isOperatorError(error)) {
      events.emit('request_failed', { code: error.code });
      events.warn(error);
    }
    return error;
  }

  /** Somebody who comes straight from a sign-in that does not hold is shown so, and not sent round for ever. */
  function linksFor(login: SessionLogin | undefined): PageLinks {
    const justSignedIn = login !== undefined && clock.now() - login.since < JUST_NOW;
    return justSignedIn ? { ...links, canLogin: false } : links;
  }

  /** Without I/O, and without a promise, when all of it is known. */
  function standing(login: SessionLogin, maxAge: number, check: Check): GuardError | Promise<GuardError> {
    const stands = logins.stands(login, maxAge);
    const then = (yes: boolean) => (yes ? check(login) : signInRequired());
    return typeof stands === 'boolean' ? then(stands) : stands.then(then);
  }

  /** A person is sent to sign in, unless that has just been tried and the site did not keep it. */
  function nobody(req: SiteRequest, res: Response): ClinicianError {
    const notKept = wantsHTML(req) && keptSession.detect(req, res);
    return notKept ? failure(notKept) : signInRequired();
  }

  function guard(maxAge: number, check: Check) {
    return function clinicianGuard(req: Request, res: Response, next: NextFunction): void {
      let login: SessionLogin | undefined;
      const answer = (refusal: GuardError) =>
        refusal ? sendError(req as SiteRequest, res, refusal, linksFor(login)) : next();
      const failed = (error: unknown) => answer(failure(error));
      try {
        login = loginOf(req as SiteRequest);
        const refusal = login ? standing(login, maxAge, check) : nobody(req as SiteRequest, res);
        if (refusal instanceof Promise) refusal.then(answer, failed).catch(next);
        else answer(refusal);
      } catch (error) {
        next(error);
      }
    };
  }

  function mustBeAsked(scope: string, guardName: string): void {
    if (asked.includes(scope)) return;
    if (!known.includes(scope)) {
      const meant = closestName(scope, known);
      const fix = meant ? `Did you mean '${meant}'?` : `The scopes are: ${known.join(', ')}.`;
      throw new ConfigurationError(
        'scope_not_requested',
        `passport-clinician: ${guardName} needs scope '${scope}', and the service has none of that name. ${fix}`,
      );
    }
    throw new ConfigurationError(
      'scope_not_requested',
      `passport-clinician: ${guardName} needs scope '${scope}', and this site asks for '${asked.join(' ')}' only. Add it: scope: '${[...asked, scope].join(' ')}' (the service must have granted it to your client).`,
    );
  }

  return {
    requireLogin: ({ maxAge = FIVE_MINUTES } = {}) => guard(maxAge, () => undefined),
    requireVerified({ maxAge = FIVE_MINUTES } = {}) {
      mustBeAsked('basic', 'requireVerified()');
      return guard(maxAge, (login) => {
        const now = verifications.current(login, maxAge);
        return now instanceof Promise ? now.then(refusalFor) : refusalFor(now);
      });
    },
    requireScope(scope, { maxAge = FIVE_MINUTES } = {}) {
      mustBeAsked(scope, 'requireScope()');
      return guard(maxAge, (login) => (login.scope.includes(scope) ? undefined : scopeMissing(scope)));
    },
  };
}
