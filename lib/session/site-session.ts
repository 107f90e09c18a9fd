import type { ServerResponse } from 'node:http';
import { SITE_TIMEOUT_MS, TimeoutError, withTimeout } from '../async/timers.js';
import { ConfigurationError, ServiceUnavailableError } from '../errors/errors.js';
import { type Cookie, type Cookies, removeCookie, requestCookies } from '../sealing/cookies.js';
import { type SessionLogin, userIDOf } from './logins.js';
import { type PassportRequest, passportUserOf, removeUser, serializedUser, setUser } from './passport-user.js';

/**
 * A request with the members that Express, express-session and Passport add. Requests of Express 4 and Express 5 have
 * this type.
 */
export interface SessionRequest extends PassportRequest {
  originalUrl?: string | undefined;
  baseUrl?: string;
  path?: string;
  res?: ServerResponse | undefined;
  app?: { enabled?(setting: string): boolean };
  sessionID?: string | undefined;
  sessionStore?: SessionStore | undefined;
  session?: ExpressSession | undefined;
  logIn?(user: unknown, done: Done): void;
}

export type Done = (error?: unknown) => void;

/** The part of a session store of express-session that this package uses. */
export interface SessionStore {
  destroy(sessionID: string, done: Done): void;
}

/** The part of an express-session session that this package uses. */
export interface ExpressSession {
  /** The login, as JSON text, by the id of its instance: the issuer, client ID, flow and callback path of the sign-in. */
  clinician?: Record<string, unknown>;
  cookie?: {
    path?: string | undefined;
    domain?: string | undefined;
    secure?: boolean | 'auto' | undefined;
    httpOnly?: boolean | undefined;
    sameSite?: boolean | string | undefined;
    partitioned?: boolean | undefined;
  };
  regenerate(done: Done): void;
  reload(done: Done): void;
  save(done: Done): void;
  destroy(done: Done): void;
}

