import { asClinicianError, type ClinicianError, isClinicianError, SignInRequiredError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { errorPage, formNotSentPage, userMessage } from '../html/error-pages.js';
import type { Page, PageLook } from '../html/page.js';
import { signedInAlreadyPage } from '../html/pages.js';
import type { Site } from '../options/site.js';
import type { SessionLogin } from '../session/logins.js';
import type { SiteSession } from '../session/site-session.js';
import type { SignInEnd, Visit } from '../session/visit.js';
import { isAuthorizationResponse } from '../sign-in/attempts.js';
import { scopeQuery } from '../sign-in/login-request.js';
import type { ErrorHandler, ExpressRequest, ExpressResponse } from './http-types.js';
import type { LoginModes } from './login-modes.js';
import type { SitePaths } from './paths.js';
import { leadWindow, redirect, refuseSpeculation, sendPage, sendProblem, visitAgain } from './responses.js';
import type { FailedSignIn, SavedFailure } from './saved-failure.js';

/** A request that has failed. */
interface Failure {
  error: ClinicianError;
  /** Absent for a request that is not a sign-in. */
  signIn?: SignInEnd;
  /** Whether a page view without a sufficient login is redirected to the sign-in. */
  mayRedirect?: boolean;
  /** What the sign-in must request, as the end of a query. */
  query?: string;
}

/** A login that is refused within this time after its sign-in, in milliseconds, is not redirected to another sign-in. */
const RECENT_SIGN_IN_MS = 10_000;
/** The headers of the response that a route has prepared: they do not describe the response to its error. */
const CONTENT_HEADERS = [
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Range',
  'ETag',
  'Last-Modified',
];

/**
 * Responds to errors of the drop-in's routes, of guards and of the site's routes. A script gets a problem document; a navigation
 * gets a page, or a redirect to the sign-in if another login helps. @internal
 */
export class ErrorResponses {
  readonly #site: Site;
  readonly #look: PageLook;
  readonly #onError: ErrorHandler | undefined;
  readonly #paths: SitePaths;
  readonly #modes: LoginModes;
  readonly #savedFailure: SavedFailure;
  readonly #session: Pick<SiteSession, 'detectLoss'>;
  readonly #events: Events;

  constructor(from: {
    site: Site;
    look: PageLook;
    onError: ErrorHandler | undefined;
    paths: SitePaths;
    modes: LoginModes;
    savedFailure: SavedFailure;
    session: Pick<SiteSession, 'detectLoss'>;
    events: Events;
  }) {
    this.#site = from.site;
    this.#look = from.look;
    this.#onError = from.onError;
    this.#paths = from.paths;
    this.#modes = from.modes;
    this.#savedFailure = from.savedFailure;
    this.#session = from.session;
    this.#events = from.events;
  }

  async fail(caught: unknown, visit: Visit): Promise<void> {
    const { req, res, next, signIn } = visit;
    const onError = this.#onError;
    const error = asClinicianError(caught);
    this.#events.emit(signIn ? 'sign_in_failed' : 'request_failed', { error });
    // Only the user sees the page: the operator gets a warning, unless the site handles its errors.
    if (!onError && isOperatorError(error)) this.#events.warn(error);
    if (res.headersSent) return next(caught);
    const respond = () => this.#respond(visit, signIn ? { error, signIn } : { error });
    if (!onError) return respond();
    await onError(error, req as ExpressRequest, res as ExpressResponse, (passedOn) =>
      passedOn === undefined ? respond() : next(passedOn),
    );
  }

  /**
   * Refuses a request. A page view without a sufficient login is redirected to the sign-in, except right after a sign-in: that
   * would loop. A form gets a page: a redirect would lose its data. @param login the login that is refused
   * @param query what the sign-in must request, as the end of a query
   */
  refuse(visit: Visit, error: ClinicianError, login?: SessionLogin, query = ''): void {
    const mayRedirect = !(login && this.#wouldLoop(visit, login, query));
    const path = error.remedy === 'sign_in' ? this.#paths.login(visit.pagePath, query) : undefined;
    if (path !== undefined && visit.isPage) visit.visits.reportMissing(visit);
    if (path !== undefined && mayRedirect) leadWindow(visit, path);
    this.#respond(visit, { error, mayRedirect, query });
  }

  /** @returns the error for a request without a login: a navigation right after a sign-in shows that the session was lost. */
  signedOutError(visit: Visit): ClinicianError {
    const lost = visit.isPage && !visit.isSpeculative ? this.lostSession(visit) : undefined;
    return lost ? this.report(lost) : signInRequired();
  }

  /** @returns the error, once, for a signed-out user who has signed in just now. */
  lostSession(visit: Visit): ClinicianError | undefined {
    return visit.login ? undefined : this.#session.detectLoss(visit.req, visit.res);
  }

  /** Reports an error to the operator, who does not see the user's page. */
  report(caught: unknown): ClinicianError {
    const error = asClinicianError(caught);
    if (isOperatorError(error)) this.#events.reportError(error);
    return error;
  }

  /** Responds to an error of this package in a route of the site, and passes other errors on. */
  handle(error: unknown, visit: Visit): void {
    const { res, login } = visit;
    if (res.headersSent !== false || !isClinicianError(error)) {
      visit.next(error);
      return;
    }
    let query: string;
    try {
      query = this.#queryFor(error);
    } catch (mistake) {
      this.handle(mistake, visit);
      return;
    }
    if (!this.#events.hasReported(error)) this.report(error);
    else if (isOperatorError(error)) this.#events.warn(error);
    for (const name of CONTENT_HEADERS) res.removeHeader(name);
    if (this.#isOfSignIn(error, visit)) {
      this.#respond(visit, { error, signIn: { mode: 'page', returnTo: '/' } });
      return;
    }
    const isSignedOut = error.remedy === 'sign_in' && !login && visit.isPage;
    this.refuse(visit, isSignedOut ? this.signedOutError(visit) : error, login, query);
  }

  /** Shows the failed sign-in that is saved in this browser. @returns false without one */
  showSaved(visit: Visit): boolean {
    const failed = this.#savedFailure.read(visit);
    if (failed) this.#showSignIn(visit, failed);
    return failed !== undefined;
  }

  /** Shows what {@link SavedFailure.takeUnread} returns. @returns false if there is nothing */
  showUnread(visit: Visit): boolean {
    const failed = this.#savedFailure.takeUnread(visit);
    if (failed) this.#showSignIn(visit, failed);
    return failed !== undefined;
  }

  showSignedIn(visit: Visit): void {
    sendPage(visit, 200, signedInAlreadyPage(this.#look));
  }

  /** Sends a response, unless it was already sent, for example by a timeout of the site, or is that of a websocket. */
  #respond(visit: Visit, failure: Failure): void {
    const { res } = visit;
    const { error, signIn } = failure;
    // socket.io does not say which error has refused a websocket.
    if (res.headersSent === undefined && !this.#events.hasReported(error))
      this.#events.emit('request_failed', { error });
    if (res.headersSent !== false) visit.next(error);
    else if (!visit.isPage) this.#sendProblem(visit, error);
    else if (!signIn) this.#showRequest(visit, failure);
    else {
      const failed = { ...signIn, error };
      const hasResponse = this.#paths.pathOf(visit) === this.#site.callbackPath && isAuthorizationResponse(visit.query);
      // The page is at a URL without the authorization response (RFC 9700 section 4.2.4).
      if (hasResponse && this.#savedFailure.save(failed, visit)) redirect(visit, this.#site.callbackPath);
      else this.#showSignIn(visit, failed);
    }
  }

  #sendProblem(visit: Visit, error: ClinicianError): void {
    if (visitAgain(visit, this.#paths.inBrowser(visit, visit.returnPath))) return;
    const kind = this.#isSignInRoute(visit) ? 'signIn' : 'request';
    this.#setRetryAfter(visit, error);
    const { isDevelopment } = this.#site;
    const detail = userMessage(error, kind, this.#look.texts, isDevelopment);
    sendProblem(visit, error, detail, isDevelopment ? error.see : undefined);
  }

  #showRequest(visit: Visit, { error, mayRedirect = false, query = '' }: Failure): void {
    const { isDevelopment } = this.#site;
    const isForm = !visit.isRead;
    const { returnPath } = visit;
    const signIn = error.remedy === 'sign_in' ? this.#paths.login(isForm ? '/' : returnPath, query) : undefined;
    if (signIn && isForm) this.#sendPage(visit, error, formNotSentPage(this.#look, error, signIn, isDevelopment));
    else if (signIn && mayRedirect) {
      if (!refuseSpeculation(visit)) redirect(visit, signIn);
    } else {
      const returnTo = this.#paths.inBrowser(visit, returnPath);
      const failed = { kind: 'request', signIn: this.#paths.login(returnTo, query), returnTo, isDevelopment } as const;
      this.#sendPage(visit, error, errorPage(this.#look, error, failed));
    }
  }

  #showSignIn(visit: Visit, { error, returnTo, mode }: FailedSignIn): void {
    if (error.code === 'transaction_missing' && visit.login) {
      this.showSignedIn(visit);
      return;
    }
    const { isDevelopment } = this.#site;
    // It is repeated with the same display: the page that opened a window for it waits for the result.
    const signIn = this.#paths.login(returnTo, this.#modes.queryOf(mode));
    this.#sendPage(visit, error, errorPage(this.#look, error, { kind: 'signIn', signIn, returnTo, isDevelopment }));
  }

  #sendPage(visit: Visit, error: ClinicianError, page: Page): void {
    this.#setRetryAfter(visit, error);
    sendPage(visit, error.status, page);
  }

  /** Sets `Retry-After` in seconds (RFC 9110 section 10.2.3), if the error has the time of a retry. */
  #setRetryAfter({ res }: Visit, { retryAt }: ClinicianError): void {
    if (retryAt === undefined) return;
    const seconds = Math.ceil((retryAt - this.#site.clock.now()) / 1000);
    res.setHeader('Retry-After', String(Math.max(1, seconds)));
  }

  /** @returns what the sign-in must request for an error of the resource API. Throws for a scope that no sign-in requests. */
  #queryFor({ code, scope }: ClinicianError): string {
    if (code !== 'scope_missing' || scope === undefined) return '';
    return scopeQuery(scope, 'the resource API', this.#site);
  }

  #isSignInRoute(visit: Visit): boolean {
    const path = this.#paths.pathOf(visit);
    return path === this.#site.callbackPath || path === this.#site.routes.login;
  }

  /**
   * @returns true for an error of a sign-in: of a route, which `onError` has passed on, of Passport, or of a call of
   * `clinician.login()`. Another redirect to the sign-in could loop.
   */
  #isOfSignIn(error: ClinicianError, visit: Visit): boolean {
    if (this.#isSignInRoute(visit)) return true;
    if (error.remedy === 'sign_in') return error.status !== 401;
    return error.retryable && !visit.login;
  }

  /** @returns true if a redirect to the sign-in would come back: right after a sign-in, or if the login route keeps the user. */
  #wouldLoop(visit: Visit, login: SessionLogin, query: string): boolean {
    const isKept = query === '' && !visit.isFromOwnPage && !visit.visits.hasEnded(login);
    return isKept || this.#site.clock.now() - login.since < RECENT_SIGN_IN_MS;
  }
}

export function signInRequired(): SignInRequiredError {
  return new SignInRequiredError('sign_in_required', 'Sign in as a clinician to continue.');
}

function isOperatorError({ remedy }: ClinicianError): boolean {
  return remedy === 'retry' || remedy === 'investigate' || remedy === 'fix_code';
}
