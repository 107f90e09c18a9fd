import type { ServerResponse } from 'node:http';
import { loggedOutPage } from '../html/pages.js';
import type { ServiceLogout, SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Failures } from './failures.js';
import { type PageLinks, redirect, sendPage, wantsHTML } from './responses.js';
import type { SilentSignIn } from './silent-sign-in.js';

type LogoutHandler = (req: SessionRequest, res: ServerResponse) => Promise<void>;

/** Ends logins by request of the user. @internal */
export interface LogoutHandlers {
  /** Signs out here and, for a navigation, at the service. */
  logout: LogoutHandler;
  /** Revokes and erases everything stored about the user. */
  forget: LogoutHandler;
  /** Shows that the user is signed out. */
  loggedOut: (req: SessionRequest, res: ServerResponse) => void;
}

export function createLogoutHandlers(options: {
  signOut: SignOut;
  serviceLogout: ServiceLogout;
  silentSignIn: Pick<SilentSignIn, 'pause'>;
  failures: Pick<Failures, 'clearSaved'>;
  links: PageLinks;
  loggedOutPath: string;
}): LogoutHandlers {
  const { signOut, serviceLogout, silentSignIn, failures, links, loggedOutPath } = options;

  /** @param nextURL where a navigation is redirected to; a script gets 204 */
  async function finish(req: SessionRequest, res: ServerResponse, nextURL: () => Promise<string | undefined>) {
    silentSignIn.pause(res);
    failures.clearSaved(req, res);
    if (wantsHTML(req)) redirect(req, res, (await nextURL()) ?? loggedOutPath);
    else res.writeHead(204).end();
  }

  return {
    async logout(req, res) {
      const ended = await signOut.endSession(req);
      await finish(req, res, () => serviceLogout.start(res, ended));
    },
    async forget(req, res) {
      await signOut.forgetUser(req);
      await finish(req, res, async () => undefined);
    },
    loggedOut(req, res) {
      const atService = serviceLogout.finish(req, res);
      if (req.session?.clinician) return redirect(req, res, '/');
      sendPage(res, 200, loggedOutPage({ ...links, signInAgain: links.login('/'), atService }));
    },
  };
}
