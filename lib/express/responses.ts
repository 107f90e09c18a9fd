import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClinicianError } from '../errors/errors.js';
import type { Page } from '../html/page.js';
import { type SessionRequest, targetOf } from '../session/site-session.js';

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

/** Redirects: 302 after GET, 303 after POST (RFC 9110 section 15.4). */
export function redirect(req: SessionRequest, res: ServerResponse, location: string): void {
  begin(res, req.method === 'GET' || req.method === 'HEAD' ? 302 : 303);
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
  return (req.method === 'GET' || req.method === 'HEAD') && target.startsWith('/') ? target : '/';
}
