import type { RequestHandler } from 'express';
import type { FlowName } from '../authorization-server/flows.js';
import type { ActiveLogins } from '../session/active-logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import type { SignOut } from '../session/sign-out.js';
import type { SiteRequest } from '../session/site-request.js';
import { belongsToOtherUser, clearLogin } from '../session/site-session.js';
import type { Verifications } from '../session/verification.js';
import { authenticatedState, unauthenticatedState } from './request-state.js';

/** @returns the drop-in's middleware: sets `req.clinician` and `req.user` from the session, then calls the router. */
export function createMiddleware(options: {
  flow: FlowName;
  logins: ActiveLogins;
  verifications: Verifications;
  signOut: SignOut;
  sessionLoss: SessionLoss;
  router: RequestHandler;
}): RequestHandler {
  const { flow, logins, verifications, signOut, sessionLoss, router } = options;
  const signedOut = unauthenticatedState(flow);

  /** Removes a login from the session that has ended, or that is not of the user that Passport has signed in. */
  function removeStaleLogin(req: SiteRequest): Promise<unknown> | undefined {
    const { session } = req;
    const login = session?.clinician;
    if (!session || !login) return undefined;
    if (belongsToOtherUser(login, session)) {
      delete session.clinician;
      return signOut.discard(login);
    }
    return logins.hasEnded(login) ? clearLogin(req) : undefined;
  }

  return function clinician(req, res, next) {
    const request: SiteRequest = req;
    const removal = removeStaleLogin(request);
    if (removal !== undefined) {
      removal.then(() => clinician(req, res, next), next);
      return;
    }
    const login = request.session?.clinician;
    req.clinician = login ? authenticatedState(login, flow, verifications.known) : signedOut;
    if (login) sessionLoss.clear(request, res);
    if (login && 'user' in login) req.user = login.user as Express.User;
    router(req, res, next);
  };
}
