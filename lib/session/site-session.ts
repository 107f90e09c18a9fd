import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { ConfigurationError, ServiceUnavailableError } from '../errors/errors.js';
import { requestCookies } from '../sealing/cookies.js';
import { randomText } from '../sealing/secret.js';
import type { StoredSession } from './session-store.js';

/**
 * A request with the members that Express, express-session and Passport add. Requests of Express 4 and Express 5 have
 * this type.
 */
export interface SessionRequest extends IncomingMessage, StoredSession {
  originalUrl?: string | undefined;
  baseUrl?: string;
  path?: string;
  res?: ServerResponse | undefined;
  /** The application of Express. */
  app?: { enabled?(setting: string): boolean };
  session?: SiteSession | undefined;
  /** Signs in with Passport. */
  logIn?(user: unknown, done: Done): void;
}

export type Done = (error?: unknown) => void;

/** The part of an express-session session that this package uses. */
export interface SiteSession {
  /** The login, by the id of its instance: the issuer, client ID, flow and callback path of the sign-in. */
  clinician?: Record<string, unknown>;
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

/** @returns the path and query of a request, which may contain a whole URL (RFC 9112 section 3.2.2). */
export function targetOf({ originalUrl, url }: SessionRequest): string {
  return (originalUrl ?? url ?? '/').replace(/^[a-z][\w+.-]*:\/\/[^/?#]*\/?/i, '/');
}

/** @returns the query as it was sent: a parser of the site may turn repeated parameters into arrays and objects. */
export function queryOf(req: SessionRequest): URLSearchParams {
  const url = req.originalUrl ?? req.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
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
    'passport-clinician: the session of this request is not one of express-session. Use express-session: a session in a cookie, as of cookie-session, gets no new id at the sign-in (session fixation), and the server cannot end it.',
  );
}

/**
 * @returns the site's session. Throws if there is none: a line of code is missing, or the session store is unavailable.
 * @param isLate true if the request had no session yet when the middleware received it
 */
export function sessionOf(req: SessionRequest, isLate: boolean = false): SiteSession {
  if (req.session) {
    const unsupported = unsupportedSession(req);
    if (unsupported) throw unsupported;
    if (isLate && req.app && !sessionPaths.has(req.app)) throw sessionMissing();
    if (req.app && !sessionPaths.has(req.app)) rememberSessionPath(req);
    return req.session;
  }
  const path = req.app && sessionPaths.get(req.app);
  if (path !== undefined && targetOf(req).startsWith(path))
    throw new ServiceUnavailableError(
      'session_unavailable',
      'The session store is unavailable. Try again in a moment.',
    );
  throw sessionMissing();
}

function sessionMissing(): ConfigurationError {
  return new ConfigurationError(
    'session_missing',
    'passport-clinician: this request has no session, or session() is after clinician. Put app.use(session({ ... })) of express-session before app.use(clinician). If it is there, its store has been disconnected since this process started, or its cookie.path excludes this request.',
  );
}

/** Passport reports a missing `serializeUser` by this message; the error has no code. */
const isSerializeUserMissing = (error: unknown) =>
  error instanceof Error && String(error.message).startsWith('Failed to serialize user');

/** Calls a function of express-session or Passport that takes a callback. Rejects with an error of this package. */
export async function callSession(call: (callback: Done) => void): Promise<void> {
  // The callback reads nothing of the error, which can be any value: what it throws would end the process.
  const [cause] = await new Promise<[unknown]>((resolve) => call((error) => resolve([error])));
  if (!cause) return;
  if (isSerializeUserMissing(cause)) {
    throw new ConfigurationError(
      'serialize_user_missing',
      'Passport stores the users of this site in the session. Call passport.serializeUser((user, done) => done(null, user.id)) and passport.deserializeUser(...). If they are there, this user has no id.',
      { cause },
    );
  }
  throw new ServiceUnavailableError('session_unavailable', 'The session could not be saved. Try again in a moment.', {
    cause,
  });
}

/** express-session reports a session that is no longer in the store by this message; it has no code. */
export const isGone = (error: unknown): boolean => error instanceof Error && error.message === 'failed to load session';

/** The members of a request in which Passport has its functions for the session, and the names that the site can choose. */
interface PassportRequest {
  _userProperty?: string;
  _sessionManager?: {
    _key?: string;
    _serializeUser(user: unknown, req: object, done: (error: unknown, user?: unknown) => void): void;
  };
}

/** @returns true if the site runs `passport.session()`: Passport then stores the user. */
export function passportStoresUser(req: SessionRequest): boolean {
  return typeof req.logIn === 'function' && '_sessionManager' in req;
}

/** @returns the user of the site, in the member of the request that Passport's option `userProperty` names. */
export function userOf(req: SessionRequest): unknown {
  const { _userProperty = 'user' } = req as PassportRequest;
  return Object(req)[_userProperty];
}

/** Sets the user of the site. @param user @default none */
export function setUser(req: SessionRequest, user?: unknown): void {
  const { _userProperty = 'user' } = req as PassportRequest;
  Object.assign(req, { [_userProperty]: user });
}

/** @returns the member of the session in which Passport stores the user. */
export function passportKeyOf(req: SessionRequest): string {
  return (req as PassportRequest)._sessionManager?._key ?? 'passport';
}

/**
 * @returns the user that Passport has signed in, in the form of {@link serializedForm}; empty if it has signed none in; a value that
 * equals no other for a user that has no such form
 */
export function passportUserOf(req: SessionRequest): string {
  try {
    return serializedForm(Object(req.session)[passportKeyOf(req)]?.user);
  } catch {
    return randomText(16);
  }
}

/** Leaves no user of the site in the request and its session. */
export function removeUser(req: SessionRequest): void {
  delete Object(req.session)[passportKeyOf(req)]?.user;
  setUser(req);
}

/** @returns a user that the site has serialized, as JSON: only the `id` of an object, whose other members may change. */
function serializedForm(serialized: unknown): string {
  if (serialized === undefined) return '';
  // In the form that the store returns: an id of a database's own type is an object before, and a string after.
  const user: unknown = typeof serialized === 'object' ? JSON.parse(JSON.stringify(serialized) ?? 'null') : serialized;
  return JSON.stringify(typeof user === 'object' && user !== null && 'id' in user ? { id: user.id } : user);
}

/** @returns what Passport would store for this user, in the form of {@link serializedForm}; undefined if it cannot store it. */
export async function serializedUser(req: SessionRequest, user: unknown): Promise<string | undefined> {
  const { _sessionManager: manager } = req as PassportRequest;
  try {
    return manager && serializedForm(await promisify(manager._serializeUser)(user, req));
  } catch {
    return undefined;
  }
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
