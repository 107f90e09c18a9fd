import { inTurns } from '../async/in-turns.js';
import type { PendingWork } from '../async/pending-work.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Events } from '../events/events.js';
import { MAX_LISTED } from '../token-vault/token-store.js';
import type { TokenVault } from '../token-vault/token-vault.js';
import type { Revocations } from './revocations.js';
import type { SiteSessionStore } from './session-store.js';

interface UserLoginsOptions {
  vault: Pick<TokenVault, 'find' | 'grantsOf'>;
  revocations: Pick<Revocations, 'revoke'>;
  /** Erases the tokens of a login without a revocation. @returns the erased tokens */
  erase: (grantID: string, userID: string) => Promise<TokenSet | undefined>;
  sessionStore?: Pick<SiteSessionStore, 'remove'> | undefined;
  events: Events;
  work: Pick<PendingWork, 'track'>;
}

/** The maximum number of logins of one user. */
const MAX_LOGINS = 50;
/** The maximum number of lists of one user's logins in one erasure. */
const MAX_LISTS = 100;

/** Ends the logins of one user: all of them, or those above the limit. @internal */
export class UserLogins {
  readonly #options: UserLoginsOptions;

  constructor(options: UserLoginsOptions) {
    this.#options = options;
  }

  /** Ends the logins of a user above the limit, the oldest first, with their sessions. Never throws. */
  limit(userID: string): Promise<void> {
    return this.#options.work.track(this.#limit(userID));
  }

  /** Erases and revokes everything of one user, and deletes the sessions that contain the logins. */
  forget(userID: string): Promise<void> {
    return this.#options.work.track(this.#forget(userID));
  }

  /** Ends the logins of one user except one, with their sessions. @returns how many it has ended */
  endOthers(userID: string, grantID: string): Promise<number> {
    return this.#options.work.track(this.#endOthers(userID, grantID));
  }

  async #endOthers(userID: string, grantID: string): Promise<number> {
    const logins = await this.#forgetLogins(userID, grantID);
    this.#options.events.emit('signed_out', { userID, logins });
    return logins;
  }

  async #forget(userID: string): Promise<void> {
    this.#options.events.emit('forgotten', { userID, logins: await this.#forgetLogins(userID) });
  }

  /** @param grantID the login that remains @returns how many of the logins were stored */
  async #forgetLogins(userID: string, grantID?: string): Promise<number> {
    const seen = new Set([grantID]);
    let count = 0;
    for (let lists = 0; lists < MAX_LISTS; lists += 1) {
      const listed = await this.#options.vault.grantsOf(userID);
      const grantIDs = listed.filter((id) => !seen.has(id));
      for (const id of grantIDs) seen.add(id);
      const erased = await inTurns(grantIDs, (id) => this.#forgetLogin(id, userID));
      count += erased.filter((tokens) => tokens !== undefined).length;
      // A list with the maximum length may not have all.
      if (listed.length < MAX_LISTED || grantIDs.length === 0) break;
    }
    return count;
  }

  /**
   * Erases one login, and then its session: a session that is written after that has no tokens. A session store that fails keeps no
   * tokens: the login ends with them.
   */
  async #forgetLogin(grantID: string, userID: string): Promise<TokenSet | undefined> {
    const { vault, revocations, erase, sessionStore, events } = this.#options;
    const sessionID = (await vault.find(grantID))?.sessionID;
    const tokens = await erase(grantID, userID);
    await Promise.all([
      // Each login is revoked as soon as it is erased, so that a failure of the store leaves no erased tokens unrevoked.
      tokens && revocations.revoke(tokens, { userID, grantID }),
      sessionID !== undefined &&
        sessionStore
          ?.remove(sessionID)
          .catch(() => events.report('erasure_failed', { userID, code: 'session_erasure_failed' })),
    ]);
    return tokens;
  }

  async #limit(userID: string): Promise<void> {
    try {
      await inTurns(await this.#excess(userID), (grantID) => this.#forgetLogin(grantID, userID));
    } catch {
      this.#options.events.report('erasure_failed', { userID, code: 'erasure_failed' });
    }
  }

  /** @returns the oldest logins above the limit. Records that cannot be read do not count: they may be of another site. */
  async #excess(userID: string): Promise<string[]> {
    const { vault } = this.#options;
    const grantIDs = await vault.grantsOf(userID);
    if (grantIDs.length <= MAX_LOGINS) return [];
    const grants = await inTurns(grantIDs, (grantID) => vault.find(grantID));
    const readable = grants.flatMap((grant) => grant?.id ?? []);
    return readable.slice(0, Math.max(0, readable.length - MAX_LOGINS));
  }
}
