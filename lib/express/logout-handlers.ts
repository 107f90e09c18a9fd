import type { ServerResponse } from 'node:http';
import { endSessionPage, endSessionPolicy, type LoggedOutPageOptions, loggedOutPage } from '../html/pages.js';
import type { LoginSession } from '../session/login-session.js';
import { asForm, type LogoutRequest, type ServiceLogout, type SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Failures } from './failures.js';
import { type PageLinks, redirect, sendJSON, sendPage, wantsHTML } from './responses.js';
import type { SilentSignIn } from './silent-sign-in.js';

/** The maximum length of the URL in a redirect. A longer one has a long ID Token, and is replaced by the page with a form. */
const MAX_LOCATION_LENGTH = 2000;

type LogoutHandler = (req: SessionRequest, res: ServerResponse) => Promise<void>;

/** Ends logins by request of the user. @internal */
export interface LogoutHandlers {
  /** Signs out here and at the service. */
  logout: LogoutHandler;
  /** Revokes and erases everything stored about the user. */
  forget: LogoutHandler;
  /** Shows that the user is signed out. */
  loggedOut: LogoutHandler;
}

export function createLogoutHandlers(options: {
  loginSession: LoginSession;
  signOut: SignOut;
  serviceLogout: ServiceLogout;
  silentSignIn: Pick<SilentSignIn, 'pause'>;
  failures: Pick<Failures, 'clearSaved'>;
  links: PageLinks;
  loggedOutPath: string;
  issuer: string;
  /** False where the service cannot sign users out: in the `profile` flow there is no ID Token. */
  hasServiceLogout: boolean;
  /** The origins of the service and of the page after the logout, to which the logout form may lead. */
  logoutOrigins: readonly string[];
}): LogoutHandlers {
  const { loginSession, signOut, serviceLogout, silentSignIn, failures, links, loggedOutPath, logoutOrigins } = options;
  const { host } = new URL(options.issuer);

  /** @param next the request that the browser sends next; a script receives it as JSON */
  function finish(req: SessionRequest, res: ServerResponse, next: LogoutRequest = { url: loggedOutPath }): void {
    silentSignIn.pause(res);
    failures.clearSaved(req, res);
    const { url, fields } = next.fields || next.url.length <= MAX_LOCATION_LENGTH ? next : asForm(next.url);
    if (!wantsHTML(req)) sendJSON(res, next);
    else if (!fields) redirect(req, res, url);
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
      if (loginSession.find(req)) return redirect(req, res, '/');
      const page = { ...links, signInAgain: links.login('/'), sessionAtService: session, service: host };
      sendPage(res, 200, loggedOutPage(page));
    },
  };
}
