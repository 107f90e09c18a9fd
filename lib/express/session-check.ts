import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { sessionCheckFrame, sessionCheckPage, sessionCheckPolicy } from '../html/session-check-page.js';
import { optionError } from '../options/option-table.js';
import type { ResolvedRoutes } from '../options/routes.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionLogin } from '../session/logins.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import type { Attempts } from '../sign-in/attempts.js';
import { silentCheckOf, silentCheckOptions } from '../sign-in/silent-check.js';
import type { Next } from './http-types.js';
import type { PageLook } from './page-options.js';
import { redirect, refuseSpeculation, returnPath, sendJSON, sendPage } from './responses.js';
import { isPageView, type SilentSignIn } from './silent-sign-in.js';

/** The time between two checks that return no new session_state: a service that fails gets no request at every page view. */
const RETRY_MS = 10 * 60 * 1000;

interface SessionCheckParts {
  server: Pick<AuthorizationServer, 'checkSessionIframe'>;
  attempts: Pick<Attempts, 'start'>;
  loginSession: LoginSession;
  silentSignIn: Pick<SilentSignIn, 'pause'>;
  clock: Clock;
  clientID: string;
  routes: ResolvedRoutes;
  look: Pick<PageLook, 'texts'>;
}

/** Checks the session at the service from the pages of signed-in users (OIDC Session Management 1.0). @internal */
export class SessionCheck {
  readonly #parts: SessionCheckParts;

  constructor(parts: SessionCheckParts) {
    this.#parts = parts;
  }

  /** @returns the frame for a page of the site. Throws if its route is left out. */
  frame(): string {
    const { look, routes } = this.#parts;
    const { sessionCheck: path } = routes;
    if (path !== false) return sessionCheckFrame(path, look.texts);
    throw optionError('routes', 'sessionCheckFrame() needs the route that is left out by routes.sessionCheck: false.');
  }

  /**
   * Sends the page in that frame. For a signed-out user, in the `profile` flow, and anywhere but in a frame of this site, it does
   * nothing: another site cannot see whether the user is signed in.
   */
  async page(req: SessionRequest, res: ServerResponse): Promise<void> {
    const { server, loginSession, clientID, look } = this.#parts;
    const { 'sec-fetch-dest': dest = 'iframe', 'sec-fetch-site': site = 'same-origin' } = req.headers;
    const isFramedHere = dest === 'iframe' && (site === 'same-origin' || site === 'none');
    const sessionState = isFramedHere ? loginSession.find(req)?.sessionState : undefined;
    const checkSessionIframe = sessionState === undefined ? '' : ((await server.checkSessionIframe()) ?? '');
    const { texts } = look;
    const html = sessionCheckPage({ texts, checkSessionIframe, clientID, sessionState });
    sendPage(res, 200, { html, policy: sessionCheckPolicy(checkSessionIframe) });
  }

  /**
   * Records that the session at the service has changed, which that page reports. The response is JSON with the event for the
   * open pages of the site: `session-changed`, or `signed-out` if the login here has ended too.
   *
   * The parameter `first` is a `session_state` that the browser has never found unchanged: the user may have changed since the
   * sign-in, or the browser may block the service's cookies in frames. It starts one check of the login.
   */
  report(req: SessionRequest, res: ServerResponse): void {
    const { loginSession } = this.#parts;
    const current = loginSession.find(req);
    const first = queryOf(req).get('first');
    const mayCheck = current !== undefined && this.#mayCheck(current, first);
    if (mayCheck) loginSession.write(req, { ...current, checkDue: true });
    if (!current) sendJSON(res, { event: 'signed-out' });
    else sendJSON(res, mayCheck ? { event: 'session-changed' } : {});
  }

  /**
   * Checks after a change, at the next page view, which user is signed in at the service: redirects the window with `prompt=none`.
   * The service forbids authorization requests in frames (spec, Authentication 4).
   */
  checkPageView(req: SessionRequest, res: ServerResponse, next: Next): void {
    const current = this.#parts.loginSession.find(req);
    if (!current?.checkDue || !isPageView(req)) {
      next();
      return;
    }
    if (refuseSpeculation(req, res)) return;
    this.#start(req, res, current)
      .then(
        (url) => redirect(req, res, url),
        () => next(),
      )
      .catch(next);
  }

  #mayCheck({ sessionState, checkStartedAt }: SessionLogin, first: string | null): boolean {
    if (sessionState === undefined || this.#parts.clock.now() - (checkStartedAt ?? 0) < RETRY_MS) return false;
    return first === null || (first === sessionState && checkStartedAt === undefined);
  }

  /** Clears the mark before the redirect, so that a browser that returns without a response is not redirected again. */
  async #start(req: SessionRequest, res: ServerResponse, marked: SessionLogin): Promise<string> {
    const { attempts, loginSession, silentSignIn, clock } = this.#parts;
    const { checkDue: _, ...current } = marked;
    await loginSession.save(req, { ...current, checkStartedAt: clock.now() });
    // The check never switches the user: after it has ended the login, no other user is signed in silently.
    silentSignIn.pause(res);
    const options = { ...silentCheckOptions, returnTo: returnPath(req) };
    return await attempts.start(req, res, options, silentCheckOf(current));
  }
}
