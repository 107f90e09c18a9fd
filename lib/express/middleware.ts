import type { FlowName } from '../authorization-server/flows.js';
import { argumentInvalid, ConfigurationError } from '../errors/errors.js';
import type { SessionLoss } from '../session/browser-cookies.js';
import type { LoginSession } from '../session/login-session.js';
import {
  type ClinicianIdentity,
  identityOf,
  type Logins,
  type SessionLogin,
  userIDOf,
  type Verification,
} from '../session/logins.js';
import type { SiteSessionStore } from '../session/session-store.js';
import type { SignOut } from '../session/sign-out.js';
import {
  observeMissingSession,
  type SessionRequest,
  setUser,
  unsupportedSession,
  userOf,
} from '../session/site-session.js';
import { runningHandlers } from './call-checks.js';
import type { Exchange, Middleware } from './http-types.js';

/** `req.clinician` of a signed-in clinician. */
export interface AuthenticatedState {
  readonly isAuthenticated: true;
  readonly identity: ClinicianIdentity;
  /** The id of the login, for `clinician.grantOf()` outside of a request. Not enumerable, so that JSON for a browser lacks it. */
  readonly grantID: string;
  readonly flow: FlowName;
  /** The scope of the tokens as last read: a refresh may change it. */
  readonly scope: readonly string[];
  /** True only when the profile says exactly `true`, as last read: see `clinician.verification(req)`, which reads it when needed. */
  readonly verified: boolean;
  /** As last read. */
  readonly verification: Verification;
}

/** `req.clinician` of a request without a signed-in clinician. */
export interface UnauthenticatedState {
  readonly isAuthenticated: false;
  readonly identity: undefined;
  readonly grantID?: undefined;
  readonly flow: FlowName;
  /** Empty. */
  readonly scope: readonly string[];
  readonly verified: false;
  readonly verification: 'unknown';
}

/**
 * `req.clinician`, which `clinicianLogin` sets on every request. Check `isAuthenticated` first: it discriminates the
 * union.
 */
export type ClinicianRequestState = AuthenticatedState | UnauthenticatedState;

declare global {
  namespace Express {
    /** The user of the site. The declaration of `@types/passport` is the same, and a site adds members to both. */
    interface User {}
    interface Request {
      user?: User | undefined;
      /**
       * The signed-in clinician; set by `clinicianLogin`. With several instances on a site: of the one that the user has signed in
       * with.
       */
      clinician: ClinicianRequestState;
    }
  }
}

/** @returns the state of a signed-out user: one object for all requests. */
export function unauthenticatedState(flow: FlowName): UnauthenticatedState {
  const scope: readonly string[] = Object.freeze([]);
  return Object.freeze({
    isAuthenticated: false,
    identity: undefined,
    flow,
    scope,
    verified: false,
    verification: 'unknown',
  });
}

/** @returns the state of a login, whose scope and verification are read from memory when they are used. */
export function authenticatedState(
  login: SessionLogin,
  { issuer, flow, logins: known }: RequestStateParts,
): AuthenticatedState {
  const state = {
    isAuthenticated: true as const,
    identity: identityOf(login, issuer),
    flow,
    get scope() {
      return known.scopeOf(login);
    },
    get verified() {
      return known.lastVerification(login) === 'verified';
    },
    get verification() {
      return known.lastVerification(login);
    },
  };
  return Object.defineProperty(state as typeof state & { grantID: string }, 'grantID', { value: login.grantID });
}

/** @returns the site's own user, if this package stores it. */
function siteUserOf(login: SessionLogin): object {
  return (login.user as object | undefined) ?? { id: userIDOf(login) };
}

interface StatefulRequest extends SessionRequest {
  clinician?: ClinicianRequestState;
}

interface RequestStateParts {
  issuer: string;
  flow: FlowName;
  loginSession: Pick<LoginSession, 'duplicateError' | 'find' | 'hasReceived'>;
  logins: Pick<Logins, 'lastVerification' | 'scopeOf'>;
}

/** Reads `req.clinician` of one instance from the session, and sets it. @internal */
export class RequestState {
  readonly #parts: RequestStateParts;
  readonly #signedOut: ClinicianRequestState;
  /** What this instance has set on each request. */
  readonly #states = new WeakMap<SessionRequest, ClinicianRequestState>();

  constructor(parts: RequestStateParts) {
    this.#parts = parts;
    this.#signedOut = unauthenticatedState(parts.flow);
  }

  /** Throws for a request that the middleware has not received. @param call what needs it */
  assertReceived(req: SessionRequest, call: string): void {
    const { loginSession } = this.#parts;
    if (loginSession.hasReceived(req)) return;
    throw (
      loginSession.duplicateError(req) ??
      new ConfigurationError(
        'middleware_missing',
        `passport-clinician: ${call} needs the middleware of the strategy. Add app.use(strategy.middleware()) after session() and passport.session(), before your routes.`,
      )
    );
  }

