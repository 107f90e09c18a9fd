import type { PageLook } from '../html/page.js';
import { continuePage } from '../html/pages.js';
import type { Site } from '../options/site.js';
import { hasStrictCookie, sessionCookies } from '../session/site-session.js';
import type { Visit } from '../session/visit.js';
import { type Attempt, type Attempts, isAuthorizationResponse } from '../sign-in/attempts.js';
import type { ErrorResponses } from './error-responses.js';
import type { LoginModes } from './login-modes.js';
import type { SitePaths } from './paths.js';
import { sendPage } from './responses.js';
import type { RouteRow } from './router.js';
import type { SavedFailure } from './saved-failure.js';

/** Marks a request that a page of this site has repeated. */
const MARKER = 'reloaded';

/** Finishes an attempt of the Passport strategy. @internal */
export type FinishByPassport = (attempt: Attempt | undefined) => void;

/** Finishes logins of the drop-in, at the path of `callbackURL`. @internal */
export class CallbackRoute {
  readonly #site: Site;
  readonly #look: PageLook;
  readonly #paths: SitePaths;
  readonly #attempts: Attempts;
  readonly #modes: LoginModes;
  readonly #errorResponses: ErrorResponses;
  readonly #savedFailure: SavedFailure;

  constructor(from: {
    site: Site;
    look: PageLook;
    paths: SitePaths;
    attempts: Attempts;
    modes: LoginModes;
    errorResponses: ErrorResponses;
    savedFailure: SavedFailure;
  }) {
    this.#site = from.site;
    this.#look = from.look;
    this.#paths = from.paths;
    this.#attempts = from.attempts;
    this.#modes = from.modes;
    this.#errorResponses = from.errorResponses;
    this.#savedFailure = from.savedFailure;
  }

  routes(): RouteRow[] {
    const { routes, callbackPath } = this.#site;
    return [[routes.callback && callbackPath, 'GET', (visit) => this.handle(visit)]];
  }

  /** Responds to a request at the callback. @param finishByPassport present in `passport.authenticate()` */
  async handle(visit: Visit, finishByPassport?: FinishByPassport): Promise<void> {
    const hasResponse = isAuthorizationResponse(visit.query);
    if (!hasResponse && visit.isPage && this.#errorResponses.showSaved(visit)) return;
    const found = this.#attempts.find(visit);
    if (lacksStrictCookie(visit)) return repeatFromOwnPage(visit, found, this.#site, this.#look);
    // A response that belongs to no attempt is reported as Passport does, except to a signed-in user, who mostly went back.
    const isReportedByPassport = finishByPassport && hasResponse && !visit.login;
    if (found ? found.appState.mode === 'passport' : isReportedByPassport) {
      this.#savedFailure.clear(visit);
      return finishByPassport ? finishByPassport(found) : visit.next();
    }
    visit.signIn = { mode: 'page', returnTo: '/' };
    const attempt = this.#attempts.take(visit, found);
    const { mode } = attempt.appState;
    visit.signIn = { mode, returnTo: attempt.returnTo ?? '/' };
    // Throws without a session, before the code is redeemed.
    visit.readLogin();
    await this.#modes.finish(visit, attempt);
    if (visit.login) this.#savedFailure.clear(visit);
    this.#modes.show(visit, visit.signIn);
  }

  isCallback(visit: Visit): boolean {
    return this.#paths.pathOf(visit) === this.#site.callbackPath;
  }
}

/**
 * @returns true for a request that lacks the session cookie of a site with a `SameSite=Strict` session: browsers omit it after a page of
 * another site, some also after redirects from there. The callback would not see who is signed in.
 */
export function lacksStrictCookie({ req, query }: Visit): boolean {
  return hasStrictCookie(req) && !query.has(MARKER) && sessionCookies(req).length === 0;
}

/**
 * Sends a page of this site that repeats the request, once. It waits for a click if another site may have started the login: the
 * request of `returnTo` is then one of a page of this site.
 */
export function repeatFromOwnPage(visit: Visit, attempt: Attempt | undefined, site: Site, look: PageLook): void {
  const repeated = new URLSearchParams(visit.query);
  repeated.set(MARKER, '1');
  // A response to no attempt may come from another site, too.
  const waits = attempt === undefined || attempt.appState.fromOtherSite === true;
  sendPage(visit, 200, continuePage(look, `${site.callbackPath}?${repeated}`, waits));
}
