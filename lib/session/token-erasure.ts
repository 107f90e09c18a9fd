import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { isSameServiceSession, type TokenSet } from '../authorization-server/token-set.js';
import { WARNING_CODES, type WarningCode } from '../error-codes.js';
import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import { codeOf } from '../event-table.js';
import type { Events } from '../events.js';
import { isProfileRecord, type ProfileStore } from '../token-vault/profile-store.js';
import type { TokenVault } from '../token-vault/token-vault.js';
import { withTimeout } from '../with-timeout.js';
import type { SiteSessionStore } from './session-store.js';

const REVOCATION_TIMEOUT_MS = 2000;
/** The number of logins of a user that are erased and revoked at the same time. */
const MAX_CONCURRENT = 10;

/** Erases tokens from the store and revokes them at the service. @internal */
export interface TokenErasure {
  /**
   * Revokes at the service, in bounded time. Never throws.
   * @param continuing the tokens of a login that continues: other tokens of its session at the service are not revoked, because
   * some services would end the session
   */
  revoke(tokens: TokenSet, userID?: string, continuing?: TokenSet): Promise<void>;
  /** Erases without a revocation. @returns the erased tokens. */
  erase(grantID: string, userID?: string): Promise<TokenSet | undefined>;
  /** Erases and revokes. @param continuing see `revoke()` @returns the erased tokens. */
  revokeAndDelete(grantID: string, userID?: string, continuing?: TokenSet): Promise<TokenSet | undefined>;
  /** Erases and revokes everything of one user, and deletes the sessions that contain the logins. */
  forgetUser(userID: string): Promise<void>;
  /** Ends the oldest logins of a user who has too many, at most {@link MAX_CONCURRENT} of them. Never throws. */
  limitLogins(userID: string): Promise<void>;
}

interface TokenErasureOptions {
  server: Pick<AuthorizationServer, 'revoke'>;
  vault: TokenVault;
  profiles: ProfileStore;
  sessionStore: Pick<SiteSessionStore, 'remove'> | undefined;
  events: Events;
  maxLoginsPerUser: number;
  /** Receives the end of each login. */
  notifyEnd(grantID: string): void;
}

export function createTokenErasure(options: TokenErasureOptions): TokenErasure {
  const { server, vault, profiles, sessionStore, events, maxLoginsPerUser, notifyEnd } = options;

  async function revoke(tokens: TokenSet, userID = tokens.subject, continuing?: TokenSet): Promise<void> {
    if (isSameServiceSession(tokens, continuing)) return;
    try {
      await withTimeout(REVOCATION_TIMEOUT_MS, server.revoke(tokens.refreshToken ?? tokens.accessToken));
      events.emit('revoked', { userID });
    } catch (error) {
      // Not a failure: the service revokes no token.
      if (codeOf(error) === 'revocation_unsupported') return events.emit('revocation_unsupported', { userID });
      const cause = isClinicianError(error) ? error : revocationTimeout();
      reportFailure(events, 'revocation_failed', userID, 'revocation_failed', cause);
    }
  }

  async function eraseRecord(grantID: string, userID?: string): Promise<TokenSet | undefined> {
    const tokens = await vault.forget(grantID).catch((error: unknown) => {
      const code = codeOf(error);
      if (code !== 'grant_unreadable' && code !== 'grant_secret_unknown') throw error;
      reportFailure(events, 'revocation_failed', userID, 'revocation_failed', error);
      return undefined;
    });
    notifyEnd(grantID);
    return tokens;
  }

  async function erase(grantID: string, userID?: string): Promise<TokenSet | undefined> {
    // Before the erasure too: it may wait for a refresh, and a request of this login must not succeed meanwhile.
    notifyEnd(grantID);
    return await eraseRecord(grantID, userID);
  }

  /**
   * Erases one login, and then its session: a session that is written after that has no tokens. A session store that fails keeps no
   * tokens: the login ends with them.
   */
  async function forgetLogin(grantID: string, userID: string): Promise<TokenSet | undefined> {
    const sessionID = (await vault.find(grantID))?.sessionID;
    const tokens = await eraseRecord(grantID, userID);
    await Promise.all([
      // Each login is revoked as soon as it is erased, so that a failure of the store leaves no erased tokens unrevoked.
      tokens && revoke(tokens, userID),
      sessionID !== undefined &&
        sessionStore
          ?.remove(sessionID, grantID)
          .catch(() => reportFailure(events, 'erasure_failed', userID, 'session_erasure_failed')),
    ]);
    return tokens;
  }

  async function loginsOf(userID: string): Promise<string[]> {
    return (await vault.grantsOf(userID)).filter((id) => !isProfileRecord(id));
  }

  /** @returns the oldest logins above the limit. Records that cannot be read do not count: they may be of another site. */
  async function excessLogins(userID: string): Promise<string[]> {
    const grantIDs = await loginsOf(userID);
    if (grantIDs.length <= maxLoginsPerUser) return [];
    const grants = await inTurns(grantIDs, (grantID) => vault.find(grantID));
    const readable = grantIDs.filter((_, index) => grants[index] !== undefined);
    return readable.slice(0, Math.max(0, readable.length - maxLoginsPerUser));
  }

  return {
    revoke,
    erase,
    async revokeAndDelete(grantID, userID, continuing) {
      const tokens = await erase(grantID, userID);
      if (tokens) await revoke(tokens, userID, continuing);
      return tokens;
    },
    async forgetUser(userID) {
      const grantIDs = await loginsOf(userID);
      await profiles.withdraw(userID);
      const erased = await inTurns(grantIDs, (grantID) => forgetLogin(grantID, userID));
      events.emit('forgotten', { userID, logins: erased.filter((tokens) => tokens !== undefined).length });
    },
    async limitLogins(userID) {
      try {
        const grantIDs = await excessLogins(userID);
        await inTurns(grantIDs.slice(0, MAX_CONCURRENT), (grantID) => forgetLogin(grantID, userID));
      } catch {
        reportFailure(events, 'erasure_failed', userID, 'erasure_failed');
      }
    },
  };
}

function revocationTimeout(): ServiceUnavailableError {
  const message = `The service did not revoke the tokens within ${REVOCATION_TIMEOUT_MS / 1000} seconds.`;
  return new ServiceUnavailableError('service_timeout', message);
}

/** Emits the event of a failure and warns the operator. @param error the cause, where the event has its code */
export function reportFailure(
  events: Events,
  name: 'request_failed' | 'erasure_failed' | 'revocation_failed',
  userID: string | undefined,
  code: WarningCode,
  error?: unknown,
): void {
  events.emit(name, error === undefined ? { userID, code } : { userID, error });
  events.warn({ code, message: WARNING_CODES[code] });
}

/**
 * Runs a call for each item, ten at a time, each ten in a turn of the event loop: a user with many logins does not block other
 * requests. Rejects after the ten that contain a failure have settled.
 */
async function inTurns<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += MAX_CONCURRENT) {
    const settled = await Promise.allSettled(items.slice(start, start + MAX_CONCURRENT).map(call));
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      results.push(result.value);
    }
    await nextTurn();
  }
  return results;
}
