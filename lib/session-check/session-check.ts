import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { redirect, refuseSpeculation, sendJSON, sendPage } from '../express/responses.js';
import type { RouteHandler, RouteRow } from '../express/router.js';
import type { PageLook } from '../html/page.js';
import type { CompleteTexts } from '../html/texts.js';
import { optionError } from '../options/option-table.js';
import type { Site } from '../options/site.js';
import type { SessionLogin } from '../session/logins.js';
import type { SiteSession } from '../session/site-session.js';
import type { Visit } from '../session/visit.js';
import { sessionCheckFrame, sessionCheckPage } from './session-check-page.js';
import type { SilentCheck } from './silent-check.js';

/** The member of the drop-in for the session check. */
export interface SessionCheckMembers {
  /**
   * @returns a hidden frame that checks the session at the service (OIDC Session Management 1.0), for pages of signed-in users.
   * When that session changes, the document receives the event `clinician:session-changed`. At the next navigation, this
   * middleware checks with `prompt=none` which user is signed in at the service. If it is the same user, the login continues;
   * otherwise it ends. POST requests and requests of scripts are not redirected. When the login has ended, other open pages
   * receive `clinician:signed-out` and are reloaded, unless the event is cancelled. Does nothing in the `profile` flow. A browser
   * that blocks third-party cookies is redirected once for each login.
   */
  sessionCheckFrame(): string;
}

/** The time between two checks that return no new session_state: a service that fails gets no request at every page view. */
const RETRY_MS = 10 * 60 * 1000;

/** Checks the session at the service from the pages of signed-in users (OIDC Session Management 1.0). @internal */
export class SessionCheck {
  readonly #site: Site;
  readonly #texts: CompleteTexts;
  readonly #server: AuthorizationServer;
  readonly #session: SiteSession;
  readonly #silentCheck: SilentCheck;
  readonly #silentSignIn: { pause(visit: Visit): void };

  constructor(from: {
    site: Site;
    look: PageLook;
    server: AuthorizationServer;
    session: SiteSession;
    silentCheck: SilentCheck;
    silentSignIn: { pause(visit: Visit): void };
  }) {
    this.#site = from.site;
    this.#texts = from.look.texts;
    this.#server = from.server;
    this.#session = from.session;
    this.#silentCheck = from.silentCheck;
    this.#silentSignIn = from.silentSignIn;
  }

  members(): SessionCheckMembers {
    return { sessionCheckFrame: () => this.#frame() };
  }

  routes(): RouteRow[] {
    const path = this.#site.routes.sessionCheck;
    return [
      [path, 'GET', (visit) => this.page(visit)],
      [path, 'POST', (visit) => this.report(visit), 'same origin'],
    ];
  }

  #frame(): string {
    const path = this.#site.routes.sessionCheck;
    if (path !== false) return sessionCheckFrame(path, this.#texts);
    throw optionError(
      'routes.sessionCheck',
      'sessionCheckFrame() needs the route that routes.sessionCheck: false leaves out.',
    );
  }

  /**
   * Sends the page in that frame. For a signed-out user, in the `profile` flow, and anywhere but in a frame of this site, it does
   * nothing: another site cannot see whether the user is signed in.
   */
  async page(visit: Visit): Promise<void> {
    const { 'sec-fetch-dest': dest = 'iframe', 'sec-fetch-site': site = 'same-origin' } = visit.req.headers;
    const isFramedHere = dest === 'iframe' && (site === 'same-origin' || site === 'none');
    const sessionState = isFramedHere ? visit.login?.sessionState : undefined;
    const { clientID } = this.#site;
    const checkSessionIframe = sessionState === undefined ? '' : ((await this.#server.checkSessionIframe()) ?? '');
    sendPage(visit, 200, sessionCheckPage({ texts: this.#texts, checkSessionIframe, clientID, sessionState }));
  }

  /**
   * Records that the session at the service has changed, which that page reports. The response is JSON with the event for the
   * open pages of the site: `session-changed`, or `signed-out` if the login here has ended too.
   *
   * The parameter `first` is a `session_state` that the browser has never found unchanged: the user may have changed since the
   * sign-in, or the browser may block the service's cookies in frames. It starts one check of the login.
   */
  report(visit: Visit): void {
    const current = visit.login;
    const mayCheck = current !== undefined && this.#mayCheck(current, visit.query.get('first'));
    if (mayCheck) this.#session.write(visit.req, { ...current, checkDue: true });
    if (!current) sendJSON(visit, { event: 'signed-out' });
    else sendJSON(visit, mayCheck ? { event: 'session-changed' } : {});
  }

  /**
   * Checks after a change, at the next page view, which user is signed in at the service: redirects the window with `prompt=none`.
   * The service forbids authorization requests in frames (spec, Authentication 4).
   * @returns the handler of the requests for pages of the site
   */
  middleware(): RouteHandler {
    return (visit) => {
      const { login, next } = visit;
      if (!login?.checkDue || !visit.isPageView) return next();
      if (refuseSpeculation(visit)) return;
      this.#start(visit, login)
        .then(
          (url) => redirect(visit, url),
          () => next(),
        )
        .catch(next);
    };
  }

  #mayCheck({ sessionState, checkStartedAt }: SessionLogin, first: string | null): boolean {
    if (sessionState === undefined || this.#site.clock.now() - (checkStartedAt ?? 0) < RETRY_MS) return false;
    return first === null || (first === sessionState && checkStartedAt === undefined);
  }

  /** Clears the mark before the redirect, so that a browser that returns without a response is not redirected again. */
  async #start(visit: Visit, marked: SessionLogin): Promise<string> {
    const { checkDue: _, ...current } = marked;
    await this.#session.save(visit.req, { ...current, checkStartedAt: this.#site.clock.now() });
    // The check never switches the user: after it has ended the login, no other user is signed in silently.
    this.#silentSignIn.pause(visit);
    return await this.#silentCheck.start(visit, visit.returnPath, current.grantID);
  }
}
