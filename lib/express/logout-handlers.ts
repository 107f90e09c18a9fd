import type { ServerResponse } from 'node:http';
import {
  endSessionPage,
  endSessionPolicy,
  type LoggedOutPageOptions,
  loggedOutPage,
  serviceLogoutPage,
  signOutPage,
} from '../html/pages.js';
import type { LoginSession } from '../session/login-session.js';
import type { LogoutRequest, ServiceLogout, SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { CSRFProtection } from './csrf.js';
import type { Failures } from './failures.js';
import { isSubrequest, type PageLinks, redirect, refuseMethod, sendJSON, sendPage, wantsHTML } from './responses.js';
import type { SilentSignIn } from './silent-sign-in.js';
import type { UserChanges } from './user-changes.js';

type LogoutHandler = (req: SessionRequest, res: ServerResponse) => Promise<void>;

/** Ends logins by request of the user. @internal */
export interface LogoutHandlers {
  /** Asks before a sign-out. Signs no user out. */
  confirmLogout(req: SessionRequest, res: ServerResponse): void;
  /** Signs out here, and continues at the service. */
  logout: LogoutHandler;
  /** Redirects a browser that has just signed out to the logout of the service, once. */
  endSession: LogoutHandler;
  /** Revokes and erases everything stored about the user. */
  forget: LogoutHandler;
  /** Shows that the user is signed out. */
  loggedOut: LogoutHandler;
}

export function createLogoutHandlers(options: {
  loginSession: LoginSession;
  csrf: Pick<CSRFProtection, 'token'>;
  signOut: SignOut;
  serviceLogout: ServiceLogout;
  silentSignIn: Pick<SilentSignIn, 'pause'>;
  failures: Pick<Failures, 'clearSaved'>;
  userChanges: Pick<UserChanges, 'clear'>;
  links: PageLinks;
  logoutPath: string | false;
  /** The path of {@link LogoutHandlers.endSession}. */
  endSessionPath: string;
  loggedOutPath: string;
  issuer: string;
  /** False where the service cannot sign users out: in the `profile` flow there is no ID Token. */
  hasServiceLogout: boolean;
  /** The origins of the service and of the page after the logout, to which the logout form may lead. */
  logoutOrigins: readonly string[];
}): LogoutHandlers {
  const { loginSession, csrf, signOut, serviceLogout, silentSignIn, failures, userChanges } = options;
  const { links, logoutPath, endSessionPath, loggedOutPath, logoutOrigins } = options;
  const { host } = new URL(options.issuer);

  /** @param logout the logout at the service: the browser continues there, and a script receives the path that leads to it */
  function finish(req: SessionRequest, res: ServerResponse, logout?: 'saved' | LogoutRequest): void {
    silentSignIn.pause(res);
    failures.clearSaved(req, res);
    userChanges.clear(req, res);
    const next = logout === 'saved' ? endSessionPath : loggedOutPath;
    if (!wantsHTML(req)) sendJSON(res, { url: next });
    else if (logout === 'saved') sendPage(res, 200, serviceLogoutPage({ ...links, next }));
    else if (logout) continueAtService(req, res, logout);
    else redirect(req, res, next);
  }

  function continueAtService(req: SessionRequest, res: ServerResponse, { url, fields }: LogoutRequest): void {
    if (!fields) redirect(req, res, url);
    else {
      const page = endSessionPage({ ...links, script: links.clientScript, action: url, fields });
      // helmet sets them. They are for pages with the origin of the site: browsers may show no sandboxed page with the first one.
      for (const name of ['Cross-Origin-Opener-Policy', 'Origin-Agent-Cluster']) res.removeHeader(name);
      sendPage(res, 200, page, endSessionPolicy(logoutOrigins));
    }
  }

  async function sessionAtService(
    req: SessionRequest,
    res: ServerResponse,
  ): Promise<LoggedOutPageOptions['sessionAtService']> {
    if (await serviceLogout.finish(req, res)) return 'ended';
    return options.hasServiceLogout ? 'unknown' : 'continues';
  }

  return {
    confirmLogout(req, res) {
      // A script that signs out by GET must not take the page for a success.
      if (!wantsHTML(req)) return refuseMethod(res, ['POST']);
      const isSignedIn = loginSession.find(req) !== undefined || req.session?.passport?.user !== undefined;
      if (!isSignedIn || !logoutPath) return redirect(req, res, loggedOutPath);
      sendPage(res, 200, signOutPage({ ...links, action: logoutPath, csrfToken: csrf.token(req) }));
    },
    async logout(req, res) {
      const ended = await signOut.eraseSession(req);
      finish(req, res, await serviceLogout.start(req, res, ended));
    },
    async endSession(req, res) {
      // The URL of the service contains the ID Token, which a script must not read.
      const mayContinue = !isSubrequest(req) && !loginSession.find(req);
      const logout = mayContinue ? await serviceLogout.continue(req, res) : undefined;
      if (logout) continueAtService(req, res, logout);
      else redirect(req, res, loggedOutPath);
    },
    async forget(req, res) {
      await signOut.forgetUser(req);
      finish(req, res);
    },
    async loggedOut(req, res) {
      const session = await sessionAtService(req, res);
      if (loginSession.find(req)) return redirect(req, res, links.home);
      const page = { ...links, signInAgain: links.login('/'), sessionAtService: session, service: host };
      sendPage(res, 200, loggedOutPage(page));
    },
  };
}
