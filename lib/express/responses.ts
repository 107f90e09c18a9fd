import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClinicianError } from '../errors/errors.js';
import { linkTarget } from '../html/escape.js';
import type { Page } from '../html/page.js';
import { type SessionRequest, targetOf } from '../session/site-session.js';
import { isPageFetch, MAX_RETURN_TO_LENGTH } from '../sign-in/same-origin.js';

/**
 * @returns true for a request of a script or of an element, by `Sec-Fetch-Mode`, which scripts cannot set. Browsers do not send it
 * to a site without https.
 */
export function isSubrequest({ headers }: IncomingMessage): boolean {
  return (headers['sec-fetch-mode'] ?? 'navigate') !== 'navigate' || isPageFetch(headers);
}

/**
 * @returns true for a browser's navigation, false for a request of a script, which gets no redirect and no page. Turbo shows the
 * page that responds to a form; see {@link visitAgain} for its links.
 */
export function wantsHTML(req: IncomingMessage): boolean {
  const isTurboForm = 'x-turbo-request-id' in req.headers && !isRead(req);
  if (isSubrequest(req) && !isTurboForm) return false;
  if (req.headers['x-requested-with'] === 'XMLHttpRequest') return false;
  return (req.headers.accept ?? '')
    .split(',')
    .some(
      (range) =>
        /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range),
    );
}

/**
 * @returns true for a page at the top of a window that the user sees, not for a script, and not for a frame:
 * the service allows no authorization request there. False if the browser does not send `Sec-Fetch-Dest`, and for an address
 * that is too long to return to.
 */
export function isPageView(req: SessionRequest): boolean {
  const canReturn = returnPath(req).length <= MAX_RETURN_TO_LENGTH;
  return req.method === 'GET' && req.headers['sec-fetch-dest'] === 'document' && canReturn && wantsHTML(req);
}

/** @returns true for a request that changes nothing. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @returns true for a link or a form with GET that htmx fetches for the whole window. */
function isBoostedLink(req: IncomingMessage): boolean {
  return 'hx-boosted' in req.headers && isRead(req);
}

/** Leads the window of htmx, which would fetch the target of a redirect, to a path of this site. */
export function leadWindow({ headers }: IncomingMessage, res: ServerResponse, path: string): void {
  if ('hx-request' in headers) res.setHeader('HX-Redirect', linkTarget(path));
}

/**
 * Lets a library that has fetched the page of a link, or of a form with GET, request it again as a navigation. htmx receives a header;
 * Turbo a page, because it ignores any other response to a form, and a page with the status of an error. A part of a page is not led.
 * @param path of the request, in the browser @returns true if the response is sent
 */
export function visitAgain(req: IncomingMessage, res: ServerResponse, path: string): boolean {
  if (isBoostedLink(req) && !res.hasHeader('HX-Redirect')) leadWindow(req, res, path);
  if (!('x-turbo-request-id' in req.headers) || 'turbo-frame' in req.headers || !isRead(req)) return false;
  sendPage(res, 200, { html: '<meta name="turbo-visit-control" content="reload">', policy: "default-src 'none'" });
  return true;
}

/**
 * @returns true for a request that a browser, Turbo or htmx sends before the user opens the page: prefetch, prerender, preview.
 * Scripts cannot set `Sec-Purpose`.
 */
export function isSpeculative(req: IncomingMessage): boolean {
  const {
    'sec-purpose': browser,
    'x-sec-purpose': turbo,
    'x-purpose': safari,
    'x-moz': firefox,
    purpose,
  } = req.headers;
  return (
    isRead(req) &&
    ('hx-preloaded' in req.headers ||
      /prefetch|prerender|preview|instant/i.test(`${browser} ${turbo} ${safari} ${firefox} ${purpose}`))
  );
}

/** Starts a response of this package. It is never cached, because it can depend on the user, and may have a session cookie. */
function begin(res: ServerResponse, status: number, contentType?: string): void {
  res.statusCode = status;
  if (contentType !== undefined) res.setHeader('Content-Type', contentType);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Sends a page of this package. */
export function sendPage(res: ServerResponse, status: number, { html, policy, hasForm }: Page): void {
  begin(res, status, 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('X-Frame-Options', policy.includes("frame-ancestors 'self'") ? 'SAMEORIGIN' : 'DENY');
  // With 'no-referrer', a browser sends `Origin: null` with the form, and it would be refused.
  res.setHeader('Referrer-Policy', hasForm ? 'same-origin' : 'no-referrer');
  res.end(html);
}

/** Refuses the method of a request (RFC 9110 section 15.5.6). */
export function refuseMethod(res: ServerResponse, allowed: Iterable<string>): void {
  begin(res, 405);
  res.setHeader('Allow', [...allowed].join(', '));
  res.end();
}

/**
 * Refuses a speculative request, which would start, use up or change something: the browser sends another one when the user opens
 * the page. @returns false for any other request
 */
export function refuseSpeculation(req: IncomingMessage, res: ServerResponse): boolean {
  if (!isSpeculative(req)) return false;
  begin(res, 503);
  // express-session adds its own afterwards: the id that the browser has, or one of a session without a user.
  res.removeHeader('Set-Cookie');
  res.end();
  return true;
}

/** Redirects: 302 after GET, 303 after POST (RFC 9110 section 15.4). */
export function redirect(req: SessionRequest, res: ServerResponse, location: string): void {
  begin(res, isRead(req) ? 302 : 303);
  res.setHeader('Location', location);
  res.end();
}

/** Sends JSON to a script. */
export function sendJSON(res: ServerResponse, body: object): void {
  begin(res, 200, 'application/json');
  res.end(JSON.stringify(body));
}

function titleOf(status: number): string {
  if (status === 401) return 'Sign-in required';
  if (status === 403) return 'Not allowed';
  return status === 503 ? 'Unavailable for now' : 'Sign-in failed';
}

/**
 * Sends an error to a script as a problem document (RFC 9457). `retryAt` is an ISO 8601 time.
 * @param detail what the script may show to its user
 */
export function sendProblem(res: ServerResponse, error: ClinicianError, detail: string): void {
  const { code, status, retryable, retryAt } = error;
  begin(res, status, 'application/problem+json');
  const problem = { type: 'about:blank', title: titleOf(status), status, code, detail, retryable };
  const isKnown = retryAt !== undefined;
  res.end(JSON.stringify({ ...problem, ...(isKnown && { retryAt: new Date(retryAt).toISOString() }) }));
}

/** @returns the path to return to after a sign-in: that of the request, if it is a page. */
export function returnPath(req: SessionRequest): string {
  const target = targetOf(req);
  return isRead(req) && target.startsWith('/') ? target : '/';
}

/** @returns the path of the page that has sent a request, or that htmx requests. @param origin the site's own origin */
export function pagePath(req: SessionRequest, origin: string): string {
  const current = String(req.headers['hx-current-url']);
  if (isBoostedLink(req) || !URL.canParse(current)) return returnPath(req);
  const { origin: from, pathname, search, hash } = new URL(current);
  return from === origin ? pathname + search + hash : '/';
}
