import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Clock } from '../async/clock.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import type { SessionLoss } from '../session/browser-cookies.js';
import type { LoginSession, PassportCall } from '../session/login-session.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import type { VaultGrant } from '../token-vault/grant-records.js';
import type { SignedInUser } from './identify.js';

/** What a pending login works with. @internal */
export interface PendingLoginParts {
  loginSession: LoginSession;
  tokens: Tokens;
  logins: Logins;
  signOut: SignOut;
  sessionLoss: SessionLoss;
  events: Events;
  clock: Clock;
  /** Sets `req.clinician` from the session. */
  requestState: { set(req: SessionRequest): void };
}

/** The site's own user, and the tokens that are stored for the login. @internal */
export interface StoredUser {
  user: unknown;
  grant: VaultGrant;
  /** What the new session contains in addition. */
  data: object;
}

/** @returns the error for a sign-in whose request already has a response, for example of a timeout of the site. */
export function responseSent(): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'session_unavailable',
    'The response was sent before the sign-in was complete, so the user is not signed in. Sign in again.',
  );
}

/** A user who has signed in at the service, and whose login no session contains yet. @internal */
export class PendingLogin {
  readonly user: unknown;
  readonly grantID: string;
  readonly #parts: PendingLoginParts;
  readonly #signedIn: SignedInUser;
  readonly #stored: StoredUser;

  constructor(parts: PendingLoginParts, signedIn: SignedInUser, stored: StoredUser) {
    this.user = stored.user;
    this.grantID = stored.grant.id;
    this.#parts = parts;
    this.#signedIn = signedIn;
    this.#stored = stored;
  }

  /**
   * Writes the login into the session, in place of the login before, whose tokens are revoked. If that fails, the tokens are
   * erased and revoked. @param logIn Passport's own call, if Passport signs the user in
   */
  async establish(req: SessionRequest, res: ServerResponse, logIn?: PassportCall): Promise<void> {
    const { loginSession, tokens, logins, signOut, sessionLoss, requestState } = this.#parts;
    const { profile } = this.#signedIn;
    const { grant } = this.#stored;
    const entry = this.#entry();
    let before: SessionLogin | undefined;
    const { sessionID } = req;
    try {
      before = loginSession.read(req);
      if (res.headersSent) throw responseSent();
      await loginSession.establish(req, entry, this.#stored, logIn);
    } catch (error) {
      await this.discard();
      throw error;
    }
    if (res.headersSent) {
      // The browser may not have the id of this session: it has received another response.
      await Promise.allSettled([this.discard(), loginSession.end(req), before && signOut.discard(before, sessionID)]);
      throw responseSent();
    }
    const isStored = await tokens.setSession(grant, req);
    logins.add(loginSession.read(req) ?? entry, profile, isStored);
    await this.release(res);
    requestState.set(req);
    sessionLoss.mark(res);
    if (before) await signOut.discard(before, sessionID);
  }

  /** Leaves the tokens to the site, which has their grant id: no session contains the login. */
  async release(res: ServerResponse): Promise<void> {
    const { tokens, events } = this.#parts;
    const { response, tokens: tokenSet } = this.#signedIn;
    const { id, userKey } = this.#stored.grant;
    if (response) tokens.cacheProfile(id, response);
    events.emit('signed_in', { userID: userKey, scope: tokenSet.scope });
    // The user does not wait for the revocation of other logins, and a sign-in that fails ends none.
    finished(res, () => void tokens.limitLogins(userKey));
  }

  /** Erases and revokes the tokens. Never throws. */
  async discard(): Promise<void> {
    const { tokens, logins } = this.#parts;
    const { id, userKey } = this.#stored.grant;
    // The tokens are revoked in any case. A record that cannot be erased expires.
    await tokens.vault.forget(id).catch(() => undefined);
    logins.end(id);
    await tokens.revoke(this.#signedIn.tokens, { userID: userKey, grantID: id });
  }

  /** @returns the login as the session contains it. */
  #entry(): SessionLogin {
    const { clock } = this.#parts;
    const { id: grantID, userKey } = this.#stored.grant;
    const { identity, tokens } = this.#signedIn;
    const { id, serviceID } = identity;
    const { scope, sessionState, authTime } = tokens;
    return {
      ...{ grantID, id, scope, since: clock.now() },
      ...(userKey !== id && { userKey }),
      ...(serviceID !== undefined && { serviceID }),
      ...(authTime !== undefined && { authenticatedAt: authTime }),
      ...(sessionState && { sessionState }),
    };
  }
}
