import type { TokenSet } from '../authorization-server/token-set.js';
import type { Events } from '../events/events.js';
import type { LoginSession } from './login-session.js';
import { type Logins, type SessionLogin, userIDOf } from './logins.js';
import type { SiteSessionStore } from './session-store.js';
import type { SessionRequest } from './site-session.js';
import type { Tokens } from './tokens.js';

interface SignOutOptions {
  loginSession: LoginSession;
  tokens: Pick<Tokens, 'forget' | 'revokeAndDelete'>;
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
   */
  async discard(login: SessionLogin, sessionID?: string): Promise<void> {
    const { sessionStore } = this.#options;
    await this.#eraseLogin(login);
    // A session that cannot be deleted is replaced at its next request.
    if (sessionID !== undefined) await sessionStore.remove(sessionID).catch(() => undefined);
  }

  /** Revokes and erases the login of this session, and ends the session. @returns its tokens, for {@link ServiceLogout.start} */
  async eraseSession(req: SessionRequest): Promise<TokenSet | undefined> {
    const login = this.#options.loginSession.read(req);
    const ended = login && (await this.#eraseLogin(login));
    await this.#end(req, login);
    return ended;
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

  /** Revokes, too. If the token store is unavailable, the login still ends, and a new sign-in does not fail: the records expire. */
  async #eraseLogin(login: SessionLogin): Promise<TokenSet | undefined> {
    try {
      return await this.#options.tokens.revokeAndDelete(login.grantID, userIDOf(login));
    } catch {
      const { logins, events } = this.#options;
      logins.end(login.grantID);
      events.report('erasure_failed', { userID: userIDOf(login), code: 'erasure_failed' });
      return undefined;
    }
  }
}
