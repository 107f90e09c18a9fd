import { ConfigurationError, ServiceUnavailableError } from '../errors.js';
import { createCookieRemoval } from './session-cookie.js';
import type { SessionLogin, SiteRequest, SiteSession } from './types.js';

/** The applications that have had a session: one that is missing there now is a store's fault, not the code's. */
const withSessions = new WeakSet<object>();

/** @returns the site's session. Throws when there is none: for ever, by a missing line of code, or for now, by a store that is down. */
export function sessionOf(req: SiteRequest): SiteSession {
  if (req.session) {
    if (req.app) withSessions.add(req.app);
    return req.session;
  }
  if (req.app && withSessions.has(req.app))
    throw new ServiceUnavailableError(
      'session_unavailable',
      'The session store cannot be reached for now. Try again in a moment.',
    );
  throw new ConfigurationError(
    'session_missing',
    'passport-clinician: this request has no session. app.use(session({ ... })) of express-session must stand before app.use(clinician).',
  );
}

function done(act: (callback: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    act((error) => {
      if (error instanceof Error && error.message.startsWith('Failed to serialize user'))
        reject(
          new ConfigurationError(
            'serialize_user_missing',
            'Passport keeps the users of this site: give it passport.serializeUser((user, done) => ...) and deserializeUser.',
            error,
          ),
        );
      else if (error)
        reject(
          new ServiceUnavailableError(
            'session_unavailable',
            'The session could not be written. Try again in a moment.',
            error,
          ),
        );
      else resolve();
    });
  });
}

/** How express-session says that the store has no such session any more; it has no code for it. */
const isGone = (error: unknown) => error instanceof Error && error.message === 'failed to load session';

/**
 * Reads the session again: what was slow must not bring back one that ended meanwhile.
 * Throws when the store cannot tell: that ends nobody's login.
 */
export async function reloadSession(req: SiteRequest): Promise<void> {
  const session = sessionOf(req);
  await done((callback) =>
    session.reload((error) => {
      if (isGone(error)) delete sessionOf(req).clinician;
      callback(isGone(error) ? undefined : error);
    }),
  );
}

/** Passport keeps the user where the site runs `passport.session()` itself. */
function passportOwnsUser(req: SiteRequest): boolean {
  return typeof req.logIn === 'function' && '_sessionManager' in req;
}

/** @returns whom Passport has signed in: by their id where the site serializes more of them, which may change. */
function passportUserOf({ passport }: SiteSession): string {
  const kept = passport?.user;
  if (kept === undefined) return '';
  // As it is once it was stored: an id of a database's own type is an object before, and a text after.
  const user: unknown = typeof kept === 'object' ? JSON.parse(JSON.stringify(kept) ?? 'null') : kept;
  return JSON.stringify(typeof user === 'object' && user !== null && 'id' in user ? { id: user.id } : user);
}

/** @returns true for a login of somebody else than Passport has signed in: `req.logIn` and `req.logOut` can leave it behind. */
export function belongsToOtherUser({ passportUser }: SessionLogin, session: SiteSession): boolean {
  return passportUser !== undefined && passportUser !== passportUserOf(session);
}

/** Signs the person in: under a new session id, in which nothing of the old session is left (session fixation). */
export async function establishLogin(req: SiteRequest, login: SessionLogin, user: unknown): Promise<void> {
  try {
    await renewSession(req, login, user);
    await saveSession(req);
  } catch (error) {
    // express-session writes the session again at the end of the answer: a sign-in that is told to have failed must not be in it.
    delete req.session?.clinician;
    delete req.session?.passport;
    delete req.user;
    throw error;
  }
}

async function renewSession(req: SiteRequest, login: SessionLogin, user: unknown): Promise<void> {
  if (passportOwnsUser(req)) {
    await done((callback) => req.logIn?.(user, callback));
    sessionOf(req).clinician = { ...login, passportUser: passportUserOf(sessionOf(req)) };
  } else {
    const before = sessionOf(req);
    await done((callback) => before.regenerate(callback));
    sessionOf(req).clinician = { ...login, user };
    req.user = user;
  }
}

export async function saveSession(req: SiteRequest): Promise<void> {
  const session = sessionOf(req);
  await done((callback) => session.save(callback));
}

/**
 * Ends the site's session, and takes its cookie from the browser. Throws when the store could not do it: a logout that did not
 * happen is never reported as one.
 */
export async function destroySession(req: SiteRequest): Promise<void> {
  const session = sessionOf(req);
  const removeCookie = createCookieRemoval(req);
  await done((callback) => session.destroy(callback));
  removeCookie();
  delete req.user;
}

/** Leaves a session whose login is over: an empty one takes its place. */
export async function clearLogin(req: SiteRequest): Promise<void> {
  const session = sessionOf(req);
  await done((callback) => session.regenerate(callback));
  delete req.user;
}
