import type { ServerResponse } from 'node:http';
import type { PageLook } from '../html/page.js';
import { endSessionPage, loggedOutPage, serviceLogoutPage, signOutPage } from '../html/pages.js';
import type { ResolvedRoutes } from '../options/routes.js';
import { passportUserOf } from '../session/passport-user.js';
import type { LogoutRequest, ServiceLogout } from '../session/service-logout.js';
import type { SignOut } from '../session/sign-out.js';
import type { SessionRequest, SiteSession } from '../session/site-session.js';
import type { SitePaths } from './paths.js';
import {
  isSubrequest,
  leadWindow,
  redirect,
  refuseMethod,
  returnPath,
  sendJSON,
  sendPage,
  visitAgain,
  wantsHTML,
} from './responses.js';
import type { SavedFailure } from './saved-failure.js';

interface LogoutRoutesParts {
  loginSession: Pick<SiteSession, 'find'>;
  signOut: SignOut;
  serviceLogout: ServiceLogout;
  silentSignIn: { pause(res: ServerResponse): void };
  savedFailure: Pick<SavedFailure, 'clear'>;
  look: PageLook;
  paths: SitePaths;
  routes: Pick<ResolvedRoutes, 'logout' | 'endSession' | 'loggedOut'>;
  issuer: string;
  /** False if the service cannot sign users out: in the `profile` flow there is no ID Token. */
  hasServiceLogout: boolean;
  /** The origins of the service and of the page after the logout, to which the logout form may lead. */
  logoutOrigins: readonly string[];
}

/** Ends logins by request of the user. @internal */
export class LogoutRoutes {
  readonly #parts: LogoutRoutesParts;
  /** The path of {@link endSession}. */
  readonly #endSessionPath: string;
  readonly #loggedOutPath: string;

  constructor(parts: LogoutRoutesParts) {
    this.#parts = parts;
    this.#endSessionPath = parts.routes.endSession || parts.look.home;
    this.#loggedOutPath = parts.routes.loggedOut || parts.look.home;
  }

  /** Asks before a sign-out. Signs no user out. */
  confirmLogout(req: SessionRequest, res: ServerResponse): void {
    const { loginSession, routes, look, paths } = this.#parts;
    if (!wantsHTML(req)) {
      // A script that signs out by GET must not take the page for a success.
      if (!visitAgain(req, res, paths.inBrowser(req, returnPath(req)))) refuseMethod(res, ['POST']);
      return;
    }
    const isSignedIn = loginSession.find(req) !== undefined || passportUserOf(req) !== '';
    if (!isSignedIn || !routes.logout) redirect(req, res, this.#loggedOutPath);
    else sendPage(res, 200, signOutPage(look, routes.logout));
  }

  /** Signs out here, and continues at the service. */
  async logout(req: SessionRequest, res: ServerResponse): Promise<void> {
    const { signOut, serviceLogout } = this.#parts;
    const ended = await signOut.eraseSession(req);
    this.#finish(req, res, await serviceLogout.start(res, ended?.idToken));
  }

  /** Redirects a browser that has just signed out to the logout of the service, once. */
  async endSession(req: SessionRequest, res: ServerResponse): Promise<void> {
    const { loginSession, serviceLogout } = this.#parts;
    // The URL of the service contains the ID Token, which a script must not read.
    const mayContinue = !isSubrequest(req) && !loginSession.find(req);
    const logout = mayContinue ? await serviceLogout.continue(req, res) : undefined;
    if (logout) this.#continueAtService(req, res, logout);
    else redirect(req, res, this.#loggedOutPath);
  }

  /** Revokes and erases everything stored about the user. */
  async forget(req: SessionRequest, res: ServerResponse): Promise<void> {
    await this.#parts.signOut.forgetUser(req);
    this.#finish(req, res);
  }

  /** Shows that the user is signed out. */
  async loggedOut(req: SessionRequest, res: ServerResponse): Promise<void> {
    const { loginSession, serviceLogout, hasServiceLogout, look, paths, issuer } = this.#parts;
    const hasEnded = await serviceLogout.finish(req, res);
    if (loginSession.find(req)) return redirect(req, res, look.home);
    const otherwise = hasServiceLogout ? 'unknown' : 'continues';
    const sessionAtService = hasEnded ? 'ended' : otherwise;
    const { host: service } = new URL(issuer);
    sendPage(res, 200, loggedOutPage(look, { signIn: paths.login('/'), sessionAtService, service }));
  }

  /** @param logout the logout at the service: the browser continues there, and a script receives the path that leads to it */
  #finish(req: SessionRequest, res: ServerResponse, logout?: 'saved' | LogoutRequest): void {
    const { silentSignIn, savedFailure, look } = this.#parts;
    // The response of a websocket sends nothing.
    if (res.headersSent === undefined) return;
    silentSignIn.pause(res);
    savedFailure.clear(req, res);
    const next = logout === 'saved' ? this.#endSessionPath : this.#loggedOutPath;
    leadWindow(req, res, next);
    if (!wantsHTML(req)) sendJSON(res, { url: next });
    else if (isSubrequest(req)) redirect(req, res, next);
    else if (logout === 'saved') sendPage(res, 200, serviceLogoutPage(look, next));
    else if (logout) this.#continueAtService(req, res, logout);
    else redirect(req, res, next);
  }

  #continueAtService(req: SessionRequest, res: ServerResponse, { url, fields }: LogoutRequest): void {
    const { look, logoutOrigins } = this.#parts;
    if (!fields) {
      redirect(req, res, url);
      return;
    }
    const page = endSessionPage(look, { url, fields, origins: logoutOrigins });
    // helmet sets them. They are for pages with the origin of the site: browsers may show no sandboxed page with the first one.
    for (const name of ['Cross-Origin-Opener-Policy', 'Origin-Agent-Cluster']) res.removeHeader(name);
    sendPage(res, 200, page);
  }
}
