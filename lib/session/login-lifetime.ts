import type { Clock } from '../clock.js';
import { SignInRequiredError } from '../errors.js';
import type { Events } from '../events.js';
import type { Logins, SessionLogin } from './logins.js';
import type { SiteSessionStore } from './session-store.js';
import type { SignOut } from './sign-out.js';
import type { SessionRequest } from './site-session.js';

/** A request writes the time of the last use into the stored session if this part of `idleTimeout` has passed since the last one. */
const RECORDED_PART = 1 / 20;

/** Ends logins that are not used, or too old (NIST SP 800-63B-4, OWASP Session Management Cheat Sheet). @internal */
export interface LoginLifetime {
  /** Ends a login that has expired: its tokens are revoked and erased in the background. @returns whether it had expired */
  end(req: SessionRequest, login: SessionLogin): boolean;
  /** Records that the login is used now, in the stored session. Called after the response of a request that has the login. */
  recordUse(req: SessionRequest, login: SessionLogin): void;
}

export function createLoginLifetime(options: {
  clock: Clock;
  idleTimeout: number;
  absoluteTimeout: number;
  sessionStore: SiteSessionStore;
  logins: Logins;
  signOut: SignOut;
  events: Events;
}): LoginLifetime {
  const { clock, idleTimeout, absoluteTimeout, sessionStore, logins, signOut, events } = options;
  const idleTime = ({ since, usedAt = since }: SessionLogin) => clock.now() - usedAt;

  return {
    end(req, login) {
      if (idleTime(login) <= idleTimeout && clock.now() - login.since <= absoluteTimeout) return false;
      // A further request of the session finds the login ended.
      logins.end(login.grantID);
      events.emit('login_ended', { userID: login.userKey, error: loginExpired() });
      void signOut.discard(login, req.sessionID);
      return true;
    },
    recordUse(req, login) {
      if (idleTime(login) <= idleTimeout * RECORDED_PART || req.sessionID === undefined) return;
      // If the store fails, the next request records its use.
      sessionStore.recordUse(req.sessionID, { grantID: login.grantID, usedAt: clock.now() }).catch(() => undefined);
    },
  };
}

function loginExpired(): SignInRequiredError {
  return new SignInRequiredError('login_expired', 'The login has expired. Sign in again.');
}
