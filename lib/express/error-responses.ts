import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import { asClinicianError, type ClinicianError, isClinicianError, SignInRequiredError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { errorPage, formNotSentPage, userMessage } from '../html/error-pages.js';
import type { Page, PageLook } from '../html/page.js';
import { signedInAlreadyPage } from '../html/pages.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import { queryOf, type SessionRequest, type SiteSession } from '../session/site-session.js';
import { isAuthorizationResponse } from '../sign-in/attempts.js';
import { type SiteScope, scopeQuery } from '../sign-in/login-request.js';
import { isFromOwnPage } from '../sign-in/same-origin.js';
import type { LoginDisplays, SignInTarget } from '../sign-in/sign-in.js';
import type { ErrorHandler, Exchange, ExpressRequest, ExpressResponse, Next } from './http-types.js';
import type { MountCheck } from './mount-checks.js';
import type { SitePaths } from './paths.js';
import {
  isRead,
  isSpeculative,
  leadWindow,
  pagePath,
  redirect,
  refuseSpeculation,
  returnPath,
  sendPage,
  sendProblem,
  visitAgain,
  wantsHTML,
} from './responses.js';
import type { FailedSignIn, SavedFailure } from './saved-failure.js';

interface ErrorResponsesParts extends SiteScope {
  origin: string;
  loginPath: string | false;
  callbackPath: string;
  look: PageLook;
  paths: SitePaths;
  displays: LoginDisplays;
  savedFailure: SavedFailure;
  loginSession: Pick<SiteSession, 'detectLoss' | 'find'>;
  logins: Pick<Logins, 'hasEnded'>;
  mountCheck: Pick<MountCheck, 'reportMissing'>;
  events: Events;
  clock: Clock;
  onError: ErrorHandler | undefined;
  isDevelopment: boolean;
}

/** Responds to a navigation whose request has failed: by a page, or a redirect. */
type Show = (error: ClinicianError) => void;

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
 * Responds to errors: of the drop-in's routes, of guards and of the site's routes. A script gets a problem document; a
 * navigation gets a page, or a redirect to the sign-in if another login helps. @internal
 */
export class ErrorResponses {
  readonly #parts: ErrorResponsesParts;

  constructor(parts: ErrorResponsesParts) {
    this.#parts = parts;
  }

  /** Responds to an error of a sign-in, in a route of the drop-in. */
  failSignIn(caught: unknown, target: SignInTarget, exchange: Exchange): Promise<void> {
    return this.#fail('sign_in_failed', caught, exchange, this.#signInPage(target, exchange));
  }

  /** Responds to an error of any other route of the drop-in. */
  fail(caught: unknown, exchange: Exchange): Promise<void> {
    return this.#fail('request_failed', caught, exchange, this.#requestPage(exchange, false, ''));
  }

  /**
   * Refuses a request. A page view without a sufficient login is redirected to the sign-in, except right after a sign-in: that
   * would loop. A form gets a page: a redirect would lose its data. @param login the login that is refused
   * @param query what the sign-in must request, as the end of a query
   */
  refuse(exchange: Exchange, error: ClinicianError, login?: SessionLogin, query = ''): void {
    const { loginPath, mountCheck, paths, origin } = this.#parts;
    const { req, res } = exchange;
    const mayRedirect = !(login && this.#wouldLoop(req, login, query));
    const isSentToLogin = loginPath && error.remedy === 'sign_in' && wantsHTML(req);
    if (isSentToLogin) mountCheck.reportMissing(req);
    const signIn = error.remedy === 'sign_in' && mayRedirect && paths.login(pagePath(req, origin), query);
    if (signIn) leadWindow(req, res, signIn);
    this.#send(error, exchange, this.#requestPage(exchange, mayRedirect, query));
  }

  /** @returns the error for a request without a login: a navigation right after a sign-in shows that the session was lost. */
  signedOutError(req: SessionRequest, res: ServerResponse): ClinicianError {
    const loss = wantsHTML(req) && !isSpeculative(req) && this.#parts.loginSession.detectLoss(req, res);
    return loss ? this.report(loss) : signInRequired();
  }

  /** Reports an error to the operator, who does not see the user's page. @returns it as an error of this package. */
  report(caught: unknown): ClinicianError {
    const { events } = this.#parts;
    const error = asClinicianError(caught);
    if (isOperatorError(error)) events.reportError(error);
    return error;
  }

  /** @returns true for a request of exactly the login route or the callback. */
  isSignInRoute(req: SessionRequest): boolean {
    const { paths, callbackPath, loginPath } = this.#parts;
    const path = paths.pathOf(req);
    return path === callbackPath || path === loginPath;
  }

  /** Responds to an error of this package in a route of the site, and passes other errors on. */
  handle(error: unknown, req: SessionRequest, res: ServerResponse, next: Next): void {
    if (res.headersSent !== false || !isClinicianError(error)) {
      next(error);
      return;
    }
    let query: string;
    try {
      query = this.#queryFor(error);
    } catch (mistake) {
      this.handle(mistake, req, res, next);
      return;
    }
    const { events, loginSession } = this.#parts;
    if (!events.hasReported(error)) this.report(error);
    else if (isOperatorError(error)) events.warn(error);
    for (const name of CONTENT_HEADERS) res.removeHeader(name);
    const exchange = { req, res, next };
    const login = loginSession.find(req);
    if (this.#isOfSignIn(error, req, login)) {
      this.#send(error, exchange, this.#signInPage({ mode: 'page', returnTo: '/' }, exchange));
      return;
    }
    const isSignedOut = error.remedy === 'sign_in' && !login && wantsHTML(req);
    this.refuse(exchange, isSignedOut ? this.signedOutError(req, res) : error, login, query);
  }

  /** Shows the failed sign-in that is saved in this browser. @returns false if there is none. */
  showSaved(req: SessionRequest, res: ServerResponse): boolean {
    const failed = this.#parts.savedFailure.read(req);
    if (failed) this.#showFailed(failed, req, res);
    return failed !== undefined;
  }

  /** Shows what {@link SavedFailure.takeUnread} returns. @returns false if there is nothing */
  showUnread(req: SessionRequest, res: ServerResponse): boolean {
    const { savedFailure, origin } = this.#parts;
    const failed = savedFailure.takeUnread(req, res, origin);
    if (failed) this.#showFailed(failed, req, res);
    return failed !== undefined;
  }

  /** Reports the error, and responds if there is no response yet, unless `onError` does. */
  async #fail(
    event: 'sign_in_failed' | 'request_failed',
    caught: unknown,
    exchange: Exchange,
    show: Show,
  ): Promise<void> {
    const { events, onError } = this.#parts;
    const { req, res, next } = exchange;
    const error = asClinicianError(caught);
    events.emit(event, { error });
    // Only the user sees the page: the operator gets a warning, unless the site handles its errors.
    if (!onError && isOperatorError(error)) events.warn(error);
    if (res.headersSent) return next(caught);
    if (!onError) return this.#send(error, exchange, show);
    await onError(error, req as ExpressRequest, res as ExpressResponse, (passedOn) =>
      passedOn === undefined ? this.#send(error, exchange, show) : next(passedOn),
    );
  }

  /** @returns what the sign-in must request for an error of the resource API. Throws for a scope that no sign-in requests. */
  #queryFor({ code, scope }: ClinicianError): string {
    if (code !== 'scope_missing' || scope === undefined) return '';
    return scopeQuery(scope, 'the resource API', this.#parts);
  }

  /**
   * @returns true for an error of a sign-in: of a route, which `onError` has passed on, of Passport, or of a call of
   * `clinician.login()`. Another redirect to the sign-in could loop.
   */
  #isOfSignIn(error: ClinicianError, req: SessionRequest, login: SessionLogin | undefined): boolean {
    if (this.isSignInRoute(req)) return true;
    if (error.remedy === 'sign_in') return error.status !== 401;
    return error.retryable && !login;
  }

  /** @returns true if a redirect to the sign-in would come back: right after a sign-in, or if the login route keeps the user. */
  #wouldLoop(req: SessionRequest, login: SessionLogin, query: string): boolean {
    const { origin, logins, clock } = this.#parts;
    const isKept = query === '' && !isFromOwnPage(req, origin) && !logins.hasEnded(login);
    return isKept || clock.now() - login.since < RECENT_SIGN_IN_MS;
  }

  /** Sends a response, unless it was already sent, for example by a timeout of the site, or is that of a websocket. */
  #send(error: ClinicianError, { req, res, next }: Exchange, show: Show): void {
    const { events, look, paths, isDevelopment } = this.#parts;
    // socket.io does not say which error has refused a websocket.
    if (res.headersSent === undefined && !events.hasReported(error)) events.emit('request_failed', { error });
    if (res.headersSent !== false) next(error);
    else if (wantsHTML(req)) show(error);
    else if (!visitAgain(req, res, paths.inBrowser(req, returnPath(req)))) {
      this.#setRetryAfter(res, error);
      const kind = this.isSignInRoute(req) ? 'signIn' : 'request';
      sendProblem(res, error, userMessage(error, kind, look.texts, isDevelopment));
    }
  }

  #signInPage(target: SignInTarget, { req, res }: Exchange): Show {
    const { paths, callbackPath, savedFailure } = this.#parts;
    return (error) => {
      const failed = { ...target, error };
      const hasResponse = paths.pathOf(req) === callbackPath && isAuthorizationResponse(queryOf(req));
      if (hasResponse && savedFailure.save(failed, req, res)) redirect(req, res, callbackPath);
      else this.#showFailed(failed, req, res);
    };
  }

  #requestPage({ req, res }: Exchange, mayRedirect: boolean, query: string): Show {
    const { look, paths, isDevelopment } = this.#parts;
    return (error) => {
      const isSignIn = error.remedy === 'sign_in';
      const isForm = !isRead(req);
      const signIn = isSignIn ? paths.login(isForm ? '/' : returnPath(req), query) : undefined;
      if (signIn && isForm) this.#sendPage(res, error, formNotSentPage(look, error, signIn, isDevelopment));
      else if (signIn && mayRedirect) {
        if (!refuseSpeculation(req, res)) redirect(req, res, signIn);
      } else {
        const returnTo = paths.inBrowser(req, returnPath(req));
        const failed = { kind: 'request', signIn: paths.login(returnTo, query), returnTo, isDevelopment } as const;
        this.#sendPage(res, error, errorPage(look, error, failed));
      }
    };
  }

  #showFailed({ error, returnTo, mode }: FailedSignIn, req: SessionRequest, res: ServerResponse): void {
    const { look, paths, loginSession, displays, isDevelopment } = this.#parts;
    if (error.code === 'transaction_missing' && loginSession.find(req)) {
      sendPage(res, 200, signedInAlreadyPage(look));
      return;
    }
    // It is repeated with the same display: the page that opened a window for it waits for the result.
    const display = displays[mode] ? `&display=${mode}` : '';
    const signIn = paths.login(returnTo, display);
    this.#sendPage(res, error, errorPage(look, error, { kind: 'signIn', signIn, returnTo, isDevelopment }));
  }

  #sendPage(res: ServerResponse, error: ClinicianError, page: Page): void {
    this.#setRetryAfter(res, error);
    sendPage(res, error.status, page);
  }

  /** Sets `Retry-After` in seconds (RFC 9110 section 10.2.3), if the error has the time of a retry. */
  #setRetryAfter(res: ServerResponse, { retryAt }: ClinicianError): void {
    if (retryAt === undefined) return;
    const seconds = Math.ceil((retryAt - this.#parts.clock.now()) / 1000);
    res.setHeader('Retry-After', String(Math.max(1, seconds)));
  }
}

export function signInRequired(): SignInRequiredError {
  return new SignInRequiredError('sign_in_required', 'Sign in as a clinician to continue.');
}

/** @returns true for an error that is also reported to the operator of the site. */
function isOperatorError({ remedy }: ClinicianError): boolean {
  return remedy === 'retry' || remedy === 'investigate' || remedy === 'fix_code';
}
