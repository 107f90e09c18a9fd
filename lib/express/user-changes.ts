import type { ServerResponse } from 'node:http';
import type { Cookies } from '../cookies.js';
import type { Events } from '../events.js';
import { userChangePage, userChangePolicy } from '../html/pages.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Attempts } from '../sign-in/attempts.js';
import { returnToPath } from '../sign-in/return-to.js';
import { SessionUser, type UserChange, UserChangeError } from '../sign-in/user-change.js';
import type { CSRFProtection } from './csrf.js';
import type { PageLinks } from './paths.js';
import { redirect, sendPage, sendProblem, wantsHTML } from './responses.js';

const LIFETIME_SECONDS = 10 * 60;

/** Asks before another user replaces the one who is signed in. @internal */
export interface UserChanges {
  /**
   * Saves a login that waits for the user's confirmation in a sealed cookie, for the page at the callback. @returns false where
   * it cannot be saved.
   */
  save(error: UserChangeError, req: SessionRequest, res: ServerResponse): boolean;
  /** Shows the page that asks; a script gets an error. @returns false where no login waits, or another user is signed in since. */
  show(req: SessionRequest, res: ServerResponse): boolean;
  /** Starts the login that the user has confirmed. Without one, starts a login as a link does. */
  confirm(req: SessionRequest, res: ServerResponse): Promise<void>;
  /** Removes the saved login: a user has signed in or out in this browser since. */
  clear(req: SessionRequest, res: ServerResponse): void;
}

export function createUserChanges(options: {
  attempts: Pick<Attempts, 'start'>;
  loginSession: LoginSession;
  cookies: Cookies;
  csrf: Pick<CSRFProtection, 'token'>;
  events: Events;
  links: PageLinks;
  /** The path of the login route. */
  loginPath: string | false;
  /** The origins of the service, which the form leads to. */
  serviceOrigins: readonly string[];
  origin: string;
}): UserChanges {
  const { attempts, loginSession, cookies, csrf, events, links, loginPath, serviceOrigins, origin } = options;
  const cookie = cookies.sealed('user-change', LIFETIME_SECONDS);

  function read(req: SessionRequest): UserChange | undefined {
    const value = cookie.read(req);
    if (value === undefined || !req.session) return undefined;
    const change = JSON.parse(value) as UserChange;
    const { id } = new SessionUser(loginSession, req);
    return id !== undefined && change.attempt.confirmed?.from === id ? change : undefined;
  }

  return {
    save({ change }, req, res) {
      // Without returnTo where other attempts in progress need the room.
      const values = [change, { ...change, options: { ...change.options, returnTo: '/' } }];
      return cookies.setFirst(cookie, req, res, values);
    },

    show(req, res) {
      const change = read(req);
      if (!change) return false;
      if (!wantsHTML(req)) {
        sendProblem(res, new UserChangeError(change));
        return true;
      }
      const { from, to } = change;
      const returnTo = links.inBrowser(req, returnToPath(change.options.returnTo, origin));
      const action = loginPath || undefined;
      const page = userChangePage({ ...links, action, csrfToken: csrf.token(req), from, to, returnTo });
      sendPage(res, 200, page, userChangePolicy(serviceOrigins));
      return true;
    },

    async confirm(req, res) {
      const change = read(req);
      if (!change) return redirect(req, res, links.login('/'));
      cookie.clear(req, res);
      const url = await attempts.start(req, res, change.options, change.attempt);
      events.emit('sign_in_started');
      redirect(req, res, url);
    },

    clear: (req, res) => cookie.clear(req, res),
  };
}
