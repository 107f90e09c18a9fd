import type { ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { RequestHandler } from 'express';
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
  secure: boolean;
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

export function createSilentSignIn({ secure, canAsk, start }: SilentSignInOptions): SilentSignIn {
  const name = secure ? '__Host-clinician-silent' : 'clinician-silent';

  function setCookie(res: ServerResponse, value: string, maxAge?: number): void {
    const lasting = maxAge === undefined ? {} : { maxAge };
    const cookie = { name, value, path: '/', httpOnly: true, sameSite: 'lax', secure, ...lasting } as const;
    res.appendHeader('Set-Cookie', stringifySetCookie(cookie));
  }

  const pause = (res: ServerResponse): void => setCookie(res, 'asked', PAUSE_SECONDS);

  return {
    pause,
    middleware(req, res, next) {
      const request = req as SiteRequest;
      const { cookie } = request.headers;
      if (!canAsk || request.session?.clinician || !isPageView(request)) return next();
      if (cookie === undefined) {
        // Who keeps no cookies, as crawlers do, would come back from the question as nobody: see first whether this comes back.
        setCookie(res, 'kept');
        return next();
      }
      if (parseCookie(cookie)[name] === 'asked') return next();
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
