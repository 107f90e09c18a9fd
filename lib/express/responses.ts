import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import { type ClinicianError, ConfigurationError, isClinicianError } from '../errors.js';
import { errorPage } from '../html/error-pages.js';
import type { SessionRequest } from '../session/site-session.js';
import type { SitePaths } from './site-paths.js';

/** Holds the default Content-Security-Policy of this package's pages: no script, no frame around them. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** @returns true for a request of a script or of an element, by `Sec-Fetch-Mode`, which scripts cannot set. */
export function isSubrequest({ headers }: IncomingMessage): boolean {
  return (headers['sec-fetch-mode'] ?? 'navigate') !== 'navigate';
}

/** @returns true for a browser's navigation, false for a request of a script, which gets no redirect and no page. */
export function wantsHTML(req: IncomingMessage): boolean {
  if (isSubrequest(req)) return false;
  if (req.headers['x-requested-with'] === 'XMLHttpRequest') return false;
  return (req.headers.accept ?? '')
    .split(',')
    .some(
      (range) =>
        /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range),
    );
}

/** Sends a page of this package, never cached. */
export function sendPage(res: ServerResponse, status: number, html: string, policy: string = PAGE_POLICY): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', policy.includes("frame-ancestors 'self'") ? 'SAMEORIGIN' : 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.end(html);
}

/** Refuses the method of a request (RFC 9110 section 15.5.6). */
export function refuseMethod(res: ServerResponse, allowed: Iterable<string>): void {
  res.statusCode = 405;
  res.setHeader('Allow', [...allowed].join(', '));
  res.end();
}

/** Redirects: 302 after GET, 303 after POST (RFC 9110 section 15.4). */
export function redirect(req: SessionRequest, res: ServerResponse, location: string): void {
  res.statusCode = req.method === 'GET' || req.method === 'HEAD' ? 302 : 303;
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Location', location);
  res.end();
}

/** Sends JSON to a script, never cached. */
export function sendJSON(res: ServerResponse, body: object): void {
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Cache-Control', 'no-store');
  res.end(JSON.stringify(body));
}

function titleOf(status: number): string {
  if (status === 401) return 'Sign-in required';
  if (status === 403) return 'Not allowed';
  return status === 503 ? 'Unavailable for now' : 'Sign-in failed';
}

/** Sets `Retry-After` in seconds (RFC 9110 section 10.2.3), where the error has the time of a retry. */
export function setRetryAfter(res: ServerResponse, { retryAt }: ClinicianError, clock: Clock): void {
  if (retryAt === undefined || res.headersSent) return;
  res.setHeader('Retry-After', String(Math.max(1, Math.ceil((retryAt - clock.now()) / 1000))));
}

/** Sends an error to a script as a problem document (RFC 9457). `retryAt` is an ISO 8601 time. */
export function sendProblem(res: ServerResponse, error: ClinicianError): void {
  const { code, status, message, retryable, retryAt } = error;
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Cache-Control', 'no-store');
  const problem = { type: 'about:blank', title: titleOf(status), status, code, detail: message, retryable };
  const isKnown = retryAt !== undefined;
  res.end(JSON.stringify({ ...problem, ...(isKnown && { retryAt: new Date(retryAt).toISOString() }) }));
}

/** @returns the path to return to after a sign-in: that of the request, where it is a page. */
export function returnPath(req: SessionRequest): string {
  const target = req.originalUrl ?? req.url ?? '/';
  // A request may contain a whole URL instead of a path (RFC 9112 section 3.2.2).
  return (req.method === 'GET' || req.method === 'HEAD') && target.startsWith('/') ? target : '/';
}

/** Holds the URLs of the drop-in, and the name of the site, for this package's pages. @internal */
export interface PageLinks extends SitePaths {
  /** @returns the URL that starts a login and returns to a path of the site; the front page where the site mounts no login route. */
  login(returnTo: string): string;
  /** False where the site mounts no login route, so that no request can be redirected to one. */
  canLogin: boolean;
  stylesheet: string;
  clientScript: string;
  siteName: string;
}

/** @returns true for an error that is also reported to the operator of the site. */
export function isOperatorError({ remedy }: ClinicianError): boolean {
  return remedy === 'retry' || remedy === 'investigate' || remedy === 'fix_code';
}

/** @returns an error of this package for any error, so that every response has a code and a status. */
export function asClinicianError(error: unknown): ClinicianError {
  if (isClinicianError(error)) return error;
  return new ConfigurationError('site_error', "The site's own code failed during the sign-in.", { cause: error });
}

/**
 * Refuses a guarded request: a navigation gets a redirect to the login or a page, a script a problem document. Passes the error to
 * `next` where the response was already sent, for example by a timeout of the site.
 */
export function sendError(
  { req, res, next }: { req: SessionRequest; res: ServerResponse; next: (error: unknown) => void },
  error: ClinicianError,
  links: PageLinks,
): void {
  const returnTo = returnPath(req);
  if (res.headersSent) next(error);
  else if (!wantsHTML(req)) sendProblem(res, error);
  else if (error.remedy === 'sign_in' && links.canLogin) redirect(req, res, links.login(returnTo));
  else sendPage(res, error.status, errorPage(error, links, links.inBrowser(req, returnTo)));
}
