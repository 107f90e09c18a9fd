import { removeCookie } from '../sealing/cookies.js';
import { type SessionLogin, userIDOf } from './logins.js';
import {
  callSession,
  type Done,
  isGone,
  passportStoresUser,
  passportUserOf,
  type SessionRequest,
  type SiteSession,
  sessionCookies,
  sessionOf,
} from './site-session.js';

/** What a new session contains, in addition to its login. @internal */
export interface SessionContent {
  user: unknown;
  data?: object;
}

/** Calls Passport's own `req.logIn()`. @internal */
export type PassportCall = (callback: Done) => void;

/** What a session contains of the logins of other instances. */
type Others = Pick<SiteSession, 'clinician' | 'passport'>;

/**
 * Reads and writes the login of one instance of the sign-in in the site's session. Logins of other instances (another issuer,
 * client or flow) are ignored, and remain. @internal
 */
export class LoginSession {
  readonly #instance: string;

  /** @param instance see `instanceID()` */
  constructor(instance: string) {
    this.#instance = instance;
  }

  /** @returns the login; undefined also if there is no session. */
  find(req: SessionRequest): SessionLogin | undefined {
    const login = req.session?.clinician?.[this.#instance];
    // A login without an id is of no version of this package: it signs no user in.
    return typeof login?.id === 'string' ? login : undefined;
  }

  /** @returns the login. Throws when there is no session. */
  read(req: SessionRequest): SessionLogin | undefined {
    const login = sessionOf(req).clinician?.[this.#instance];
    return typeof login?.id === 'string' ? login : undefined;
  }

  /** Replaces the login in the session, which express-session saves at the end of the response. */
  write(req: SessionRequest, login: SessionLogin): void {
    const session = sessionOf(req);
    session.clinician = { ...session.clinician, [this.#instance]: login };
  }

  /** Replaces the login and saves the session now. */
  async save(req: SessionRequest, login: SessionLogin): Promise<void> {
    this.write(req, login);
    await this.#save(req);
  }

  /** Removes the login from the session. */
  remove(req: SessionRequest): void {
    const { clinician } = this.#othersIn(req.session);
    if (clinician) Object.assign(req.session as SiteSession, { clinician });
    else delete req.session?.clinician;
  }

  /**
   * Reads the session from the store again, so that a slow request does not restore a login that has ended meanwhile.
   * Throws when the store is unavailable: that ends no login.
   */
  async reload(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    await callSession((callback) =>
      session.reload((error) => {
        if (isGone(error)) delete sessionOf(req).clinician;
        callback(isGone(error) ? undefined : error);
      }),
    );
  }

  /**
   * Signs the user in, under a new session id and without the contents of the old session (session fixation). Logins of other
   * instances remain if they are of the same browser.
   * @param content the site's own user, and data for the new session
   * @param logIn Passport's own call, if the site or Passport has made it
   */
  async establish(
    req: SessionRequest,
    login: SessionLogin,
    content: SessionContent,
    logIn?: PassportCall,
  ): Promise<void> {
    try {
      await this.#renew(req, login, content, logIn);
      await this.#save(req);
    } catch (error) {
      // express-session saves the session again at the end of the response: a sign-in reported as failed must not be in it.
      this.remove(req);
      delete req.session?.passport;
      delete req.user;
      throw error;
    }
  }

  /**
   * Destroys the session and removes its cookie from the browser. With a login of another instance the session is replaced by one
   * that has only those. Throws when the store fails: the logout failed then.
   */
  async end(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    if (this.hasOthers(req)) {
      await this.#regenerate(req);
      await this.#save(req);
    } else {
      const cookies = sessionCookies(req);
      await callSession((callback) => session.destroy(callback));
      if (req.res && !req.res.headersSent) {
        for (const { name, attributes } of cookies) removeCookie(req.res, name, attributes);
      }
    }
    delete req.user;
  }

  /** Replaces the session, whose login has ended, by one without it. */
  async clear(req: SessionRequest): Promise<void> {
    await this.#regenerate(req);
    delete req.user;
  }

  /** Returns true when the session contains a login of another instance. */
  hasOthers(req: SessionRequest): boolean {
    return this.#othersIn(req.session).clinician !== undefined;
  }

  /** @returns true for a login of another user than Passport's: `req.logIn` and `req.logOut` of the site change only Passport's. */
  belongsToOtherUser(req: SessionRequest, login: SessionLogin | undefined = this.find(req)): boolean {
    const passportUser = login?.passportUser;
    return passportUser !== undefined && passportUser !== passportUserOf(req.session as SiteSession);
  }

  async #save(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    await callSession((callback) => session.save(callback));
  }

  /** Returns the logins of the other instances, and Passport's user if it is the user of one of them. @param browser only of this one */
  #othersIn(session: SiteSession | undefined, browser?: string): Others {
    const { [this.#instance]: _, ...others } = session?.clinician ?? {};
    const isKept = ([, login]: [string, SessionLogin]) => browser === undefined || login.browser === browser;
    const logins = Object.fromEntries(Object.entries(others).filter(isKept));
    const all = Object.values(logins);
    if (!session || all.length === 0) return {};
    const user = passportUserOf(session);
    const { passport } = session;
    return {
      clinician: logins,
      ...(passport && all.some(({ passportUser }) => passportUser === user) && { passport }),
    };
  }

  /** Replaces the session by one with a new id, that has only the logins of other instances. */
  async #regenerate(req: SessionRequest, browser?: string): Promise<void> {
    const before = sessionOf(req);
    const others = this.#othersIn(before, browser);
    await callSession((callback) => before.regenerate(callback));
    Object.assign(sessionOf(req), others);
  }

  async #renew(
    req: SessionRequest,
    login: SessionLogin,
    { user, data }: SessionContent,
    logIn?: PassportCall,
  ): Promise<void> {
    if (logIn || passportStoresUser(req)) {
      const { clinician } = this.#othersIn(req.session, login.browser);
      await callSession(logIn ?? ((callback) => req.logIn?.(user, callback)));
      const session = sessionOf(req);
      session.clinician = { ...clinician, [this.#instance]: { ...login, passportUser: passportUserOf(session) } };
    } else {
      await this.#regenerate(req, login.browser);
      this.write(req, isOnlyID(user, login) ? login : { ...login, user });
      req.user = user;
    }
    Object.assign(sessionOf(req), data);
  }
}

/** @returns true for a user that is stored as `{ id }` with the id of the login, which the login has already. */
function isOnlyID(user: unknown, login: SessionLogin): boolean {
  return JSON.stringify(user) === JSON.stringify({ id: userIDOf(login) });
}
