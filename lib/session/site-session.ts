import type { IncomingMessage, ServerResponse } from 'node:http';
import { removeCookie, requestCookies } from '../cookies.js';
import { ConfigurationError, ServiceUnavailableError } from '../errors.js';
import type { SessionLogin } from './logins.js';
import type { StoredSession } from './session-store.js';

/**
 * Describes a request with the members that Express, express-session and Passport add. Requests of Express 4 and Express 5 have
 * this type.
 */
export interface SessionRequest extends IncomingMessage, StoredSession {
  originalUrl?: string;
  res?: ServerResponse | undefined;
  app?: object;
  session?: SiteSession | undefined;
  user?: unknown;
  /** Signs in with Passport. */
  logIn?(user: unknown, done: Done): void;
}

type Done = (error?: unknown) => void;

/** Describes the part of an express-session session that this package uses. */
interface SiteSession {
  clinician?: SessionLogin;
  /** The user that Passport stores, as the site serialized it. */
  passport?: { user?: unknown };
  /** The settings of the session's own cookie. */
  cookie?: {
    path?: string | undefined;
    domain?: string | undefined;
    secure?: boolean | 'auto' | undefined;
    httpOnly?: boolean | undefined;
    sameSite?: boolean | string | undefined;
    partitioned?: boolean | undefined;
  };
  regenerate(done: (error?: unknown) => void): void;
  reload(done: (error?: unknown) => void): void;
  save(done: (error?: unknown) => void): void;
  destroy(done: (error?: unknown) => void): void;
}

/** @returns the query as it was sent: a parser of the site may turn repeated parameters into arrays and objects. */
export function queryOf(req: SessionRequest): URLSearchParams {
  const url = req.originalUrl ?? req.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}

/** The applications that have had a session: a session missing there is a fault of the store, not of the site's code. */
const appsWithSessions = new WeakSet<object>();

/** @returns the site's session. Throws when there is none: a missing line of code, or a session store that is unavailable. */
export function sessionOf(req: SessionRequest): SiteSession {
  if (req.session) {
    if (req.app) appsWithSessions.add(req.app);
    return req.session;
  }
  if (req.app && appsWithSessions.has(req.app))
    throw new ServiceUnavailableError(
      'session_unavailable',
      'The session store is unavailable. Try again in a moment.',
    );
  throw new ConfigurationError(
    'session_missing',
    'passport-clinician: this request has no session. Add app.use(session({ ... })) of express-session before app.use(clinician).',
  );
}

/** @returns the login in the site's session. Throws when there is no session. */
export function loginOf(req: SessionRequest): SessionLogin | undefined {
  return sessionOf(req).clinician;
}

/** Passport reports a missing `serializeUser` by this message; the error has no code. */
const isSerializeUserMissing = (error: unknown) =>
  error instanceof Error && error.message.startsWith('Failed to serialize user');

/** Calls a function of express-session or Passport that takes a callback. Rejects with an error of this package. */
function callSession(call: (callback: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => {
      if (isSerializeUserMissing(error))
        reject(
          new ConfigurationError(
            'serialize_user_missing',
            'Passport stores the users of this site in the session. Call passport.serializeUser((user, done) => ...) and passport.deserializeUser(...).',
            { cause: error },
          ),
        );
      else if (error)
        reject(
          new ServiceUnavailableError('session_unavailable', 'The session could not be saved. Try again in a moment.', {
            cause: error,
          }),
        );
      else resolve();
    });
  });
}

/** express-session reports a session that is no longer in the store by this message; it has no code. */
const isGone = (error: unknown) => error instanceof Error && error.message === 'failed to load session';

/**
 * Reads the session from the store again, so that a slow request does not restore a login that has ended meanwhile.
 * Throws when the store is unavailable: that ends no login.
 */
export async function reloadSession(req: SessionRequest): Promise<void> {
  const session = sessionOf(req);
  await callSession((callback) =>
    session.reload((error) => {
      if (isGone(error)) delete sessionOf(req).clinician;
      callback(isGone(error) ? undefined : error);
    }),
  );
}

