import { type ClinicianError, isClinicianError } from '../errors.js';
import type { Events } from '../events.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Exchange, Failures } from './failures.js';
import type { ErrorMiddleware } from './http-types.js';
import type { RequestErrors } from './request-errors.js';
import { isOperatorError, type PageLinks, wantsHTML } from './responses.js';

/** The headers of the response that the route has prepared: they do not describe the response to the error. */
const CONTENT_HEADERS = [
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Range',
  'ETag',
  'Last-Modified',
];

/** @returns middleware that responds to errors of this package in the routes of the site, and passes other errors on. */
export function createErrorHandler(options: {
  loginPath: string | false;
  callbackPath: string;
  links: Pick<PageLinks, 'pathOf'>;
  loginSession: LoginSession;
  requestErrors: RequestErrors;
  failures: Failures;
  events: Events;
}): ErrorMiddleware {
  const { loginPath, callbackPath, links, loginSession, requestErrors, failures, events } = options;

  /**
   * Returns true for an error of a sign-in: of this package's routes, which `onError` has passed on, of Passport, or of a call of
   * `clinician.login()`. Another redirect to the sign-in could loop.
   */
  function isOfSignIn(error: ClinicianError, req: SessionRequest): boolean {
    const path = links.pathOf(req);
    if (failures.hasFailed(req) || path === callbackPath || path === loginPath) return true;
    if (error.remedy === 'sign_in') return error.status !== 401;
    return error.retryable && !loginSession.find(req);
  }

  function report(error: ClinicianError, req: SessionRequest): void {
    if (events.hasReported(error)) {
      // `onError` has received it.
      if (!failures.hasFailed(req) && isOperatorError(error)) events.warn(error);
    } else requestErrors.report(error);
  }

  /** A page that a user views leads to the sign-in as a guard does. Other methods get a page: a sign-in would lose their data. */
  async function respond(error: ClinicianError, exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    if (isOfSignIn(error, req)) return failures.showPassedOn(error, exchange);
    if (req.method !== 'GET' && req.method !== 'HEAD') return requestErrors.sendPage(exchange, error);
    const login = loginSession.find(req);
    const isSignedOut = error.remedy === 'sign_in' && !login && wantsHTML(req);
    requestErrors.send(exchange, isSignedOut ? await requestErrors.signedOutError(req, res) : error, login);
  }

  return function clinicianErrorHandler(error, req, res, next) {
    if (res.headersSent || !isClinicianError(error)) return next(error);
    report(error, req);
    for (const name of CONTENT_HEADERS) res.removeHeader(name);
    respond(error, { req, res, next }).catch(next);
  };
}
