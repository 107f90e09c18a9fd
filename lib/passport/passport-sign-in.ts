import { DENIALS } from '../errors/denials.js';
import {
  type ClinicianError,
  ConfigurationError,
  DeniedError,
  isClinicianError,
  TransactionError,
} from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { SitePaths } from '../express/paths.js';
import { refuseSpeculation } from '../express/responses.js';
import type { SavedFailure } from '../express/saved-failure.js';
import type { CompleteTexts } from '../html/texts.js';
import { defined } from '../http/json.js';
import type { Site } from '../options/site.js';
import { queryOf } from '../session/site-session.js';
import type { Attempt, Attempts } from '../sign-in/attempts.js';
import { refuseSentResponse } from '../sign-in/sign-in.js';
import type { Accept } from './accept.js';
import { type PassportRequest, purposeOf, refuseMisspelledOptions } from './authenticate-options.js';
import { wrapLogIn } from './log-in.js';
import { OAuth2Strategy, type PassportStrategy } from './oauth2-strategy.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';
import type { PassportRoutes, StartedLogin } from './passport-routes.js';

/** Starts and finishes the logins of `passport.authenticate()`. @internal */
export class PassportSignIn {
  readonly #paths: SitePaths;
  readonly #texts: CompleteTexts;
  readonly #attempts: Attempts;
  readonly #routes: PassportRoutes;
  readonly #accept: Accept;
  readonly #savedFailure: SavedFailure;
  readonly #events: Events;

  /** @param accept what differs between `clinician.strategy`, which calls `onSignIn`, and one with a verify function */
  constructor(
    site: Site,
    texts: CompleteTexts,
    attempts: Attempts,
    routes: PassportRoutes,
    accept: Accept,
    savedFailure: SavedFailure,
    events: Events,
  ) {
    this.#paths = new SitePaths(site);
    this.#texts = texts;
    this.#attempts = attempts;
    this.#routes = routes;
    this.#accept = accept;
    this.#savedFailure = savedFailure;
    this.#events = events;
  }

  /** Responds to a request by the functions that Passport has added to the strategy. */
  authenticate(request: PassportRequest): void {
    const { req, res, options, strategy } = request;
    const finish = (response: URLSearchParams, found: Attempt | undefined) =>
      void this.#report(request, this.#finish(request, response, found), found?.returnTo ?? '/');
    try {
      if (refuseSpeculation(req, res) || this.#routes.finish(request, finish)) return;
      if (this.#attempts.find(req, queryOf(req))) throw callbackElsewhere();
      // An overridden hook may read its own options.
      const isHook = strategy.authorizationParams !== OAuth2Strategy.prototype.authorizationParams;
      if (!isHook) refuseMisspelledOptions(options);
      const login = this.#routes.start(request);
      if (login) void this.#report(request, this.#start(request, login));
    } catch (error) {
      void this.#report(request, Promise.reject(error));
    }
  }

  async #start({ req, res, options, strategy }: PassportRequest, login: StartedLogin): Promise<PassportOutcome> {
    const extra = strategy.authorizationParams(options) as Record<string, string>;
    const { account } = login;
    const state = { mode: 'passport', siteState: options.state, ...defined({ account }) };
    const redirect = await this.#attempts.start(req, res, login.options, state, extra);
    this.#events.emit('sign_in_started');
    return { redirect };
  }

  /** Finishes a login, up to the call of Passport that signs the user in. */
  async #finish(
    request: PassportRequest,
    response: URLSearchParams,
    found: Attempt | undefined,
  ): Promise<PassportOutcome> {
    const { req, res, options } = request;
    const purpose = purposeOf(options);
    if (found && found.appState.mode !== 'passport') throw attemptOfRoutes();
    const attempt = this.#attempts.take(req, res, response, found);
    const accepted = await this.#accept({ ...request, response, attempt, purpose });
    if ('fail' in accepted) return accepted;
    const { user, info, login } = accepted;
    if (res.headersSent) await login.discard();
    refuseSentResponse(res);
    const { siteState: state } = attempt.appState;
    const returnTo = attempt.returnTo && this.#paths.inBrowser(req, attempt.returnTo);
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
    const { req, res, options, strategy } = request;
    const outcome = await pending.catch((error: unknown) => {
      this.#events.emit('sign_in_failed', { error });
      return passportOutcome(error, this.#texts);
    });
    if (returnTo !== undefined && options.failureRedirect !== undefined && !res.headersSent) {
      if ('fail' in outcome)
        this.#savedFailure.save({ error: refusal(outcome.fail), mode: 'page', returnTo, isUnread: true }, req, res);
      else this.#savedFailure.clear(req, res);
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
