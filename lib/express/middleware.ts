import type { RequestHandler } from 'express';
import type { FlowName } from '../authorization-server/flows.js';
import type { ClinicianIdentity, Logins, SessionLogin, Verification } from '../session/logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import type { SiteSessionStore } from '../session/session-store.js';
import type { SignOut } from '../session/sign-out.js';
import { belongsToOtherUser, clearLogin, type SessionRequest } from '../session/site-session.js';

/** Describes `req.clinician` of a signed-in clinician. */
interface AuthenticatedState {
  readonly isAuthenticated: true;
  readonly identity: ClinicianIdentity;
  readonly flow: FlowName;
  /** The scope of the tokens as last read: a refresh may change it. */
  readonly scope: readonly string[];
  /** True only when the profile says exactly `true`, as last read: see `clinician.verification(req)`, which reads it when needed. */
  readonly verified: boolean;
  /** As last read. */
  readonly verification: Verification;
}

/** Describes `req.clinician` of a request without a signed-in clinician. */
interface UnauthenticatedState {
  readonly isAuthenticated: false;
  readonly identity: undefined;
  readonly flow: FlowName;
  /** Empty. */
  readonly scope: readonly string[];
  readonly verified: false;
  readonly verification: 'unknown';
}

/**
 * Describes `req.clinician`, which `clinicianLogin` sets on every request. Check `isAuthenticated` first: it discriminates the
 * union.
 */
export type ClinicianRequestState = AuthenticatedState | UnauthenticatedState;

declare global {
  namespace Express {
    interface Request {
      /** The signed-in clinician; set by `clinicianLogin`. */
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
  flow: FlowName,
  known: Pick<Logins, 'lastVerification' | 'scopeOf'>,
): AuthenticatedState {
  return {
    isAuthenticated: true,
    identity: login.identity,
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
}

/** @returns a function that sets `req.clinician` from the session. */
export function createRequestState({
  flow,
  logins,
}: {
  flow: FlowName;
  logins: Logins;
}): (req: SessionRequest) => void {
  const signedOut = unauthenticatedState(flow);
  return (req) => {
    const login = req.session?.clinician;
    const state = login ? authenticatedState(login, flow, logins) : signedOut;
    (req as SessionRequest & { clinician: ClinicianRequestState }).clinician = state;
  };
}

/** @returns the drop-in's middleware: sets `req.clinician` and `req.user` from the session, then calls the router. */
export function createMiddleware(options: {
  setRequestState: (req: SessionRequest) => void;
  logins: Logins;
  signOut: SignOut;
  sessionLoss: SessionLoss;
  sessionStore: SiteSessionStore;
  router: RequestHandler;
}): RequestHandler {
  const { setRequestState, logins, signOut, sessionLoss, sessionStore, router } = options;

  /** Removes a login from the session that has ended, or that is not of the user that Passport has signed in. */
  function removeStaleLogin(req: SessionRequest): Promise<unknown> | undefined {
    const { session } = req;
    const login = session?.clinician;
    if (!session || !login) return undefined;
    if (belongsToOtherUser(login, session)) {
      delete session.clinician;
      return signOut.discard(login);
    }
    return logins.hasEnded(login) ? clearLogin(req) : undefined;
  }

  /**
   * Ends, after the response, what is left of a login: its tokens, where the site has ended the session by itself with
   * `req.logout()` or `req.session.destroy()`; its session, where the tokens have ended meanwhile. express-session may have saved
   * that session again, and without the tokens its id is not stored: `forget()` would not find it.
   */
  function endRest(req: SessionRequest, login: SessionLogin): void {
    const isInSession = req.session?.clinician?.grantID === login.grantID;
    const hasEnded = logins.hasEnded(login);
    if (!isInSession && !hasEnded) void signOut.discard(login);
    // A session that cannot be deleted is replaced at its next request.
    if (isInSession && hasEnded && req.sessionID) sessionStore.destroy(req.sessionID).catch(() => undefined);
  }

  return function clinician(req, res, next) {
    const request: SessionRequest = req;
    sessionStore.observe(request);
    const removal = removeStaleLogin(request);
    if (removal !== undefined) {
      removal.then(() => clinician(req, res, next)).catch(next);
      return;
    }
    setRequestState(request);
    const login = request.session?.clinician;
    if (login) {
      sessionLoss.clear(request, res);
      res.once('close', () => endRest(request, login));
      if ('user' in login) req.user = login.user as Express.User;
    }
    router(req, res, next);
  };
}
