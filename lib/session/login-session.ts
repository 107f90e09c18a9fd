import { ConfigurationError } from '../errors/errors.js';
import { removeCookie } from '../sealing/cookies.js';
import { type SessionLogin, userIDOf } from './logins.js';
import {
  callSession,
  type Done,
  isGone,
  passportStoresUser,
  passportUserOf,
  removeUser,
  type SessionRequest,
  sessionCookies,
  sessionOf,
  setUser,
} from './site-session.js';
import { isLogin, type Visits } from './visit.js';

/** What a new session contains, in addition to its login. @internal */
export interface SessionContent {
  user: unknown;
  data?: object;
}

/** Calls Passport's own `req.logIn()`. @internal */
export type PassportCall = (callback: Done) => void;

/**
 * Reads and writes the login of one instance of the sign-in in the site's session. A login of another instance (another issuer,
 * client, flow or callback) is ignored. It ends with the session: at a sign-in, and at a sign-out. @internal
 */
export class LoginSession {
  readonly #visits: Visits;

  constructor(visits: Visits) {
    this.#visits = visits;
  }

  /** @returns the login; undefined also if there is no session. */
  find(req: SessionRequest): SessionLogin | undefined {
    return this.#visits.of(req).login;
  }

  /** See {@link Visit.readLogin}. */
  read(req: SessionRequest): SessionLogin | undefined {
    return this.#visits.of(req).readLogin();
  }

  /** Replaces the login in the session, which express-session saves at the end of the response. */
  write(req: SessionRequest, login: SessionLogin): void {
    const session = sessionOf(req);
    session.clinician = { [this.#visits.instance]: login };
  }

  /** Replaces the login and saves the session now. */
  async save(req: SessionRequest, login: SessionLogin): Promise<void> {
    this.write(req, login);
    const session = sessionOf(req);
    await callSession((callback) => session.save(callback));
  }

  /** Removes the login from the session. */
  remove(req: SessionRequest): void {
    delete req.session?.clinician;
  }

  /**
   * Reads the session from the store again, so that a slow request does not restore a login that has ended meanwhile.
   * Throws when the store is unavailable: that ends no login.
   */
  async reload(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    let isLost = false;
    await callSession((callback) =>
      session.reload((error) => {
        isLost = isGone(error);
        callback(isLost ? undefined : error);
      }),
    );
    if (isLost) this.remove(req);
  }

  /**
   * Replaces the session by one with a new id, without the contents of the old one (session fixation), and signs the user in with
   * Passport. @param content the site's own user, and data for the new session
   * @param logIn Passport's own call, if the site or Passport has made it
   * @returns the login for {@link save}, with the user
   */
  async renew(
    req: SessionRequest,
    login: SessionLogin,
    { user, data }: SessionContent,
    logIn?: PassportCall,
  ): Promise<SessionLogin> {
    const { sessionID } = req;
    const isOfPassport = logIn !== undefined || passportStoresUser(req);
    if (isOfPassport) await callSession(logIn ?? ((callback) => req.logIn?.(user, callback)));
    else await this.clear(req);
    if (req.sessionID === sessionID) await this.refuseOldSession(req);
    Object.assign(sessionOf(req), data);
    if (isOfPassport) return { ...login, passportUser: passportUserOf(req) };
    setUser(req, user);
    return isOnlyID(user, login) ? login : { ...login, user };
  }

  /** Leaves no user in the request and its session, which has a new id. Never throws. */
  async abandon(req: SessionRequest): Promise<void> {
    // If the store fails, express-session saves the session again at the end of the response.
    this.remove(req);
    removeUser(req);
    if (req.session) await this.clear(req).catch(() => undefined);
  }

  /** Ends a session that has the same id after a sign-in as before: a browser that knew it would be signed in, too. Throws. */
  async refuseOldSession(req: SessionRequest): Promise<never> {
    const { session } = req;
    // Only the site knows what has signed the user in, and where in the session the user is.
    if (session?.destroy) await callSession((callback) => session.destroy(callback)).catch(() => undefined);
    req.session = undefined;
    setUser(req);
    throw sessionNotRenewed();
  }

  /**
   * Destroys the session and removes its cookie from the browser. Throws when the store fails: the logout failed then.
   */
  async end(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    const cookies = sessionCookies(req);
    await callSession((callback) => session.destroy(callback));
    if (req.res && !req.res.headersSent) {
      for (const { name, attributes } of cookies) removeCookie(req.res, name, attributes);
    }
    setUser(req);
  }

  /** Replaces the session by an empty one with a new id. */
  async clear(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    await callSession((callback) => session.regenerate(callback));
    setUser(req);
  }

  /** @returns the login, unless Passport has signed in another user since. */
  current(req: SessionRequest): SessionLogin | undefined {
    const login = this.find(req);
    return login && !this.belongsToOtherUser(req, login) ? login : undefined;
  }

  /** @returns true if the session contains a login, of this instance or of another one. */
  hasAny({ session }: SessionRequest): boolean {
    return session?.clinician !== undefined;
  }

  /** @returns the login of another instance, unless Passport has signed in another user since. */
  findOther(req: SessionRequest): SessionLogin | undefined {
    const { [this.#visits.instance]: _, ...others } = req.session?.clinician ?? {};
    const isCurrent = (login: unknown): login is SessionLogin => isLogin(login) && !this.belongsToOtherUser(req, login);
    return Object.values(others).find(isCurrent);
  }

  /** @returns true for a login of another user than Passport's: `req.logIn` and `req.logOut` of the site change only Passport's. */
  belongsToOtherUser(req: SessionRequest, login: SessionLogin | undefined = this.find(req)): boolean {
    const passportUser = login?.passportUser;
    return passportUser !== undefined && passportUser !== passportUserOf(req);
  }
}

function sessionNotRenewed(): ConfigurationError {
  return new ConfigurationError(
    'session_missing',
    'passport-clinician: the session had the same id before and after the sign-in, so another browser that knew it would be signed in, too (session fixation). Passport 0.5 and older do not renew it: install Passport 0.7, and check with npm ls passport. If you have it, look for what replaces its req.logIn() or session.regenerate().',
  );
}

/** @returns true for a user that is stored as `{ id }` with the id of the login, which the login has already. */
function isOnlyID(user: unknown, login: SessionLogin): boolean {
  return JSON.stringify(user) === JSON.stringify({ id: userIDOf(login) });
}
