import type { ServerResponse } from 'node:http';
import type { Events } from '../events/events.js';
import { detectMissingCall } from '../express/call-checks.js';
import type { Middleware, Next } from '../express/http-types.js';
import type { MountCheck } from '../express/mount-checks.js';
import { isPageView, isSpeculative, redirect, refuseSpeculation, returnPath } from '../express/responses.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import { hasStrictCookie, type SessionRequest, type SiteSession } from '../session/site-session.js';
import type { Attempts } from '../sign-in/attempts.js';
import { otherLoopbackURL } from '../sign-in/callback-host.js';
import { isFromOtherSite } from '../sign-in/same-origin.js';

const PAUSE_SECONDS = 10 * 60;

/** The member of the drop-in for the silent sign-in. */
export interface SilentSignInMembers {
  /**
   * @returns middleware that signs users in silently (`prompt=none`) if they are signed in at the service and have approved this
   * site. Other users remain signed out. A browser is redirected at most once in ten minutes, and not after a sign-out. If it has
   * sent no cookie yet, it is redirected only at its next page, so that crawlers get every page.
   */
  signInSilently(): Middleware;
}

interface SilentSignInParts {
  origin: string;
  attempts: Pick<Attempts, 'start'>;
  callbackURL: string;
  loginSession: Pick<SiteSession, 'hasAny'>;
  mountCheck: Pick<MountCheck, 'reportMissing'>;
  events: Events;
  cookies: Cookies;
}

/** Signs users in silently who are signed in at the service (OIDC Core section 3.1.2.1, `prompt=none`). @internal */
export class SilentSignIn {
  readonly #parts: SilentSignInParts;
  readonly #probe: Cookie;
  readonly #paused: Cookie;

  constructor(parts: SilentSignInParts) {
    this.#parts = parts;
    this.#probe = parts.cookies.plain('silent');
    this.#paused = parts.cookies.plain('silent', PAUSE_SECONDS);
  }

  /** @returns the member of the drop-in. */
  members(): SilentSignInMembers {
    const clinicianSilentSignIn: Middleware = (req, res, next) => this.handle(req, res, next);
    return { signInSilently: detectMissingCall('signInSilently()', () => clinicianSilentSignIn) };
  }

  /** Signs a signed-out user in at a page view, once in ten minutes, and calls `next()` for any other request. */
  handle(req: SessionRequest, res: ServerResponse, next: Next): void {
    const isWebsocket = res.headersSent === undefined;
    if (isWebsocket || !this.#mayStart(req) || !this.#sendsCookies(req, res) || this.#paused.read(req) === 'paused') {
      next();
      return;
    }
    if (refuseSpeculation(req, res)) return;
    this.#parts.mountCheck.reportMissing(req);
    // Set before the redirect: a browser that returns without a response is not redirected again.
    this.pause(res);
    // A silent sign-in shows no error: the user requested nothing.
    this.#start(req, res)
      .then(
        (url) => redirect(req, res, url),
        () => next(),
      )
      .catch(next);
  }

  /** Stops silent sign-ins of this browser for ten minutes. */
  pause(res: ServerResponse): void {
    this.#paused.set(res, 'paused');
  }

  #mayStart(req: SessionRequest): boolean {
    const { loginSession, callbackURL, origin } = this.#parts;
    // Without the session cookie, the site does not know whether the user is signed in.
    const lacksCookie = hasStrictCookie(req) && isFromOtherSite(req, origin);
    const isSignedOut = !loginSession.hasAny(req) && isPageView(req) && !lacksCookie;
    // At another host, the callback would not receive the cookie of the attempt, and would show an error.
    return isSignedOut && otherLoopbackURL(req, callbackURL, returnPath(req)) === undefined;
  }

  /** @returns true for a browser that sends cookies. One that sent none, such as a crawler, could not finish a sign-in. */
  #sendsCookies(req: SessionRequest, res: ServerResponse): boolean {
    if (req.headers.cookie !== undefined) return true;
    if (!isSpeculative(req)) this.#probe.set(res, 'probe');
    return false;
  }

  async #start(req: SessionRequest, res: ServerResponse): Promise<string> {
    const options = { prompt: 'none', returnTo: returnPath(req) };
    const url = await this.#parts.attempts.start(req, res, options, { mode: 'silent' });
    this.#parts.events.emit('sign_in_started');
    return url;
  }
}