/** @returns true where the site runs `passport.session()`: Passport then stores the user. */
function passportStoresUser(req: SessionRequest): boolean {
  return typeof req.logIn === 'function' && '_sessionManager' in req;
}

/** @returns the user that Passport has signed in, as JSON: only the `id` of an object, whose other members may change. */
function passportUserOf({ passport }: SiteSession): string {
  const serialized = passport?.user;
  if (serialized === undefined) return '';
  // In the form that the store returns: an id of a database's own type is an object before, and a string after.
  const user: unknown = typeof serialized === 'object' ? JSON.parse(JSON.stringify(serialized) ?? 'null') : serialized;
  return JSON.stringify(typeof user === 'object' && user !== null && 'id' in user ? { id: user.id } : user);
}

/** @returns true for the login of another user than Passport's: `req.logIn` and `req.logOut` of the site change only Passport's. */
export function belongsToOtherUser({ passportUser }: SessionLogin, session: SiteSession): boolean {
  return passportUser !== undefined && passportUser !== passportUserOf(session);
}

/**
 * Signs the user in, under a new session id and without the contents of the old session (session fixation).
 * @param logIn Passport's own call, where the site or Passport has made it
 */
export async function establishLogin(
  req: SessionRequest,
  login: SessionLogin,
  user: unknown,
  logIn?: (callback: Done) => void,
): Promise<void> {
  try {
    await renewSession(req, login, user, logIn);
    await saveSession(req);
  } catch (error) {
    // express-session saves the session again at the end of the response: a sign-in reported as failed must not be in it.
    delete req.session?.clinician;
    delete req.session?.passport;
    delete req.user;
    throw error;
  }
}

async function renewSession(
  req: SessionRequest,
  login: SessionLogin,
  user: unknown,
  logIn: ((callback: Done) => void) | undefined,
): Promise<void> {
  if (logIn || passportStoresUser(req)) {
    await callSession(logIn ?? ((callback) => req.logIn?.(user, callback)));
    sessionOf(req).clinician = { ...login, passportUser: passportUserOf(sessionOf(req)) };
  } else {
    const before = sessionOf(req);
    await callSession((callback) => before.regenerate(callback));
    sessionOf(req).clinician = { ...login, user };
    req.user = user;
  }
}

export async function saveSession(req: SessionRequest): Promise<void> {
  const session = sessionOf(req);
  await callSession((callback) => session.save(callback));
}

/** Destroys the site's session and removes its cookie from the browser. Throws when the store fails: the logout failed then. */
export async function destroySession(req: SessionRequest): Promise<void> {
  const session = sessionOf(req);
  const cookies = sessionCookies(req);
  await callSession((callback) => session.destroy(callback));
  if (req.res && !req.res.headersSent) {
    for (const { name, attributes } of cookies) removeCookie(req.res, name, attributes);
  }
  delete req.user;
}

/**
 * Returns the cookies that contain the id of this session, with their attributes. express-session does not publish its option
 * `name`. Its cookies have the form `s:`, the session's id, `.` and a signature.
 */
function sessionCookies(req: SessionRequest): { name: string; attributes: object }[] {
  if (!req.sessionID) return [];
  const signed = `s:${req.sessionID}.`;
  const { path = '/', domain, secure, httpOnly, sameSite, partitioned } = req.session?.cookie ?? {};
  const attributes = { path, domain, secure: secure === true, httpOnly, sameSite, partitioned };
  const cookies = requestCookies(req).filter(([, value]) => value.startsWith(signed));
  return cookies.map(([name]) => ({ name, attributes }));
}

/** Replaces the session, whose login has ended, by an empty one. */
export async function clearLogin(req: SessionRequest): Promise<void> {
  const session = sessionOf(req);
  await callSession((callback) => session.regenerate(callback));
  delete req.user;
}
