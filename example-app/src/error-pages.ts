import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { type ClinicianError, isClinicianError, type Remedy } from 'passport-clinician';
import type { Show } from './views.js';

interface Problem {
  status: number;
  code: string;
  title: string;
  text: string;
}

const WORDS: Readonly<Record<Remedy, { title: string; text: string }>> = {
  sign_in: { title: 'Please sign in once more', text: 'Your sign-in with the service has ended.' },
  tell_user: { title: 'The service said no', text: 'It did not let this site read what this page shows.' },
  retry: { title: 'The service is not answering', text: 'This usually passes quickly. Please try again in a moment.' },
  investigate: { title: 'That did not work', text: 'The service sent something that this site does not trust.' },
  fix_code: { title: 'That does not work here right now', text: 'This is a problem of this site, not of yours.' },
};

export function signInRequired(): Problem {
  return { status: 401, code: 'sign_in_required', title: 'Sign in first', text: 'Sign in as a clinician to see this.' };
}

/** Answers a script (RFC 9457). */
export function sendProblem(res: Response, { status, code, title, text }: Problem): void {
  res.status(status).type('application/problem+json');
  res.send(JSON.stringify({ type: 'about:blank', title, status, code, detail: text }));
}

function answer(show: Show, req: Request, res: Response, problem: Problem): void {
  if (req.path.startsWith('/api/')) sendProblem(res, problem);
  else show(req, res.status(problem.status), 'problem', { title: problem.title, problem });
}

export function notFound(show: Show): RequestHandler {
  return function notFound(req, res) {
    const title = 'There is no such page';
    answer(show, req, res, { status: 404, code: 'not_found', title, text: 'The address may be misspelled.' });
  };
}

/** Express's own errors carry a status, too: a path that cannot be decoded is a 400. */
function problemOf(error: unknown): Problem {
  if (isClinicianError(error)) {
    const { status, code, remedy } = error as ClinicianError;
    return { status, code, ...WORDS[remedy] };
  }
  const { status } = error as { status?: unknown };
  if (status === 503) return { status, code: 'session_unavailable', ...WORDS.retry };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, code: 'bad_request', title: 'That cannot be answered', text: 'The address may be misspelled.' };
  }
  return { status: 500, code: 'site_error', ...WORDS.fix_code };
}

export function answerError(show: Show): ErrorRequestHandler {
  return function answerError(error, req, res, next) {
    const problem = problemOf(error);
    if (problem.status >= 500) console.error(error);
    if (res.headersSent) next(error);
    else answer(show, req, res, problem);
  };
}
