import type { PageLook } from '../html/page.js';
import { endSessionPage, loggedOutPage, serviceLogoutPage, signOutPage } from '../html/pages.js';
import type { Site } from '../options/site.js';
import { passportUserOf } from '../session/passport-user.js';
import type { LogoutRequest, ServiceLogout } from '../session/service-logout.js';
import type { SignOut } from '../session/sign-out.js';
import type { Visit } from '../session/visit.js';
import type { SitePaths } from './paths.js';
import { leadWindow, redirect, refuseMethod, sendJSON, sendPage, visitAgain } from './responses.js';
import type { RouteRow } from './router.js';
import type { SavedFailure } from './saved-failure.js';

/** Ends logins by request of the user. @internal */
export class LogoutRoutes {
  readonly #site: Site;
  readonly #look: PageLook;
  readonly #canLogOutAtService: boolean;
  readonly #formOrigins: readonly string[];
  readonly #paths: SitePaths;
  readonly #signOut: SignOut;
  readonly #serviceLogout: ServiceLogout;
  readonly #silentSignIn: { pause(visit: Visit): void };
  readonly #savedFailure: SavedFailure;
  readonly #endSessionPath: string;
  readonly #loggedOutPath: string;

  /** @param from `canLogOutAtService` is false in the `profile` flow: there is no ID Token */
  constructor(from: {
    site: Site;
    look: PageLook;
    canLogOutAtService: boolean;
    formOrigins: readonly string[];
    paths: SitePaths;
    signOut: SignOut;
    serviceLogout: ServiceLogout;
    silentSignIn: { pause(visit: Visit): void };
    savedFailure: SavedFailure;
  }) {
    this.#site = from.site;
    this.#look = from.look;
    this.#canLogOutAtService = from.canLogOutAtService;
    this.#formOrigins = from.formOrigins;
    this.#paths = from.paths;
    this.#signOut = from.signOut;
    this.#serviceLogout = from.serviceLogout;
    this.#silentSignIn = from.silentSignIn;
    this.#savedFailure = from.savedFailure;
    this.#endSessionPath = from.site.routes.endSession || from.look.home;
    this.#loggedOutPath = from.site.routes.loggedOut || from.look.home;
  }

  routes(): RouteRow[] {
    const { logout, endSession, forget, loggedOut } = this.#site.routes;
    return [
      [logout, 'GET', (visit) => this.confirmLogout(visit)],
      [logout, 'POST', (visit) => this.logout(visit), 'same origin'],
      [endSession, 'GET', (visit) => this.endSession(visit)],
      [forget, 'POST', (visit) => this.forget(visit), 'same origin'],
      [loggedOut, 'GET', (visit) => this.loggedOut(visit)],
    ];
  }

  confirmLogout(visit: Visit): void {
    const { logout } = this.#site.routes;
    if (!visit.isPage) {
      // A script that signs out by GET must not take the page for a success.
      if (!visitAgain(visit, this.#paths.inBrowser(visit, visit.returnPath))) refuseMethod(visit, ['POST']);
      return;
    }
    const isSignedIn = visit.login !== undefined || passportUserOf(visit.req) !== '';
    if (!isSignedIn || !logout) redirect(visit, this.#loggedOutPath);
    else sendPage(visit, 200, signOutPage(this.#look, logout));
  }

  /** Signs out here, and continues at the service. */
  async logout(visit: Visit): Promise<void> {
    const ended = await this.#signOut.endLoginOf(visit);
    this.#finish(visit, await this.#serviceLogout.start(visit, ended?.idToken));
  }

  /** Redirects a browser that has just signed out to the logout of the service, once. */
  async endSession(visit: Visit): Promise<void> {
    // The URL of the service contains the ID Token, which a script must not read.
    const mayContinue = !visit.isSubrequest && !visit.login;
    const logout = mayContinue ? await this.#serviceLogout.continue(visit) : undefined;
    if (logout) this.#continueAtService(visit, logout);
    else redirect(visit, this.#loggedOutPath);
  }

  async forget(visit: Visit): Promise<void> {
    await this.#signOut.forgetUserOf(visit);
    this.#finish(visit);
  }

  async loggedOut(visit: Visit): Promise<void> {
    const hasEnded = await this.#serviceLogout.finish(visit);
    if (visit.login) return redirect(visit, this.#look.home);
    const otherwise = this.#canLogOutAtService ? 'unknown' : 'continues';
    const sessionAtService = hasEnded ? 'ended' : otherwise;
    const service = new URL(this.#site.issuer).host;
    sendPage(visit, 200, loggedOutPage(this.#look, { signIn: this.#paths.login('/'), sessionAtService, service }));
  }

  /** @param logout the logout at the service: the browser continues there, and a script receives the path that leads to it */
  #finish(visit: Visit, logout?: 'saved' | LogoutRequest): void {
    // The response of a websocket sends nothing.
    if (visit.res.headersSent === undefined) return;
    this.#silentSignIn.pause(visit);
    this.#savedFailure.clear(visit);
    const next = logout === 'saved' ? this.#endSessionPath : this.#loggedOutPath;
    leadWindow(visit, next);
    if (!visit.isPage) sendJSON(visit, { url: next });
    else if (visit.isSubrequest) redirect(visit, next);
    else if (logout === 'saved') sendPage(visit, 200, serviceLogoutPage(this.#look, next));
    else if (logout) this.#continueAtService(visit, logout);
    else redirect(visit, next);
  }

  #continueAtService(visit: Visit, { url, fields }: LogoutRequest): void {
    if (!fields) {
      redirect(visit, url);
      return;
    }
    const page = endSessionPage(this.#look, { url, fields, origins: this.#formOrigins });
    // helmet sets them. They are for pages with the origin of the site: browsers may show no sandboxed page with the first one.
    for (const name of ['Cross-Origin-Opener-Policy', 'Origin-Agent-Cluster']) visit.res.removeHeader(name);
    sendPage(visit, 200, page);
  }
}