  /** @returns the site's own user of this instance: `req.user` if Passport stores it; undefined if no clinician is signed in. */
  userOf(req: SessionRequest): object | undefined {
    const { loginSession } = this.#parts;
    const duplicate = loginSession.duplicateError(req);
    if (duplicate) throw duplicate;
    const login = loginSession.find(req);
    if (!login) return undefined;
    return login.passportUser === undefined ? siteUserOf(login) : (userOf(req) as object | undefined);
  }

  /** Sets `req.clinician`, and `req.user` if this package stores the user. */
  set(req: StatefulRequest, login: SessionLogin | undefined): void {
    req.clinician = this.#stateOf(login);
    this.#states.set(req, req.clinician);
    if (login && login.passportUser === undefined) setUser(req, siteUserOf(login));
  }

  /** Sets them, unless another instance has set them and the user has not signed in with this one. */
  receive(req: StatefulRequest, login: SessionLogin | undefined): void {
    const isOfOther = req.clinician !== undefined && req.clinician !== this.#states.get(req);
    if (login || !isOfOther) this.set(req, login);
  }

  #stateOf(login: SessionLogin | undefined): ClinicianRequestState {
    return login ? authenticatedState(login, this.#parts) : this.#signedOut;
  }
}

/**
 * How long a process accepts a login that it has found in the token store, in milliseconds. A slow request of another process can
 * write a session again that a sign-out has deleted, so that its cookie works here until then.
 */
const RECHECK_AFTER_MS = 60_000;

interface MiddlewareParts {
  loginSession: LoginSession;
  requestState: RequestState;
  logins: Logins;
  signOut: SignOut;
  sessionLoss: SessionLoss;
  siteSessions: SiteSessionStore;
  router: Middleware;
}

/** @returns the drop-in's middleware: sets `req.clinician` and `req.user` from the session, then calls the router. */
export function createMiddleware(parts: MiddlewareParts): Middleware {
  const { loginSession, requestState, sessionLoss, siteSessions, router } = parts;

  function respond(exchange: Exchange, login: SessionLogin | undefined): void {
    const { req, res, next } = exchange;
    requestState.receive(req, login);
    if (login) {
      const { sessionID } = req;
      sessionLoss.clear(req, res);
      res.on?.('close', () => endRequest(parts, req, login, sessionID));
    }
    // The response of a websocket lacks `headersSent`, and sends nothing.
    const isWebSocket = res.headersSent === undefined;
    runningHandlers.count += 1;
    try {
      if (isWebSocket) next();
      else router(req, res, next);
    } finally {
      runningHandlers.count -= 1;
    }
  }

  return function clinician(req, res, next) {
    if (!req?.headers) throw argumentInvalid('clinician is middleware, and needs a request. Write app.use(clinician).');
    const request: SessionRequest = req;
    if (!request.session) observeMissingSession(request);
    const mistake = unsupportedSession(request) ?? loginSession.receive(request);
    if (mistake) return next(mistake);
    // Express sets them; connect and node:http do not.
    request.res ??= res;
    request.originalUrl ??= req.url;
    siteSessions.observe(request);
    const exchange = { req: request, res, next };
    const login = loginSession.find(request);
    const change = login && updateLogin(parts, request, login);
    if (change === undefined) respond(exchange, login);
    else change.then(() => respond(exchange, loginSession.find(request))).catch(next);
  };
}

/**
 * Removes a login from the session that has ended or expired, or that is not of the user that Passport has signed in, and stores
 * the use of another one. Needs no I/O and no promise if the login was checked a short time ago.
 */
function updateLogin(
  { loginSession, logins, signOut }: MiddlewareParts,
  req: SessionRequest,
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
function saveUse(loginSession: LoginSession, req: SessionRequest, used: SessionLogin): Promise<void> {
  // If the store fails, express-session saves the session again at the end of the response.
  return loginSession.save(req, used).catch(() => undefined);
}

/**
 * Ends, after the response, what is left of a login: its tokens, if the site has ended the session by itself with `req.logout()` or
 * `req.session.destroy()`; its session, if the tokens have ended meanwhile. express-session may have saved that session again, and
 * without the tokens its id is not stored: `forget()` would not find it.
 */
function endRequest(
  { loginSession, logins, signOut, siteSessions }: MiddlewareParts,
  req: SessionRequest,
  login: SessionLogin,
  sessionID: string | undefined,
): void {
  const isInSession = loginSession.find(req)?.grantID === login.grantID;
  const hasEnded = logins.hasEnded(login);
  if (!isInSession && !hasEnded) void signOut.discard(login, sessionID);
  // A session that cannot be deleted is replaced at its next request.
  if (isInSession && hasEnded && req.sessionID) siteSessions.remove(req.sessionID).catch(() => undefined);
}
