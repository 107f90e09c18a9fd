import type { TokenSet } from '../authorization-server/token-set.js';
import type { Events } from '../events.js';
import type { ActiveLogins } from './active-logins.js';
import type { SessionLogin } from './session-login.js';
import type { SiteRequest } from './site-request.js';
import { destroySession, loginOf } from './site-session.js';
import type { TokenManager } from './token-manager.js';

/** Ends logins: their tokens, and the session that contains them. @internal */
export interface SignOut {
  /** Revokes and erases a login that no session contains any more. Never throws. @returns its tokens. */
  discard(login: SessionLogin): Promise<TokenSet | undefined>;
  /** Discards the login of this session and destroys the session. @returns the tokens of the login. */
  endSession(req: SiteRequest): Promise<TokenSet | undefined>;
  /** Revokes and erases everything stored about the user, in every session, and destroys this session. */
  forgetUser(req: SiteRequest): Promise<void>;
}

export function createSignOut(options: { tokens: TokenManager; logins: ActiveLogins; events: Events }): SignOut {
  const { tokens, logins, events } = options;

  /**
   * Revokes and erases. If the token store is unavailable, the login still ends, and a new sign-in does not fail: the records
   * expire.
   */
  async function discard({ grantID, userKey }: SessionLogin): Promise<TokenSet | undefined> {
    try {
      return await tokens.revokeAndDelete(grantID, userKey);
    } catch {
      logins.end(grantID);
      events.emit('erasure_failed', { userID: userKey, code: 'erasure_failed' });
      events.warn({
        code: 'erasure_failed',
        message: 'The tokens of a login that ended could not be erased from the token store. They expire there.',
      });
      return undefined;
    }
  }

  return {
    discard,
    async endSession(req) {
      const login = loginOf(req);
      const ended = login && (await discard(login));
      await destroySession(req);
      if (login) events.emit('signed_out', { userID: login.userKey });
      return ended;
    },
    async forgetUser(req) {
      const login = loginOf(req);
      if (login) await tokens.forgetUser(login.userKey);
      await destroySession(req);
    },
  };
}
