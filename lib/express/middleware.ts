import { argumentInvalid } from '../errors/errors.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SignOut } from '../session/sign-out.js';
import { type SessionRequest, type SiteSession, unsupportedSession } from '../session/site-session.js';
import type { Visit, Visits } from '../session/visit.js';
import type { Middleware } from './http-types.js';
import type { RouteHandler } from './router.js';

/**
 * How long a process accepts a login that it has found in the token store, in milliseconds. A slow request of another process can
 * write a session again that a sign-out has deleted, so that its cookie works here until then.
 */
const RECHECK_AFTER_MS = 60_000;

/** The drop-in's middleware: sets `req.clinician` and `req.user` from the session, then calls the routes. @internal */
export class LoginMiddleware {
  readonly #visits: Visits;
  readonly #session: SiteSession;
  readonly #logins: Logins;
  readonly #signOut: SignOut;
  readonly #route: RouteHandler;

  constructor(from: {
    visits: Visits;
    session: SiteSession;
    logins: Logins;
    signOut: SignOut;
    route: RouteHandler;
  }) {
    this.#visits = from.visits;
    this.#session = from.session;
    this.#logins = from.logins;
    this.#signOut = from.signOut;
    this.#route = from.route;
  }

  middleware(): Middleware {
    const clinician: Middleware = (req: SessionRequest, res, next) => {
      if (!req?.headers)
        throw argumentInvalid('clinician is middleware, and needs a request. Write app.use(clinician).');
      const mistake = unsupportedSession(req);
      if (mistake) return next(mistake);
      // Express sets them; connect and node:http do not.
      req.res ??= res;
      req.originalUrl ??= req.url;
      let visit: Visit;
      try {
        visit = this.#visits.receive(req, res, next);
      } catch (duplicate) {
        return next(duplicate);
      }
      this.#session.observe(req);
      const { login } = visit;
      const change = login && this.#updateLogin(visit, login);
      if (change === undefined) this.#passOn(visit);
      else change.then(() => this.#passOn(visit)).catch(next);
    };
    return clinician;
  }

  #passOn(visit: Visit): void {
    const { req, res, login } = visit;
    visit.setState(false);
    if (login) {
      this.#session.mark.clear(req, res);
      res.on?.('close', this.#endOf(visit, login));
    }
    // The response of a websocket lacks `headersSent`, and sends nothing.
    const isWebSocket = res.headersSent === undefined;
    this.#visits.handling += 1;
    try {
      if (isWebSocket) visit.next();
      else void this.#route(visit);
    } finally {
      this.#visits.handling -= 1;
    }
  }

  /**
   * Removes a login from the session that has ended or expired, or that is not of the user that Passport has signed in, and stores
   * the use of another one. Needs no I/O and no promise if the login was checked a short time ago.
   */
  #updateLogin(visit: Visit, login: SessionLogin): Promise<unknown> | undefined {
    const { req } = visit;
    const session = this.#session;
    if (login.passportUser !== undefined && !visit.currentLogin) {
      session.remove(req);
      return this.#signOut.discard(login);
    }
    const used = this.#logins.use(login);
    if (!used) {
      void this.#signOut.discard(login, req.sessionID);
      return session.clear(req);
    }
    const isActive = this.#logins.isActive(login, RECHECK_AFTER_MS);
    const isSaved = used === login;
    if (isActive === true && isSaved) return undefined;
    return (
      Promise.resolve(isActive)
        // If the token store is unavailable, a guard reports that.
        .catch(() => true)
        .then(async (active) => {
          if (!active) await session.clear(req);
          // Before the request is handled: a slow request must not write later what it has read before. If the store fails,
          // express-session saves the session again at the end of the response.
          else if (!isSaved) await session.save(req, used).catch(() => undefined);
        })
    );
  }

  /**
   * @returns what ends, after the response, the rest of a login: its tokens, if the site has ended the session by itself with
   * `req.logout()` or `req.session.destroy()`; its session, if the tokens have ended meanwhile. express-session may have saved that
   * session again, and without the tokens its id is not stored: `forget()` would not find it.
   */
  #endOf(visit: Visit, login: SessionLogin): () => void {
    const { req } = visit;
    const { sessionID } = req;
    return () => {
      const isInSession = visit.login?.grantID === login.grantID;
      const hasEnded = this.#logins.hasEnded(login);
      if (!isInSession && !hasEnded) void this.#signOut.discard(login, sessionID);
      // A session that cannot be deleted is replaced at its next request.
      if (isInSession && hasEnded && req.sessionID) this.#session.destroy(req.sessionID).catch(() => undefined);
    };
  }
}
