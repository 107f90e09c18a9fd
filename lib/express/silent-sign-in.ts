import type { ServerResponse } from 'node:http';
import type { Cookies } from '../cookies.js';
import type { Events } from '../events.js';
import type { LoginSession } from '../session/login-session.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import type { Attempts } from '../sign-in/attempts.js';
import type { CallbackHost } from '../sign-in/callback-host.js';
import { maxReturnToLength } from '../sign-in/return-to.js';
import { lacksStrictCookie } from './callback-route.js';
import type { Middleware } from './http-types.js';
import { redirect, returnPath, wantsHTML } from './responses.js';

const PAUSE_SECONDS = 10 * 60;

/** Signs users in silently who are signed in at the service (OIDC Core section 3.1.2.1, `prompt=none`). @internal */
export interface SilentSignIn {
  middleware: Middleware;
  /** Stops silent sign-ins of this browser for ten minutes. */
  pause(res: ServerResponse): void;
}

/**
 * @returns true for a page at the top of a window that the user sees, not for a script or a prefetched page, and not for a frame:
 * the service allows no authorization request there. False where the browser does not send `Sec-Fetch-Dest`, and for an address
 * that is too long to return to.
 */
export function isPageView(req: SessionRequest, origin: string): boolean {
  const { 'sec-fetch-dest': dest, 'sec-purpose': purpose } = req.headers;
  const canReturn = returnPath(req).length <= maxReturnToLength(req, origin);
  return req.method === 'GET' && dest === 'document' && purpose === undefined && canReturn && wantsHTML(req);
}

export function createSilentSignIn(options: {
  origin: string;
  attempts: Pick<Attempts, 'start'>;
  callbackHost: Pick<CallbackHost, 'isOther'>;
  loginSession: LoginSession;
  events: Events;
  cookies: Cookies;
}): SilentSignIn {
  const { origin, attempts, callbackHost, loginSession, events, cookies } = options;
  const probe = cookies.plain('silent');
  const paused = cookies.plain('silent', PAUSE_SECONDS);

  const pause = (res: ServerResponse): void => void paused.set(res, 'paused');

  async function start(req: SessionRequest, res: ServerResponse): Promise<string> {
    const options = { prompt: 'none', returnTo: returnPath(req) };
    const url = await attempts.start(req, res, options, { mode: 'silent', owner: 'drop-in' });
    events.emit('sign_in_started');
    return url;
  }

  /** @returns true for a browser that sends cookies. One that sent none, such as a crawler, could not finish a sign-in. */
  function sendsCookies(req: SessionRequest, res: ServerResponse): boolean {
    if (req.headers.cookie !== undefined) return true;
    probe.set(res, 'probe');
    return false;
  }

  const middleware: Middleware = function clinicianSilentSignIn(req, res, next) {
    // Without the session cookie, the site does not know whether the user is signed in.
    const mayStart = !loginSession.find(req) && isPageView(req, origin) && !lacksStrictCookie(req, queryOf(req));
    // The callback would not receive the cookie of the attempt, and would show an error.
    if (!mayStart || callbackHost.isOther(req) || !sendsCookies(req, res) || paused.read(req) === 'paused')
      return next();
    // Set before the redirect: a browser that returns without a response is not redirected again.
    pause(res);
    // A silent sign-in shows no error: the user requested nothing.
    start(req, res)
      .then(
        (url) => redirect(req, res, url),
        () => next(),
      )
      .catch(next);
  };

  return { middleware, pause };
}
