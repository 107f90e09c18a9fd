import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { ClinicianError } from '../errors.js';
import clientScript from '../html/browser/client.js?text';
import styles from '../html/browser/styles.css?text';
import type { SiteRequest } from '../session/site-request.js';

/** Holds the default Content-Security-Policy of this package's pages: no script, no frame around them. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** @returns true for a browser's navigation, false for a request of a script, which gets no redirect and no page. */
export function wantsHTML(req: IncomingMessage): boolean {
  const mode = req.headers['sec-fetch-mode'];
  if (mode !== undefined && mode !== 'navigate') return false;
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

/** Redirects: 302 after GET, 303 after POST (RFC 9110 section 15.4). */
export function redirect(req: SiteRequest, res: ServerResponse, location: string): void {
  res.statusCode = req.method === 'GET' || req.method === 'HEAD' ? 302 : 303;
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Location', location);
  res.end();
}

function titleOf(status: number): string {
  if (status === 401) return 'Sign-in required';
  if (status === 403) return 'Not allowed';
  return status === 503 ? 'Unavailable for now' : 'Sign-in failed';
}

/** Sends an error to a script as a problem document (RFC 9457). */
export function sendProblem(res: ServerResponse, error: ClinicianError): void {
  const { code, status, message, retryable } = error;
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Cache-Control', 'no-store');
  res.end(JSON.stringify({ type: 'about:blank', title: titleOf(status), status, code, detail: message, retryable }));
}

type StaticFileHandler = (req: SiteRequest, res: ServerResponse) => void;

/** @returns a handler that sends a text that never changes while the process runs. */
function staticFile(contentType: string, text: string): StaticFileHandler {
  const body = Buffer.from(text);
  return function clinicianStaticFile(_req, res) {
    res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
    res.setHeader('Cache-Control', 'public, max-age=3600');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.end(body);
  };
}

/** Sends the style sheet of the button and the pages. */
export const sendStyles: StaticFileHandler = staticFile('text/css', styles);
/** Sends the client script. */
export const sendScript: StaticFileHandler = staticFile('text/javascript', clientScript);

/** @returns the path of the whole URL, wherever the middleware is mounted. */
export function pathOf({ baseUrl, path }: Pick<Request, 'baseUrl' | 'path'>): string {
  return (baseUrl ?? '') + path;
}

/** @returns the path to return to after a sign-in: that of the request, where it is a page. */
export function returnPath(req: SiteRequest): string {
  const target = req.originalUrl ?? req.url ?? '/';
  // A request may contain a whole URL instead of a path (RFC 9112 section 3.2.2).
  return (req.method === 'GET' || req.method === 'HEAD') && target.startsWith('/') ? target : '/';
}
