import type { ServerResponse } from 'node:http';
import { DENIALS, denied } from '../errors/denials.js';
import {
  type ClinicianError,
  ConfigurationError,
  DeniedError,
  isClinicianError,
  TransactionError,
} from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { type FinishByPassport, lacksStrictCookie, repeatFromOwnPage } from '../express/callback-route.js';
import type { SitePaths } from '../express/paths.js';
import { refuseSpeculation } from '../express/responses.js';
import type { SavedFailure } from '../express/saved-failure.js';
import type { PageLook } from '../html/page.js';
import { defined } from '../http/json.js';
import type { Site } from '../options/site.js';
import { type SessionRequest, unsupportedSession } from '../session/site-session.js';
import type { Visits } from '../session/visit.js';
import { type Attempt, type Attempts, isAuthorizationResponse } from '../sign-in/attempts.js';
import { otherLoopbackURL } from '../sign-in/callback-host.js';
import type { LoginOptions } from '../sign-in/login-request.js';
import { refuseSentResponse } from '../sign-in/sign-in.js';
import { accountOf, type SignInPurpose } from '../sign-in/site-user.js';
import type { SiteDecision } from './accept-by-verify.js';
import { loginOptionsIn, type PassportRequest, purposeOf, refuseMisspelledOptions } from './authenticate-options.js';
import { wrapLogIn } from './log-in.js';
import { OAuth2Strategy, type PassportStrategy } from './oauth2-strategy.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';

/** Accepts the users of a site: what differs between `clinician.strategy` and one with a verify function. @internal */
export interface SiteLogins {
  /** Redeems the response, identifies the user, and asks the site. Revokes the tokens of a user who is refused. */
  accept(request: PassportRequest, attempt: Attempt, purpose: SignInPurpose): Promise<SiteDecision>;
  /** Responds to requests at the callback, if there are other logins too. */
  finish?(request: PassportRequest, finish: FinishByPassport): boolean;
  /** Reads the options of a login, if there are other ways to start one too. */
  start?(request: PassportRequest): LoginOptions | undefined;
}

/** Starts and finishes the logins of `passport.authenticate()`. @internal */
export class PassportSignIn {
  readonly #site: Site;
  readonly #look: PageLook;
  readonly #paths: SitePaths;
  readonly #visits: Visits;
  readonly #attempts: Attempts;
  readonly #logins: SiteLogins;
  readonly #savedFailure: SavedFailure;
  readonly #events: Events;

  constructor(from: {
    site: Site;
    look: PageLook;
    paths: SitePaths;
    visits: Visits;
    attempts: Attempts;
    logins: SiteLogins;
    savedFailure: SavedFailure;
    events: Events;
  }) {
    this.#site = from.site;
    this.#look = from.look;
    this.#paths = from.paths;
    this.#visits = from.visits;
    this.#attempts = from.attempts;
    this.#logins = from.logins;
    this.#savedFailure = from.savedFailure;
    this.#events = from.events;
  }

