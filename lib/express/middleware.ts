import { argumentInvalid } from '../errors/errors.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SignOut } from '../session/sign-out.js';
import { type SessionRequest, type SiteSession, unsupportedSession } from '../session/site-session.js';
import type { Visit, Visits } from '../session/visit.js';
import { runningHandlers } from './call-checks.js';
import type { Middleware } from './http-types.js';
import type { RouteHandler } from './router.js';

/**
 * How long a process accepts a login that it has found in the token store, in milliseconds. A slow request of another process can
 * write a session again that a sign-out has deleted, so that its cookie works here until then.
 */
const RECHECK_AFTER_MS = 60_000;

interface MiddlewareParts {
  visits: Visits;
  loginSession: SiteSession;
  logins: Logins;
  signOut: SignOut;
  route: RouteHandler;
}

/** @returns the drop-in's middleware: sets `req.clinician` and `req.user` from the session, then calls the router. */
export function createMiddleware(parts: MiddlewareParts): Middleware {
  const { visits, loginSession, route } = parts;

  function respond(visit: Visit): void {
    const { req, res, login } = visit;
    visit.setState(false);
    if (login) {
      const { sessionID } = req;
      loginSession.clearMark(req, res);
      res.on?.('close', () => endRequest(parts, visit, login, sessionID));
    }
    // The response of a websocket lacks `headersSent`, and sends nothing.
    const isWebSocket = res.headersSent === undefined;
    runningHandlers.count += 1;
    try {
      if (isWebSocket) visit.next();
      else void route(visit);
    } finally {
      runningHandlers.count -= 1;
    }
  }

  return function clinician(req: SessionRequest, res, next) {
    if (!req?.headers) throw argumentInvalid('clinician is middleware, and needs a request. Write app.use(clinician).');
    const mistake = unsupportedSession(req) ?? visits.duplicateError(req);
    if (mistake) return next(mistake);
    // Express sets them; connect and node:http do not.
    req.res ??= res;
    req.originalUrl ??= req.url;
    loginSession.observe(req);
    const visit = visits.receive(req, res, next);
    const { login } = visit;
    const change = login && updateLogin(parts, visit, login);
    if (change === undefined) respond(visit);
    else change.then(() => respond(visit)).catch(next);
  };
}

/**
 * Removes a login from the session that has ended or expired, or that is not of the user that Passport has signed in, and stores
 * the use of another one. Needs no I/O and no promise if the login was checked a short time ago.
 */
function updateLogin(
  { loginSession, logins, signOut }: MiddlewareParts,
  { req }: Visit,
  login: SessionLogin,
): Promise<unknown> | undefined {
  if (loginSession.belongsToOtherUser(req, login)) {
    loginSession.remove(req);
    return signOut.discard(login);
  }
  const used = logins.use(login);
  if (!used) {
    void signOut.discard(login, req.sessionID);
    return loginSession.clear(req);
  }
  const isActive = logins.isActive(login, RECHECK_AFTER_MS);
  const isSaved = used === login;
  if (isActive === true && isSaved) return undefined;
  return (
    Promise.resolve(isActive)
      // If the token store is unavailable, a guard reports that.
      .catch(() => true)
      .then(async (active) => {
        if (!active) await loginSession.clear(req);
        else if (!isSaved) await saveUse(loginSession, req, used);
      })
  );
}

/** Saves the session before the request is handled: a slow request must not write later what it has read before. */
function saveUse(loginSession: SiteSession, req: SessionRequest, used: SessionLogin): Promise<void> {
  // If the store fails, express-session saves the session again at the end of the response.
  return loginSession.save(req, used).catch(() => undefined);
}

/**
 * Ends, after the response, what is left of a login: its tokens, if the site has ended the session by itself with `req.logout()` or
 * `req.session.destroy()`; its session, if the tokens have ended meanwhile. express-session may have saved that session again, and
 * without the tokens its id is not stored: `forget()` would not find it.
 */
function endRequest(
  { loginSession, logins, signOut }: MiddlewareParts,
  visit: Visit,
  login: SessionLogin,
  sessionID: string | undefined,
): void {
  const { req } = visit;
  const isInSession = visit.login?.grantID === login.grantID;
  const hasEnded = logins.hasEnded(login);
  if (!isInSession && !hasEnded) void signOut.discard(login, sessionID);
  // A session that cannot be deleted is replaced at its next request.
  if (isInSession && hasEnded && req.sessionID) loginSession.destroy(req.sessionID).catch(() => undefined);
}
