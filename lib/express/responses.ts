import type { ServerResponse } from 'node:http';
import { denied } from '../errors/denials.js';
import type { ClinicianError } from '../errors/errors.js';
import { linkTarget } from '../html/escape.js';
import type { Page } from '../html/page.js';
import type { Visit } from '../session/visit.js';

/** Starts a response of this package. It is never cached, because it can depend on the user, and may have a session cookie. */
function begin({ res }: Visit, status: number, contentType?: string): ServerResponse {
  res.statusCode = status;
  if (contentType !== undefined) res.setHeader('Content-Type', contentType);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  return res;
}

/** Sends a page of this package. */
export function sendPage(visit: Visit, status: number, { html, policy, hasForm }: Page): void {
  const res = begin(visit, status, 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('X-Frame-Options', policy.includes("frame-ancestors 'self'") ? 'SAMEORIGIN' : 'DENY');
  // With 'no-referrer', a browser sends `Origin: null` with the form, and it would be refused.
  res.setHeader('Referrer-Policy', hasForm ? 'same-origin' : 'no-referrer');
  res.end(html);
}

/** Redirects: 302 after GET, 303 after POST (RFC 9110 section 15.4). */
export function redirect(visit: Visit, location: string): void {
  const res = begin(visit, visit.isRead ? 302 : 303);
  res.setHeader('Location', location);
  res.end();
}

export function sendJSON(visit: Visit, body: object): void {
  begin(visit, 200, 'application/json').end(JSON.stringify(body));
}

export function refuseMethod(visit: Visit, allowed: Iterable<string>): void {
  const res = begin(visit, 405);
  res.setHeader('Allow', [...allowed].join(', '));
  res.end();
}

/**
 * Refuses a speculative request, which would start, use up or change something: the browser sends another one when the user opens
 * the page. @returns false for any other request
 */
export function refuseSpeculation(visit: Visit): boolean {
  if (!visit.isSpeculative) return false;
  const res = begin(visit, 503);
  // express-session adds its own afterwards: the id that the browser has, or one of a session without a user.
  res.removeHeader('Set-Cookie');
  res.end();
  return true;
}

/** Throws a `DeniedError` `cross_site_request` for a request that no page of this origin made. */
export function assertSameOrigin(visit: Visit): void {
  if (visit.isSameOrigin) return;
  // Reads the body, so that the connection can be used for the next request.
  visit.req.resume();
  throw denied('cross_site_request');
}

/** Leads the window of htmx, which would fetch the target of a redirect, to a path of this site. */
export function leadWindow({ req, res }: Visit, path: string): void {
  if ('hx-request' in req.headers) res.setHeader('HX-Redirect', linkTarget(path));
}

/**
 * Lets a library that has fetched the page of a link, or of a form with GET, request it again as a navigation. htmx receives a header;
 * Turbo a page, because it ignores any other response to a form, and a page with the status of an error. A part of a page is not led.
 * @param path of the request, in the browser @returns true if the response is sent
 */
export function visitAgain(visit: Visit, path: string): boolean {
  const { headers } = visit.req;
  if (visit.isBoostedLink && !visit.res.hasHeader('HX-Redirect')) leadWindow(visit, path);
  if (!('x-turbo-request-id' in headers) || 'turbo-frame' in headers || !visit.isRead) return false;
  sendPage(visit, 200, { html: '<meta name="turbo-visit-control" content="reload">', policy: "default-src 'none'" });
  return true;
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
export function sendProblem(visit: Visit, error: ClinicianError, detail: string, see?: string): void {
  const { code, status, retryable, retryAt } = error;
  const problem = { type: 'about:blank', title: titleOf(status), status, code, detail, see, retryable };
  const isKnown = retryAt !== undefined;
  const body = JSON.stringify({ ...problem, ...(isKnown && { retryAt: new Date(retryAt).toISOString() }) });
  begin(visit, status, 'application/problem+json').end(body);
}
