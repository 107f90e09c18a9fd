import { hasServiceSession, type TokenSet } from '../authorization-server/token-set.js';
import type { Events } from '../events/events.js';
import type { LoginSession } from './login-session.js';
import type { Logins, SessionLogin } from './logins.js';
import type { EndedLogin } from './service-logout.js';
import { type SiteSessionStore, userIDOf } from './session-store.js';
import type { SessionRequest } from './site-session.js';
import type { Tokens } from './tokens.js';

interface SignOutOptions {
  loginSession: LoginSession;
  tokens: Pick<Tokens, 'erase' | 'forget' | 'revoke' | 'revokeAndDelete'>;
  logins: Pick<Logins, 'end'>;
  sessionStore: Pick<SiteSessionStore, 'remove'>;
  events: Events;
}

/** Ends logins: their tokens, and the session that contains them. @internal */
export class SignOut {
  readonly #options: SignOutOptions;

  constructor(options: SignOutOptions) {
    this.#options = options;
  }

  /**
   * Revokes and erases a login that no session contains any more. Never throws.
   * @param sessionID the session that contained it. It is deleted if another request has saved it again before the erasure
   * @param replacement the tokens of the login that replaces it: see {@link Tokens.revoke}
   */
  async discard(login: SessionLogin, sessionID?: string, replacement?: TokenSet): Promise<void> {
    const { tokens, sessionStore } = this.#options;
    await this.#erase(login, () => tokens.revokeAndDelete(login.grantID, userIDOf(login), replacement));
    // A session that cannot be deleted is replaced at its next request.
    if (sessionID !== undefined) await sessionStore.remove(sessionID, login.grantID).catch(() => undefined);
  }

  /**
   * Erases the login of this session and ends the session. @returns the login, for {@link ServiceLogout.start}
   * @param stored the tokens of the login, if the site has stored them itself
   */
  async eraseSession(req: SessionRequest, stored?: TokenSet): Promise<EndedLogin | undefined> {
    const { loginSession, tokens } = this.#options;
    const login = loginSession.read(req);
    const ended = await (login ? this.#eraseLogin(login) : this.#endTokens(stored));
    try {
      await this.#end(req, login);
      return ended;
    } catch (error) {
      if (ended && !ended.isRevoked) await tokens.revoke(ended.tokens, ended.userID);
      throw error;
    }
  }

  /** Discards the login of this session and ends the session. */
  async endSession(req: SessionRequest): Promise<void> {
    const login = this.#options.loginSession.read(req);
    if (login) await this.discard(login);
    await this.#end(req, login);
  }

  /** Revokes and erases everything stored about the user, in every session, and ends this session. */
  async forgetUser(req: SessionRequest): Promise<void> {
    const { loginSession, tokens } = this.#options;
    const login = loginSession.read(req);
    if (login) await tokens.forget(userIDOf(login));
    await loginSession.end(req);
  }

  async #end(req: SessionRequest, login: SessionLogin | undefined): Promise<void> {
    const { loginSession, events } = this.#options;
    await loginSession.end(req);
    if (login) events.emit('signed_out', { userID: userIDOf(login) });
  }

  async #eraseLogin(login: SessionLogin): Promise<EndedLogin | undefined> {
    const userID = userIDOf(login);
    const erased = await this.#erase(login, () => this.#options.tokens.erase(login.grantID, userID));
    return this.#endTokens(erased, userID);
  }

  /** Revokes the tokens of a login, unless that may end the session at the service. */
  async #endTokens(tokens: TokenSet | undefined, userID?: string): Promise<EndedLogin | undefined> {
    if (tokens === undefined) return undefined;
    const isRevoked = !hasServiceSession(tokens);
    if (isRevoked) await this.#options.tokens.revoke(tokens, userID);
    return { tokens, userID, isRevoked };
  }

  /** If the token store is unavailable, the login still ends, and a new sign-in does not fail: the records expire. */
  async #erase<T>(login: SessionLogin, eraseTokens: () => Promise<T>): Promise<T | undefined> {
    try {
      return await eraseTokens();
    } catch {
      const { logins, events } = this.#options;
      logins.end(login.grantID);
      events.reportFailure('erasure_failed', userIDOf(login), 'erasure_failed');
      return undefined;
    }
  }
}
