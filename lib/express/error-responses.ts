import type { ServerResponse } from 'node:http';
import { type ClinicianError, ConfigurationError, isClinicianError, type Remedy } from '../errors.js';
import { deniedPage, failedPage, pendingPage } from '../html/pages.js';
import type { SiteRequest } from '../session/types.js';
import { wantsHTML } from './wants-html.js';

/** What a page of this package may load, and who may frame it: nobody. @internal */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** What an answer to a person points to. @internal */
export interface PageLinks {
  /** Starts a login that comes back to a path; the front page where the site mounts no login route. */
  login(returnTo: string): string;
  stylesheet: string;
  /** What the site is called, for the pages' titles. */
  siteName: string;
  /** The client script. */
  script: string;
  /** False where the site mounts no login route, so that nobody can be sent to one. */
  canLogin: boolean;
}

/** Sends a page of this package: never cached; never framed and without a script, unless its policy says so. */
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

/** Sends somewhere else: 302 after GET, 303 after POST (RFC 9110 section 15.4). */
export function redirect(req: SiteRequest, res: ServerResponse, location: string): void {
  res.statusCode = req.method === 'GET' || req.method === 'HEAD' ? 302 : 303;
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Location', location);
  res.end();
}

/** Answers an API caller (RFC 9457). */
export function sendProblem(res: ServerResponse, error: ClinicianError): void {
  const { code, status, message, retryable } = error;
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Cache-Control', 'no-store');
  res.end(JSON.stringify({ type: 'about:blank', title: title(status), status, code, detail: message, retryable }));
}

/** @returns true for what whoever runs the site should hear of, too. */
export function isOperatorError({ remedy }: ClinicianError): boolean {
  return remedy === 'retry' || remedy === 'investigate' || remedy === 'fix_code';
}

function title(status: number): string {
  if (status === 401) return 'Sign-in required';
  if (status === 403) return 'Not allowed';
  return status === 503 ? 'Unavailable for now' : 'Sign-in failed';
}

/** @returns the page for a sign-in that failed: what happened, in plain words, and the one thing to do. */
export function signInFailedPage(error: ClinicianError, links: PageLinks, returnTo: string): string {
  const shared = { stylesheet: links.stylesheet, siteName: links.siteName, tryAgain: links.login(returnTo) };
  if (error.code === 'session_not_saved') return notKeptPage(error, links, returnTo);
  if (error.remedy === 'tell_user') return deniedPage({ ...shared, reason: error.message });
  // Here the words that go with the remedy would not help: whoever blocks cookies would go round for ever.
  const message = error.code === 'transaction_missing' ? { message: error.message } : {};
  return failedPage({ ...shared, ...message, code: error.code, remedy: error.remedy });
}

const TROUBLE: Readonly<Record<Remedy, { title: string; text: string }>> = {
  sign_in: { title: 'Please sign in once more', text: 'Your sign-in has ended.' },
  tell_user: { title: 'That was not done', text: 'It was refused.' },
  retry: {
    title: 'Please try again in a moment',
    text: 'A service that this site needs is not answering. This usually passes quickly. You are still signed in.',
  },
  investigate: {
    title: 'That did not work',
    text: 'Something was not right with what the service sent, so to be safe this site did not use it.',
  },
  fix_code: {
    title: 'That does not work here right now',
    text: 'This is a problem of this site, not of yours. Please tell the people who run it the code.',
  },
};

/** @returns the page for an answer that was used before, by somebody whom it signed in: the back button, mostly. */
export function signedInAlreadyPage({ stylesheet, siteName }: PageLinks): string {
  const reason = 'This sign-in was finished before, and there is nothing more to do.';
  return deniedPage({ stylesheet, siteName, title: 'You are signed in', reason });
}

/** @returns the page for somebody who signed in and whom the site then forgot. */
function notKeptPage({ code }: ClinicianError, { stylesheet, siteName, login }: PageLinks, returnTo: string): string {
  const reason = `You signed in, and this site then did not remember it. Trying again seldom helps: please tell the people who run this site the code. (Code: ${code})`;
  return deniedPage({
    stylesheet,
    siteName,
    tryAgain: login(returnTo),
    title: 'You are not signed in after all',
    reason,
  });
}

/** @returns the page for somebody who was not signing in: the words are about what they asked for. */
export function errorPage(error: ClinicianError, links: PageLinks, returnTo: string): string {
  const { stylesheet, siteName } = links;
  const signInAgain = { stylesheet, siteName, tryAgain: links.login(returnTo) };
  const { title, text } = TROUBLE[error.remedy];
  switch (error.code) {
    case 'verification_pending':
      return pendingPage({ ...signInAgain, checkAgain: returnTo });
    case 'scope_missing':
      return deniedPage({ ...signInAgain, title: 'This page needs your approval', reason: error.message });
    case 'session_not_saved':
      return notKeptPage(error, links, returnTo);
    default: {
      const reason = error.remedy === 'tell_user' ? error.message : `${text} (Code: ${error.code})`;
      return deniedPage({
        ...(error.remedy === 'sign_in' ? signInAgain : { stylesheet, siteName, tryAgain: returnTo }),
        title,
        reason,
      });
    }
  }
}

/** @returns any error as one of ours, so that every answer has a code and a status. */
export function asClinicianError(error: unknown): ClinicianError {
  if (isClinicianError(error)) return error;
  return new ConfigurationError('site_error', "The site's own code failed during the sign-in.", error);
}

/** The path that a refused request may come back to. */
export function returnPath(req: SiteRequest): string {
  const target = req.originalUrl ?? req.url ?? '/';
  // A request may name a whole URL instead of a path (RFC 9112 section 3.2.2).
  return (req.method === 'GET' || req.method === 'HEAD') && target.startsWith('/') ? target : '/';
}

/** Refuses a guarded request: a person is sent to sign in or shown a page, a script is told by status and code. */
export function sendError(req: SiteRequest, res: ServerResponse, error: ClinicianError, links: PageLinks): void {
  const returnTo = returnPath(req);
  if (!wantsHTML(req)) sendProblem(res, error);
  else if (error.remedy === 'sign_in' && links.canLogin) redirect(req, res, links.login(returnTo));
  else sendPage(res, error.status, errorPage(error, links, returnTo));
}