  /** Responds to a request by the functions that Passport has added to the strategy. */
  authenticate(req: SessionRequest, res: ServerResponse, by: Omit<PassportRequest, 'visit'>): void {
    const { options, strategy, loadProfile } = by;
    const next = (error?: unknown) => (error ? strategy.error(error) : strategy.pass());
    const visit = this.#visits.of(req, res, next);
    const request = { visit, options, strategy, loadProfile };
    const finish: FinishByPassport = (found) =>
      void this.#report(request, this.#finish(request, found), found?.returnTo ?? '/');
    try {
      if (refuseSpeculation(visit)) return;
      if (this.#logins.finish ? this.#logins.finish(request, finish) : this.#finishAtAnyPath(request, finish)) return;
      if (this.#attempts.find(visit)) throw callbackElsewhere();
      // An overridden hook may read its own options.
      const isHook = strategy.authorizationParams !== OAuth2Strategy.prototype.authorizationParams;
      if (!isHook) refuseMisspelledOptions(options);
      const login = this.#logins.start ? this.#logins.start(request) : this.#optionsOf(request);
      if (login) void this.#report(request, this.#start(request, login));
    } catch (error) {
      void this.#report(request, Promise.reject(error));
    }
  }

  /** Finishes a login at any path: the site has no other one. @returns false for a request without an authorization response */
  #finishAtAnyPath({ visit, options }: PassportRequest, finish: FinishByPassport): boolean {
    // Passport calls two of its functions when it signs the user in.
    const unsupported = options.session === false ? undefined : unsupportedSession(visit.req, true);
    if (unsupported) throw unsupported;
    if (!isAuthorizationResponse(visit.query)) return false;
    const found = this.#attempts.find(visit);
    if (lacksStrictCookie(visit)) repeatFromOwnPage(visit, found, this.#site, this.#look);
    else finish(found);
    return true;
  }

  /** @returns the options of a login, unless a failed one must be reported. */
  #optionsOf({ visit, options, strategy }: PassportRequest): LoginOptions | undefined {
    const unread = this.#savedFailure.takeUnread(visit);
    if (!unread) return loginOptionsIn(options);
    strategy.error(unread.error);
    return undefined;
  }

  async #start({ visit, options, strategy }: PassportRequest, login: LoginOptions): Promise<PassportOutcome> {
    const elsewhere = otherLoopbackURL(visit, this.#paths.inBrowser(visit, visit.target));
    if (elsewhere !== undefined) return { redirect: elsewhere };
    const extra = strategy.authorizationParams(options) as Record<string, string>;
    const isLink = purposeOf(options) === 'link';
    if (isLink && !visit.isFromOwnPage) throw denied('cross_site_request');
    const account = isLink ? accountOf(visit) : undefined;
    const state = { mode: 'passport', siteState: options.state, ...defined({ account }) };
    return { redirect: await this.#attempts.start(visit, login, state, extra) };
  }

  /** Finishes a login, up to the call of Passport that signs the user in. */
  async #finish(request: PassportRequest, found: Attempt | undefined): Promise<PassportOutcome> {
    const { visit, options } = request;
    const { req, res } = visit;
    const purpose = purposeOf(options);
    if (found && found.appState.mode !== 'passport') throw attemptOfRoutes();
    const attempt = this.#attempts.take(visit, found);
    const accepted = await this.#logins.accept(request, attempt, purpose);
    if ('fail' in accepted) return accepted;
    const { user, info, login } = accepted;
    if (res.headersSent || res.destroyed) await login.discard();
    refuseSentResponse(res);
    const { siteState: state } = attempt.appState;
    const returnTo = attempt.returnTo && this.#paths.inBrowser(visit, attempt.returnTo);
    const isReturning = options.successReturnToOrRedirect !== undefined && attempt.returnTo !== '/';
    if (purpose === 'session') wrapLogIn(req, login, isReturning ? returnTo : undefined);
    else await login.release();
    return { user, info: { ...defined({ state, returnTo }), ...info } };
  }

  /**
   * Reports to Passport, or the error of its report: it cannot redirect if the response was sent, as by a timeout of the site.
   * @param returnTo that of a login that has ended: its failure is saved, because a `failureRedirect` to another sign-in would loop
   */
  async #report(request: PassportRequest, pending: Promise<PassportOutcome>, returnTo?: string): Promise<void> {
    const { visit, options, strategy } = request;
    const outcome = await pending.catch((error: unknown) => {
      this.#events.emit('sign_in_failed', { error });
      return passportOutcome(error, this.#look.texts);
    });
    if (returnTo !== undefined && options.failureRedirect !== undefined && !visit.res.headersSent) {
      if ('fail' in outcome)
        this.#savedFailure.save({ error: refusal(outcome.fail), mode: 'page', returnTo, isUnread: true }, visit);
      else this.#savedFailure.clear(visit);
    }
    try {
      report(strategy, outcome);
    } catch (cause) {
      try {
        strategy.error(cause);
      } catch {
        // A custom callback of the site throws for an error, too. No request remains that could receive it.
        const message = 'A callback of passport.authenticate() threw an error.';
        this.#events.warn({ code: 'site_error', message, cause });
      }
    }
  }
}

/** @returns the error of a failure: that of this package, or of what a verify function has refused with. */
function refusal(fail: object): ClinicianError {
  const { cause, message = DENIALS.sign_in_refused } = fail as { cause?: unknown; message?: unknown };
  return isClinicianError(cause) ? cause : new DeniedError('sign_in_refused', String(message));
}

function report(strategy: PassportStrategy, outcome: PassportOutcome): void {
  if ('redirect' in outcome) strategy.redirect(outcome.redirect);
  else if ('fail' in outcome) strategy.fail(outcome.fail, outcome.status);
  else if ('user' in outcome) strategy.success(outcome.user, outcome.info);
  else strategy.error(outcome.error);
}

/** @returns the error for a response to another attempt, for example a silent check, which signs no user in. */
function attemptOfRoutes(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    'This sign-in was started by clinicianLogin(), which has the same callbackURL. Use clinician.strategy at that path.',
  );
}

/** @returns the error for an authorization response at another path than that of `callbackURL`: to start a login would loop. */
function callbackElsewhere(): ConfigurationError {
  return new ConfigurationError(
    'mount_path_conflict',
    "passport-clinician: the authorization response arrived at another path than that of 'callbackURL'. Put passport.authenticate('clinician') at the path of 'callbackURL'; a proxy must not change it.",
    { option: 'callbackURL' },
  );
}
