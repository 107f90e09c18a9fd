import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { type ClinicianError, isClinicianError, type Remedy } from 'passport-clinician';
import { logError } from './log.js';
import type { Show } from './views.js';

interface Problem {
  status: number;
  code: string;
  title: string;
  text: string;
  /** Milliseconds since the Unix epoch. */
  retryAt?: number | undefined;
}

const TEXTS: Readonly<Record<Remedy, { title: string; text: string }>> = {
  sign_in: { title: 'Please sign in again', text: 'Your sign-in with the service has ended.' },
  tell_user: { title: 'Access denied', text: 'The service did not allow this site to read the data for this page.' },
  retry: { title: 'The service is unavailable', text: 'This usually passes quickly. Please try again in a moment.' },
  investigate: {
    title: 'The page cannot be shown',
    text: 'The service sent an invalid response. Please try again later.',
  },
  fix_code: { title: 'This page is not working', text: 'This site has a problem. You did nothing wrong.' },
};

export function signInRequired(): Problem {
  return { status: 401, code: 'sign_in_required', title: 'Sign in first', text: 'Sign in as a clinician to continue.' };
}

/** Sends a problem document (RFC 9457). */
export function sendProblem(res: Response, { status, code, title, text }: Problem): void {
  res.status(status).type('application/problem+json');
  res.send(JSON.stringify({ type: 'about:blank', title, status, code, detail: text }));
}

function sendError(show: Show, req: Request, res: Response, problem: Problem): void {
  const { retryAt } = problem;
  if (retryAt !== undefined) res.set('Retry-After', String(Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))));
  if (req.path.startsWith('/api/')) sendProblem(res, problem);
  else {
    const canRetry = problem.status === 503 && req.method === 'GET';
    show(req, res.status(problem.status), 'problem', { title: problem.title, problem, canRetry });
  }
}

export function notFound(show: Show): RequestHandler {
  return function notFound(req, res) {
    const title = 'Page not found';
    sendError(show, req, res, { status: 404, code: 'not_found', title, text: 'Check the address.' });
  };
}

/** Express's own errors have a status: a path that cannot be decoded is a 400. */
function problemOf(error: unknown): Problem {
  if (isClinicianError(error)) {
    const { status, code, remedy, retryAt } = error as ClinicianError;
    return { status, code, retryAt, ...TEXTS[remedy] };
  }
  const { status } = error as { status?: unknown };
  if (status === 503) return { status, code: 'session_unavailable', ...TEXTS.retry };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, code: 'bad_request', title: 'Invalid request', text: 'Check the address.' };
  }
  return { status: 500, code: 'site_error', ...TEXTS.fix_code };
}

export function errorPages(show: Show): ErrorRequestHandler {
  return function errorPages(error, req, res, next) {
    const problem = problemOf(error);
    // The log of the stores has a line for each outage.
    const isLogged = problem.status < 500 || problem.code === 'session_unavailable' || res.locals.isLogged === true;
    if (!isLogged) logError(error);
    if (res.headersSent) next(error);
    else sendError(show, req, res, problem);
  };
}
