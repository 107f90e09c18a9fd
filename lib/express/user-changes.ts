import type { ServerResponse } from 'node:http';
import type { Events } from '../events/events.js';
import { userChangePage } from '../html/pages.js';
import type { Cookies, SealedCookie } from '../sealing/cookies.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionLogin } from '../session/logins.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Attempts } from '../sign-in/attempts.js';
import { returnToPath } from '../sign-in/same-origin.js';
import { SessionUser, type UserChange, UserChangeError } from '../sign-in/user-change.js';
import type { PageLinks, ResolvedRoutes } from './paths.js';
import { redirect, sendPage, sendProblem, wantsHTML } from './responses.js';

const LIFETIME_SECONDS = 10 * 60;

interface UserChangesParts {
  attempts: Pick<Attempts, 'start'>;
  loginSession: LoginSession;
  cookies: Cookies;
  events: Events;
  links: PageLinks;
  routes: Pick<ResolvedRoutes, 'login' | 'logout'>;
  /** The origins of the service, which the form leads to. */
  serviceOrigins: readonly string[];
  origin: string;
}

/** Asks before another user replaces the one who is signed in. @internal */
export class UserChanges {
  readonly #parts: UserChangesParts;
  readonly #cookie: SealedCookie;

  constructor(parts: UserChangesParts) {
    this.#parts = parts;
    this.#cookie = parts.cookies.sealed('user-change', LIFETIME_SECONDS);
  }

  /**
   * Saves a login that waits for the user's confirmation in a sealed cookie, for the page at the callback. @returns false if
   * it cannot be saved.
   */
  save({ change }: UserChangeError, req: SessionRequest, res: ServerResponse): boolean {
    const isSaved = this.#cookie.set(res, JSON.stringify(change));
    if (isSaved) this.#endSessionCheck(req);
    return isSaved;
  }

  /** Shows the page that asks; a script gets an error. @returns false if no login waits, or another user is signed in since. */
  show(req: SessionRequest, res: ServerResponse): boolean {
    const change = this.#read(req);
    if (!change) return false;
    if (wantsHTML(req)) this.#sendPage(req, res, change);
    else sendProblem(res, new UserChangeError(change), this.#parts.links.texts.otherUserReason);
    return true;
  }

  /** Starts the login that the user has confirmed. Without one, starts a login as a link does. */
  async confirm(req: SessionRequest, res: ServerResponse): Promise<void> {
    const { attempts, events, links } = this.#parts;
    const change = this.#read(req);
    if (!change) return redirect(req, res, links.login('/') ?? links.home);
    this.#cookie.clear(req, res);
    const { options } = change;
    const { fromOtherSite: _, ...attempt } = change.attempt;
    // The user has just followed `prompt`. The service shows a page only if `maxAge` has passed since.
    const repeated = { ...options, prompt: undefined };
    const display = attempt.mode === 'popup' ? 'popup' : undefined;
    const url = await attempts.start(req, res, { ...repeated, display }, attempt);
    events.emit('sign_in_started');
    redirect(req, res, url);
  }

  /** Removes the saved login: a user has signed in or out in this browser since. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }

  /** Otherwise the session check would find the other user too, and sign out a user who has answered to stay signed in. */
  #endSessionCheck(req: SessionRequest): void {
    const { sessionState, checkDue: _, ...login } = this.#parts.loginSession.find(req) ?? {};
    if (sessionState !== undefined) this.#parts.loginSession.write(req, login as SessionLogin);
  }

  #read(req: SessionRequest): UserChange | undefined {
    const value = this.#cookie.read(req);
    if (value === undefined || !req.session) return undefined;
    const change = JSON.parse(value) as UserChange;
    const { id } = new SessionUser(this.#parts.loginSession, req);
    return id !== undefined && change.attempt.confirmed?.from === id ? change : undefined;
  }

  #sendPage(req: SessionRequest, res: ServerResponse, { from, to, options }: UserChange): void {
    const { links, origin, routes, serviceOrigins } = this.#parts;
    const returnTo = links.inBrowser(req, returnToPath(options.returnTo, origin));
    const [action, signOut] = [routes.login || undefined, routes.logout || undefined];
    const change = { action, signOut, from, to, returnTo, origins: serviceOrigins };
    sendPage(res, 200, userChangePage({ ...links, ...change }));
  }
}
