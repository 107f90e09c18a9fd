import { detectMissingCall } from '../express/call-checks.js';
import type { Middleware } from '../express/http-types.js';
import { redirect, refuseSpeculation } from '../express/responses.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import { hasStrictCookie } from '../session/site-session.js';
import type { Visit, Visits } from '../session/visit.js';
import type { Attempts } from '../sign-in/attempts.js';
import { otherLoopbackURL } from '../sign-in/callback-host.js';

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

/** Signs users in silently who are signed in at the service (OIDC Core section 3.1.2.1, `prompt=none`). @internal */
export class SilentSignIn {
  readonly #visits: Visits;
  readonly #attempts: Pick<Attempts, 'start'>;
  readonly #probe: Cookie;
  readonly #paused: Cookie;

  constructor(visits: Visits, attempts: Pick<Attempts, 'start'>, cookies: Pick<Cookies, 'plain'>) {
    this.#visits = visits;
    this.#attempts = attempts;
    this.#probe = cookies.plain('silent');
    this.#paused = cookies.plain('silent', PAUSE_SECONDS);
  }

  members(): SilentSignInMembers {
    const clinicianSilentSignIn: Middleware = (req, res, next) => this.handle(this.#visits.of(req, res, next));
    return { signInSilently: detectMissingCall(this.#visits, 'signInSilently()', () => clinicianSilentSignIn) };
  }

  /** Signs a signed-out user in at a page view, once in ten minutes, and calls `next()` for any other request. */
  handle(visit: Visit): void {
    const { req, res, next } = visit;
    const isWebsocket = res.headersSent === undefined;
    if (isWebsocket || !this.#mayStart(visit) || !this.#sendsCookies(visit) || this.#paused.read(req) === 'paused') {
      next();
      return;
    }
    if (refuseSpeculation(visit)) return;
    this.#visits.reportMissing(visit);
    // Set before the redirect: a browser that returns without a response is not redirected again.
    this.pause(visit);
    // A silent sign-in shows no error: the user requested nothing.
    this.#attempts
      .start(visit, { prompt: 'none', returnTo: visit.returnPath }, { mode: 'silent' })
      .then(
        (url) => redirect(visit, url),
        () => next(),
      )
      .catch(next);
  }

  /** Stops silent sign-ins of this browser for ten minutes. */
  pause({ res }: Visit): void {
    this.#paused.set(res, 'paused');
  }

  #mayStart(visit: Visit): boolean {
    const { req } = visit;
    // Without the session cookie, the site does not know whether the user is signed in.
    const lacksCookie = hasStrictCookie(req) && visit.isFromOtherSite;
    // Nor a user who is signed in with another instance.
    const isSignedOut = req.session?.clinician === undefined && visit.isPageView && !lacksCookie;
    // At another host, the callback would not receive the cookie of the attempt, and would show an error.
    return isSignedOut && otherLoopbackURL(visit, visit.returnPath) === undefined;
  }

  /** @returns true for a browser that sends cookies. One that sent none, such as a crawler, could not finish a sign-in. */
  #sendsCookies(visit: Visit): boolean {
    if (visit.req.headers.cookie !== undefined) return true;
    if (!visit.isSpeculative) this.#probe.set(visit.res, 'probe');
    return false;
  }
}
