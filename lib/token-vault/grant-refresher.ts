import type { Clock } from '../clock.js';
import { type ClinicianError, isClinicianError, ServiceUnavailableError } from '../errors.js';
import { createBackOff } from './back-off.js';
import type { SealedGrants } from './sealed-grants.js';
import type { TokenStore, TokenStoreLock } from './token-store.js';
import { grantEnded, isFresh, isUsable, requireGrant, type VaultGrant, type VaultTokens } from './vault-grant.js';

export interface GrantRefresherOptions<T> {
  store: TokenStore;
  grants: SealedGrants<T>;
  clock: Clock;
  refresh: (tokens: T) => Promise<T>;
  /** Called with tokens that came for a grant which is gone by now. */
  discard: (tokens: T) => Promise<void>;
  lockLife: number;
  pause: (ms: number) => Promise<void>;
}

/** The refresh of one grant: locked, read again, refreshed at most once, swapped in. */
export interface GrantRefresher<T> {
  /** @returns an access token that is good now and is not the refused one. */
  renew(grantID: string, refused: string | undefined): Promise<string>;
  /** @returns the lock of the grant, or nothing when it was not to be had within the time. */
  lock(grantID: string, patience: number): Promise<TokenStoreLock | undefined>;
  /** Takes the tokens that replaced this version but could not be written, if there are any. */
  takeUnsaved(grantID: string, version: number): T | undefined;
  /** Gives a lock back. Where the store cannot be reached it is given back later, or ends by itself. */
  unlock(grantID: string, lock: TokenStoreLock): Promise<void>;
}

const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 250;
/** What an outage of the store leaves behind here. A lock that is forgotten ends by itself; whose tokens are, signs in again. */
const MOST_LEFT = 10_000;

/** `id_token_subject_changed`: the service has used up the refresh token, and what it gave instead is somebody else's. */
const ENDS_THE_GRANT: ReadonlySet<string> = new Set(['invalid_grant', 'id_token_subject_changed', 'grant_ended']);

/** @returns true for a failed refresh after which nothing is kept any more. */
export function endsTheGrant(error: unknown): error is ClinicianError {
  return isClinicianError(error) && ENDS_THE_GRANT.has(error.code);
}

export function createGrantRefresher<T extends VaultTokens>(options: GrantRefresherOptions<T>): GrantRefresher<T> {
  const { store, grants, clock, refresh, discard, lockLife, pause } = options;
  const backOff = createBackOff(clock);
  const unsaved = new Map<string, { version: number; tokens: T }>();
  const stuck = new Map<string, TokenStoreLock>();

  async function renew(grantID: string, refused: string | undefined): Promise<string> {
    let waited = 0;
    for (let wait = FIRST_PAUSE; waited <= lockLife + LONGEST_PAUSE; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
      const lock = await takeLock(grantID);
      if (lock !== undefined) return await renewLocked(grantID, refused, lock);
      await pause(wait);
      waited += wait;
      const held = requireGrant(await grants.read(grantID));
      if (isFresh(held, refused, clock)) return held.tokens.accessToken.reveal();
    }
    throw new ServiceUnavailableError('refresh_busy', 'Somebody else is refreshing these tokens and does not finish.');
  }

  async function renewLocked(grantID: string, refused: string | undefined, lock: TokenStoreLock): Promise<string> {
    try {
      return await reread(grantID, refused);
    } finally {
      await unlock(grantID, lock);
    }
  }

  async function reread(grantID: string, refused: string | undefined): Promise<string> {
    const held = requireGrant(await grants.read(grantID));
    if (isFresh(held, refused, clock)) return held.tokens.accessToken.reveal();
    let next = takeUnsaved(grantID, held.version);
    try {
      next ??= await refreshed(grantID, held.tokens);
    } catch (error) {
      const passing = isClinicianError(error) && (error.retryable || error.code === 'grant_ended');
      if (passing && isUsable(held, refused, clock)) return held.tokens.accessToken.reveal();
      return await afterRefusal(grantID, held, error);
    }
    return await save(grantID, held, next);
  }

  async function refreshed(grantID: string, tokens: T): Promise<T> {
    if (tokens.refreshToken === undefined) throw grantEnded();
    const tooEarly = backOff.current(grantID);
    if (tooEarly !== undefined) throw tooEarly;
    try {
      const next = await refresh(tokens);
      backOff.cleared(grantID);
      return next;
    } catch (error) {
      if (error instanceof Error) backOff.failed(grantID, error);
      throw error;
    }
  }

  // Refused means ended, unless the record shows that another process was faster than its lock.
  async function afterRefusal(grantID: string, held: VaultGrant<T>, error: unknown): Promise<string> {
    if (!endsTheGrant(error)) throw error;
    const now = requireGrant(await grants.read(grantID));
    if (now.version !== held.version) return now.tokens.accessToken.reveal();
    backOff.cleared(grantID);
    await store.delete(grantID);
    throw error.code === 'invalid_grant' ? grantEnded(error) : error;
  }

  async function save(grantID: string, held: VaultGrant<T>, tokens: T): Promise<string> {
    let swapped: boolean;
    try {
      swapped = await grants.replace(grantID, held, tokens);
    } catch (error) {
      // The service has revoked the old pair already. Kept here, the new one outlives a short outage of the store.
      keep(unsaved, grantID, { version: held.version, tokens });
      throw error;
    }
    if (swapped) return tokens.accessToken.reveal();
    await discard(tokens).catch(() => undefined);
    return requireGrant(await grants.read(grantID)).tokens.accessToken.reveal();
  }

  async function lock(grantID: string, patience: number): Promise<TokenStoreLock | undefined> {
    for (let waited = 0; ; waited += LONGEST_PAUSE) {
      const got = await takeLock(grantID);
      if (got !== undefined || waited >= patience) return got;
      await pause(LONGEST_PAUSE);
    }
  }

  /** What this process could not give back while the store was down must not keep it waiting for itself. */
  async function takeLock(grantID: string): Promise<TokenStoreLock | undefined> {
    const own = stuck.get(grantID);
    await own?.release().then(
      () => stuck.delete(grantID),
      () => undefined,
    );
    return await store.lock(grantID, lockLife);
  }

  async function unlock(grantID: string, lock: TokenStoreLock): Promise<void> {
    await lock.release().catch(() => {
      keep(stuck, grantID, lock);
    });
  }

  function takeUnsaved(grantID: string, version: number): T | undefined {
    const kept = unsaved.get(grantID);
    unsaved.delete(grantID);
    return kept?.version === version ? kept.tokens : undefined;
  }

  return { renew, lock, takeUnsaved, unlock };
}

function keep<V>(left: Map<string, V>, grantID: string, value: V): void {
  if (left.size >= MOST_LEFT) left.delete(left.keys().next().value as string);
  left.set(grantID, value);
}