/** @returns the path and query of a request, which may contain a whole URL (RFC 9112 section 3.2.2). */
export function targetOf({ originalUrl, url }: SessionRequest): string {
  return (originalUrl ?? url ?? '/').replace(/^[a-z][\w+.-]*:\/\/[^/?#]*\/?/i, '/');
}

/**
 * The applications that have had a session, with the path of its cookie: a session missing there is a fault of the store, not of
 * the site's code.
 */
const sessionPaths = new WeakMap<object, string>();

/** Remembers that an application has sessions, and the path of their cookie. */
export function rememberSessionPath({ app, session }: SessionRequest): void {
  if (app && session) sessionPaths.set(app, session.cookie?.path ?? '/');
}

/**
 * @returns the error for a session of another package than express-session, such as cookie-session
 * @param isPassports true if only Passport uses the session
 */
export function unsupportedSession(
  { session }: SessionRequest,
  isPassports: boolean = false,
): ConfigurationError | undefined {
  if (!session) return undefined;
  const isRenewable = typeof session.regenerate === 'function' && typeof session.save === 'function';
  const isComplete = isPassports || (typeof session.reload === 'function' && typeof session.destroy === 'function');
  if (isRenewable && isComplete) return undefined;
  return new ConfigurationError(
    'session_missing',
    'passport-clinician: the session of this request does not come from express-session. Use express-session: a session in a cookie, as with cookie-session, gets no new id at the sign-in (session fixation), and the server cannot end it.',
  );
}

/**
 * @returns the site's session. Throws if there is none: a line of code is missing, or the session store is unavailable.
 * @param isLate true if the request had no session yet when the middleware received it
 */
export function sessionOf(req: SessionRequest, isLate: boolean = false): ExpressSession {
  if (req.session) {
    const unsupported = unsupportedSession(req);
    if (unsupported) throw unsupported;
    if (isLate && req.app && !sessionPaths.has(req.app)) throw sessionMissing();
    if (req.app && !sessionPaths.has(req.app)) rememberSessionPath(req);
    return req.session;
  }
  const path = req.app && sessionPaths.get(req.app);
  if (path !== undefined && targetOf(req).startsWith(path))
    throw sessionUnavailable('The session store is unavailable. Try again in a moment.');
  throw sessionMissing();
}

function sessionMissing(): ConfigurationError {
  return new ConfigurationError(
    'session_missing',
    'passport-clinician: this request has no session, or session() is after clinician. Put app.use(session({ ... })) of express-session before app.use(clinician). If it is there, check that its store is connected, and that its cookie.path covers this request.',
  );
}

/** @returns true for a site whose session cookie is `SameSite=Strict`. */
export function hasStrictCookie({ session }: SessionRequest): boolean {
  const sameSite = session?.cookie?.sameSite;
  // express-session accepts any case.
  return sameSite === true || String(sameSite).toLowerCase() === 'strict';
}

/**
 * Returns the cookies that contain the id of this session, with their attributes. express-session does not publish its option
 * `name`. Its cookies have the form `s:`, the session's id, `.` and a signature.
 */
export function sessionCookies(req: SessionRequest): { name: string; attributes: object }[] {
  if (!req.sessionID) return [];
  const signed = `s:${req.sessionID}.`;
  const { path = '/', domain, secure, httpOnly, sameSite, partitioned } = req.session?.cookie ?? {};
  const attributes = { path, domain, secure: secure === true, httpOnly, sameSite, partitioned };
  const cookies = requestCookies(req).filter(([, value]) => value.startsWith(signed));
  return cookies.map(([name]) => ({ name, attributes }));
}

/** What a new session contains, in addition to its login. @internal */
export interface SessionContent {
  user: unknown;
  data?: object;
}

/** Calls Passport's own `req.logIn()`. @internal */
export type PassportCall = (callback: Done) => void;

/** How soon after a sign-in the session must be sent back. */
const MARK_SECONDS = 2 * 60;
const DESTROY_TIMEOUT_MS = 2_000;

/**
 * The session of the site, and the login of one instance of the sign-in in it. A login of another instance (another issuer, client,
 * flow or callback) is ignored. It ends with the session: at a sign-in, and at a sign-out. @internal
 */
export class SiteSession {
  /** See `instanceID()`. */
  readonly #instance: string;
  /** Is in a browser that has signed in just now, until it has sent the session back with its login. */
  readonly mark: Cookie;
  #store: SessionStore | undefined;

  constructor(instance: string, cookies: Pick<Cookies, 'plain'>) {
    this.#instance = instance;
    this.mark = cookies.plain('signed-in', MARK_SECONDS);
  }

  /** Uses the session store of a request: see {@link destroy}. */
  observe({ sessionStore }: SessionRequest): void {
    this.#store = sessionStore ?? this.#store;
  }

  /** Replaces the login in the session, which express-session saves at the end of the response. */
  write(req: SessionRequest, login: SessionLogin): void {
    const session = sessionOf(req);
    session.clinician = { [this.#instance]: JSON.stringify(login) };
  }

  async save(req: SessionRequest, login: SessionLogin): Promise<void> {
    this.write(req, login);
    const session = sessionOf(req);
    await callSession(req, (callback) => session.save(callback));
  }

  remove(req: SessionRequest): void {
    delete req.session?.clinician;
  }

  /**
   * Reads the session from the store again, so that a slow request does not restore a login that has ended meanwhile.
   * Throws if it is not there, and when the store is unavailable: that ends no login.
   */
  async reload(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    await callSession(req, (callback) => session.reload(callback));
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
    const isOfPassport = logIn !== undefined || (req.logIn !== undefined && req._sessionManager !== undefined);
    if (isOfPassport) await this.logIn(req, user, logIn ?? ((callback) => req.logIn?.(user, callback)));
    else await this.clear(req);
    Object.assign(sessionOf(req), data);
    if (isOfPassport) return { ...login, passportUser: passportUserOf(req) };
    setUser(req, user);
    // The login has the id of the user already.
    const isOnlyID = JSON.stringify(user) === JSON.stringify({ id: userIDOf(login) });
    return isOnlyID ? login : { ...login, user };
  }

  /** Signs a user in by a call of Passport, which renews the session. */
  async logIn(req: SessionRequest, user: unknown, call: PassportCall): Promise<void> {
    // The middleware may have received no request before.
    this.observe(req);
    await this.#renew(req, call, async () => (await serializedUser(req, user)) === undefined);
  }

  /**
   * Leaves no user in the request and its session, which has a new id, and deletes the session before: its renewal may have failed.
   * Never throws.
   */
  async abandon(req: SessionRequest, before: string | undefined): Promise<void> {
    // If the store fails, express-session saves the session again at the end of the response.
    this.remove(req);
    removeUser(req);
    if (req.sessionID !== undefined) await this.clear(req).catch(() => undefined);
    if (before !== undefined && before !== req.sessionID) await this.destroy(before).catch(() => undefined);
  }

  /** @throws ConfigurationError if the session has the same id as before: a browser that knew it would be signed in, too. */
  async #renew(req: SessionRequest, ...call: SessionCall): Promise<void> {
    const { sessionID } = req;
    await callSession(req, ...call);
    if (req.sessionID !== sessionID) return;
    const { session } = req;
    // Only the site knows what has signed the user in, and where in the session the user is.
    if (session?.destroy) await callSession(req, (callback) => session.destroy(callback)).catch(() => undefined);
    req.session = undefined;
    setUser(req);
    throw new ConfigurationError(
      'session_missing',
      'passport-clinician: the session got no new id at the sign-in, so another browser that knew the id would be signed in, too (session fixation). Install Passport 0.7, and check with npm ls passport: 0.5 and older do not renew the session. If you have 0.7, look for code that replaces req.logIn() or session.regenerate().',
    );
  }

  /** Destroys the session and removes its cookie from the browser. Throws when the store fails: the logout failed then. */
  async end(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    const { res } = req;
    const cookies = sessionCookies(req);
    await callSession(req, (callback) => session.destroy(callback));
    if (res && !res.headersSent) {
      for (const { name, attributes } of cookies) removeCookie(res, name, attributes);
      // The routes that have received the login since the sign-in may be before the middleware.
      this.mark.clear(req, res);
    }
    setUser(req);
  }

  /** Replaces the session by an empty one with a new id. */
  async clear(req: SessionRequest): Promise<void> {
    const session = sessionOf(req);
    await this.#renew(req, (callback) => session.regenerate(callback));
    setUser(req);
  }

  /** Deletes any session of the site with all its data. Rejects when the store fails, and before the first request. */
  async destroy(sessionID: string): Promise<void> {
    const store = this.#store;
    if (!store) throw new Error('no request has been received yet');
    const destroyed = new Promise<void>((resolve, reject) => {
      store.destroy(sessionID, (error) => (error ? reject(error) : resolve()));
    });
    await withTimeout(DESTROY_TIMEOUT_MS, destroyed);
  }

  /**
   * Detects a site whose session does not survive the sign-in, which would otherwise redirect its users forever. Call it for a
   * request without a login. @returns an error, once, for a browser that has the mark
   */
  detectLoss(req: SessionRequest, res: ServerResponse): ConfigurationError | undefined {
    if (!this.mark.read(req)) return undefined;
    this.mark.clear(req, res);
    return new ConfigurationError(
      'session_not_saved',
      "passport-clinician: a user signed in, but the next request had no login in its session. Check session(): cookie.secure needs https, and behind a proxy app.set('trust proxy', 'loopback'), or its address. Over http, set cookie: { secure: 'auto' }. cookie.path and cookie.domain must match the site. All processes need one session store and one tokenStore.",
    );
  }
}

function sessionUnavailable(message: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('session_unavailable', message, { cause });
}

/** A function, and one that resolves to true if its error is of the site's own `serializeUser`: it is thrown as it is. */
type SessionCall = [call: (callback: Done) => void, isOfSite?: () => Promise<boolean>];

/** Passport reports a missing `serializeUser` by this message; the error has no code. */
const isSerializeUserMissing = (error: unknown) =>
  error instanceof Error && String(error.message).startsWith('Failed to serialize user');

/** Calls a function of express-session or Passport that takes a callback. Rejects with an error of this package. */
async function callSession(req: SessionRequest, ...[call, isOfSite]: SessionCall): Promise<void> {
  // The callback reads nothing of the error, which can be any value: what it throws would end the process.
  const called = new Promise<[unknown]>((resolve) => call((error) => resolve([error])));
  const [cause] = await withTimeout(SITE_TIMEOUT_MS, called).catch((error) => {
    if (!(error instanceof TimeoutError)) throw error;
    // Without an id express-session sets no cookie, and does not wait for its store before it ends the response.
    req.sessionID = undefined;
    // A call that ends later may have renewed the session, and signed the user in.
    called.then(() => req.sessionID !== undefined && req.session?.destroy(() => undefined)).catch(() => undefined);
    const limit = `${SITE_TIMEOUT_MS / 1000} seconds`;
    throw sessionUnavailable(
      `The session store, or serializeUser, did not call back within ${limit}. Try again later.`,
    );
  });
  if (!cause) return;
  if (!isSerializeUserMissing(cause)) {
    throw (await isOfSite?.())
      ? cause
      : sessionUnavailable('The session could not be saved. Try again in a moment.', cause);
  }
  throw new ConfigurationError(
    'serialize_user_missing',
    'Passport stores the users of this site in the session. Call passport.serializeUser((user, done) => done(null, user.id)) and passport.deserializeUser(...). If they are there, this user has no id.',
    { cause },
  );
}
