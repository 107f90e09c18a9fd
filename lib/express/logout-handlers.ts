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
import { asForm, type LogoutRequest, type ServiceLogout, type SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { CSRFProtection } from './csrf.js';
import type { Failures } from './failures.js';
import { type PageLinks, redirect, refuseMethod, sendJSON, sendPage, wantsHTML } from './responses.js';
import type { SilentSignIn } from './silent-sign-in.js';

/** The maximum length of the URL of a logout. A longer one has a long ID Token, and is replaced by the page with a form. */
const MAX_URL_LENGTH = 2000;

type LogoutHandler = (req: SessionRequest, res: ServerResponse) => Promise<void>;

/** Ends logins by request of the user. @internal */
export interface LogoutHandlers {
  /** Asks before a sign-out. Signs no user out. */
  confirmLogout(req: SessionRequest, res: ServerResponse): void;
  /** Signs out here and at the service. */
  logout: LogoutHandler;
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
  links: PageLinks;
  logoutPath: string | false;
  loggedOutPath: string;
  issuer: string;
  /** False where the service cannot sign users out: in the `profile` flow there is no ID Token. */
  hasServiceLogout: boolean;
  /** The origins of the service and of the page after the logout, to which the logout form may lead. */
  logoutOrigins: readonly string[];
}): LogoutHandlers {
  const { loginSession, csrf, signOut, serviceLogout, silentSignIn, failures } = options;
  const { links, logoutPath, loggedOutPath, logoutOrigins } = options;
  const { host } = new URL(options.issuer);

  /** @param logout the logout at the service, which the browser requests next; a script receives it as JSON */
  function finish(req: SessionRequest, res: ServerResponse, logout?: LogoutRequest): void {
    silentSignIn.pause(res);
    failures.clearSaved(req, res);
    if (!wantsHTML(req)) sendJSON(res, logout ?? { url: loggedOutPath });
    else if (logout) continueAtService(res, logout);
    else redirect(req, res, loggedOutPath);
  }

  function continueAtService(res: ServerResponse, logout: LogoutRequest): void {
    const { url, fields } = logout.fields || logout.url.length <= MAX_URL_LENGTH ? logout : asForm(logout.url);
    if (!fields) sendPage(res, 200, serviceLogoutPage({ ...links, next: url }));
    else {
      const page = endSessionPage({ ...links, script: links.clientScript, action: url, fields });
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
      finish(req, res, await serviceLogout.start(res, ended));
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
