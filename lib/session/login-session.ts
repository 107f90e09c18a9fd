import { removeCookie } from '../cookies.js';
import { isClinicianError } from '../errors.js';
import { type Outages, watchStore } from '../outages.js';
import type { SessionLogin } from './logins.js';
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

/**
 * Reads and writes the login of one instance of the sign-in in the site's session. Logins of other instances (another issuer,
 * client or flow) are ignored, and remain. @internal
 */
export interface LoginSession {
  /** @returns the login; undefined also where there is no session. */
  find(req: SessionRequest): SessionLogin | undefined;
  /** @returns the login. Throws when there is no session. */
  read(req: SessionRequest): SessionLogin | undefined;
  /** Replaces the login in the session, which express-session saves at the end of the response. */
  write(req: SessionRequest, login: SessionLogin): void;
  /** Replaces the login and saves the session now. */
  save(req: SessionRequest, login: SessionLogin): Promise<void>;
  /** Removes the login from the session. */
  remove(req: SessionRequest): void;
  /**
   * Reads the session from the store again, so that a slow request does not restore a login that has ended meanwhile.
   * Throws when the store is unavailable: that ends no login.
   */
  reload(req: SessionRequest): Promise<void>;
  /**
   * Signs the user in, under a new session id and without the contents of the old session (session fixation). Logins of other
   * instances remain if they are of the same browser.
   * @param content the site's own user, and data for the new session
   * @param logIn Passport's own call, where the site or Passport has made it
   */
  establish(req: SessionRequest, login: SessionLogin, content: SessionContent, logIn?: PassportCall): Promise<void>;
  /**
   * Destroys the session and removes its cookie from the browser. With a login of another instance the session is replaced by one
   * that has only those. Throws when the store fails: the logout failed then.
   */
  end(req: SessionRequest): Promise<void>;
  /** Replaces the session, whose login has ended, by one without it. */
  clear(req: SessionRequest): Promise<void>;
  /** Returns true when the session contains a login of another instance. */
  hasOthers(req: SessionRequest): boolean;
  /** @returns true for a login of another user than Passport's: `req.logIn` and `req.logOut` of the site change only Passport's. */
  belongsToOtherUser(req: SessionRequest): boolean;
}

/** Holds what a new session contains, in addition to its login. @internal */
export interface SessionContent {
  user: unknown;
  data?: object;
}

/** Calls Passport's own `req.logIn()`. @internal */
export type PassportCall = (callback: Done) => void;

/** Holds what a session contains of the logins of other instances. */
type Others = Pick<SiteSession, 'clinician' | 'passport'>;

/**
 * @param instance see `instanceID()`
 * @param outages receives the results of calls of the session store
 */
export function createLoginSession(instance: string, outages?: Outages): LoginSession {
  function find(req: SessionRequest): SessionLogin | undefined {
    const login = req.session?.clinician?.[instance];
    // The session store has returned it.
    if (login) outages?.succeeded('session store');
    return login;
  }

  const call: typeof callSession = (callback) => {
    const result = callSession(callback);
    return outages ? watchStore('session store', outages, result) : result;
  };

  function requireSession(req: SessionRequest): SiteSession {
    try {
      return sessionOf(req);
    } catch (error) {
      if (isClinicianError(error) && error.retryable) outages?.failed('session store', error);
      throw error;
    }
  }

  /** Returns the logins of the other instances, and Passport's user if it is the user of one of them. @param browser only of this one */
  function othersIn(session: SiteSession | undefined, browser?: string): Others {
    const { [instance]: _, ...others } = session?.clinician ?? {};
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

  function write(req: SessionRequest, login: SessionLogin): void {
    const session = sessionOf(req);
    session.clinician = { ...session.clinician, [instance]: login };
  }

  function remove(req: SessionRequest): void {
    const { clinician } = othersIn(req.session);
    if (clinician) Object.assign(req.session as SiteSession, { clinician });
    else delete req.session?.clinician;
  }

  async function saveSession(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    await call((callback) => session.save(callback));
  }

  /** Replaces the session by one with a new id, that has only the logins of other instances. */
  async function regenerate(req: SessionRequest, browser?: string): Promise<void> {
    const before = sessionOf(req);
    const others = othersIn(before, browser);
    await call((callback) => before.regenerate(callback));
    Object.assign(sessionOf(req), others);
  }

  async function renew(
    req: SessionRequest,
    login: SessionLogin,
    { user, data }: SessionContent,
    logIn?: PassportCall,
  ): Promise<void> {
    if (logIn || passportStoresUser(req)) {
      const { clinician } = othersIn(req.session, login.browser);
      await call(logIn ?? ((callback) => req.logIn?.(user, callback)));
      const session = sessionOf(req);
      session.clinician = { ...clinician, [instance]: { ...login, passportUser: passportUserOf(session) } };
    } else {
      await regenerate(req, login.browser);
      write(req, { ...login, user });
      req.user = user;
    }
    Object.assign(sessionOf(req), data);
  }

  return {
    find,
    read: (req) => requireSession(req).clinician?.[instance],
    write,
    async save(req, login) {
      write(req, login);
      await saveSession(req);
    },
    remove,
    async reload(req) {
      const session = sessionOf(req);
      await call((callback) =>
        session.reload((error) => {
          if (isGone(error)) delete sessionOf(req).clinician;
          callback(isGone(error) ? undefined : error);
        }),
      );
    },
    async establish(req, login, content, logIn) {
      try {
        await renew(req, login, content, logIn);
        await saveSession(req);
      } catch (error) {
        // express-session saves the session again at the end of the response: a sign-in reported as failed must not be in it.
        remove(req);
        delete req.session?.passport;
        delete req.user;
        throw error;
      }
    },
    async end(req) {
      const session = sessionOf(req);
      if (othersIn(session).clinician) {
        await regenerate(req);
        await saveSession(req);
      } else {
        const cookies = sessionCookies(req);
        await call((callback) => session.destroy(callback));
        if (req.res && !req.res.headersSent) {
          for (const { name, attributes } of cookies) removeCookie(req.res, name, attributes);
        }
      }
      delete req.user;
    },
    async clear(req) {
      await regenerate(req);
      delete req.user;
    },
    hasOthers: (req) => othersIn(req.session).clinician !== undefined,
    belongsToOtherUser(req) {
      const passportUser = find(req)?.passportUser;
      return passportUser !== undefined && passportUser !== passportUserOf(req.session as SiteSession);
    },
  };
}
