import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Cookies } from '../cookies.js';
import type { Events } from '../events.js';
import { redirect, returnPath } from '../express/error-responses.js';
import { wantsHTML } from '../express/wants-html.js';
import type { SiteRequest } from '../session/types.js';
import type { Login } from './login.js';

const PAUSE_SECONDS = 10 * 60;

/** Signs people in who are signed in at the service, without a question; asks each browser once in ten minutes. @internal */
export interface SilentSignIn {
  middleware: RequestHandler;
  /** Leaves this browser alone for a while: it was asked just now, or the person has just signed out. */
  pause(res: ServerResponse): void;
}

export interface SilentSignInOptions {
  cookies: Cookies;
  /** False where the site has no callback to come back to. */
  canAsk: boolean;
  /** Starts a login that asks nothing of the person. @returns where to send them. */
  start(req: SiteRequest, res: ServerResponse, returnTo: string): Promise<string>;
}

/** A page that a person looks at, at an address that it can come back to: not in a frame, not for a script. */
function isPageView(req: SiteRequest): boolean {
  const dest = req.headers['sec-fetch-dest'];
  return req.method === 'GET' && wantsHTML(req) && (dest === undefined || dest === 'document');
}

/** @returns whether a login without a question may be asked for by a link: not from another site's page. */
export function mayAskSilently(req: SiteRequest): boolean {
  const site = req.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Starts a login that asks nothing of the person (OIDC Core section 3.1.2.1, `prompt=none`). */
export async function startSilently(
  { login, events }: { login: Login; events: Events },
  req: SiteRequest,
  res: ServerResponse,
  returnTo: string,
): Promise<string> {
  const url = await login.start(req, res, { prompt: 'none', returnTo, appState: { way: 'silent' } });
  events.emit('sign_in_started');
  return url;
}

export function createSilentSignIn({ cookies, canAsk, start }: SilentSignInOptions): SilentSignIn {
  const probe = cookies.plain('silent');
  const asked = cookies.plain('silent', PAUSE_SECONDS);
  const pause = (res: ServerResponse): void => void asked.set(res, 'asked');

  return {
    pause,
    middleware(req, res, next) {
      const request = req as SiteRequest;
      if (!canAsk || request.session?.clinician || !isPageView(request)) return next();
      if (request.headers.cookie === undefined) {
        // Who keeps no cookies, as crawlers do, would come back from the question as nobody: see first whether this comes back.
        probe.set(res, 'kept');
        return next();
      }
      if (asked.read(request) === 'asked') return next();
      // The cookie before the question: a browser that comes back without an answer is not asked again.
      pause(res);
      start(request, res, returnPath(request)).then(
        (url) => redirect(request, res, url),
        // Nobody was asked, so nobody is shown that it did not work.
        () => next(),
      );
    },
  };
}
