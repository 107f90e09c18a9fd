import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { type ClinicianError, isClinicianError, refreshTokenMissing, ServiceUnavailableError } from '../errors.js';
import type { PendingWork } from '../pending-work.js';
import { createSingleFlight } from '../single-flight.js';
import {
  grantEnded,
  isFresh,
  isUsable,
  readableGrant,
  requireGrant,
  type SealedGrants,
  type VaultGrant,
  type VaultTokens,
} from './sealed-grants.js';
import type { TokenStore, TokenStoreLock } from './token-store.js';

/** Waits; rejects when the signal is aborted. Without `ref` it does not keep the process running. */
export type Pause = (ms: number, options?: { signal?: AbortSignal; ref?: boolean }) => Promise<void>;

interface GrantRefresherOptions<T> {
  store: TokenStore;
  grants: SealedGrants<T>;
  clock: Clock;
  /** Fetches what `refresh` needs and caches it for this time, while the grant is not locked. */
  prepare: (tokens: T, validForMs: number) => Promise<void>;
  /** Requests new tokens from the service. */
  refresh: (tokens: T) => Promise<T>;
  /** The longest time of `refresh`. */
  refreshTimeoutMs: number;
  /** Receives refreshed tokens of a grant that was erased, or refreshed by another process, in the meantime. */
  discard: (tokens: T) => Promise<void>;
  work: PendingWork;
  pause: Pause;
}

/** Describes what a refresh depends on, in addition to the grant. */
interface RefreshConditions {
  /** The access token that the resource API has refused. */
  refusedToken: string | undefined;
  /** The error of the preparation, or of a recent refresh. */
  obstacle: unknown;
  /** From this time on, a refresh is too late. */
  latestRequest: number;
}

/** Refreshes one grant at a time: locks it, reads it again, refreshes it at most once and replaces the record. */
interface GrantRefresher<T> {
  /**
   * @param tokens the stored tokens, which are not fresh
   * @returns an access token that is fresh and is not the refused one.
   */
  freshToken(grantID: string, tokens: T, refusedToken: string | undefined): Promise<string>;
  /** @returns the lock of the grant, or undefined when it is not free within the time. */
  acquireLock(grantID: string, timeoutMs: number): Promise<TokenStoreLock | undefined>;
  /** Releases a lock. Where the store cannot be reached, it is released when the store is available again, or expires. */
  releaseLock(grantID: string, lock: TokenStoreLock): Promise<void>;
  /** Removes and returns the tokens that replaced these ones but could not be saved. Discards those that replaced others. */
  takeUnsaved(grantID: string, replaced: T | undefined): T | undefined;
}

/** The time to lock and read a grant. After it a refresh is too late: the lock could expire before the tokens are saved. */
const MAX_LOCKING_MS = 4_000;
/** The time to save the tokens. */
const MAX_SAVING_MS = 2_000;
/** The longest wait for another process: shorter than the 60 seconds that a proxy waits for a response. */
const MAX_WAIT_MS = 45_000;
/** How often and how long tokens that could not be saved are tried again after their lock has expired. */
const UNLOCKED_PAUSE_MS = 1_000;
const MAX_SETTLING_MS = 60 * 60 * 1000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;
const MAX_BACK_OFF_MS = 30_000;
const MAX_ATTEMPTS = 10;
/** Entries in memory after failures. A dropped lock expires in the store; dropped tokens require a new sign-in. */
const MAX_ENTRIES = 10_000;

/** With `id_token_subject_changed` the service has used up the refresh token and returned the tokens of another user. */
const ENDING_CODES: ReadonlySet<string> = new Set(['invalid_grant', 'id_token_subject_changed', 'grant_ended']);

/** @returns true for a failed refresh after which the grant is erased. */
export function endsGrant(error: unknown): error is ClinicianError {
  return isClinicianError(error) && ENDING_CODES.has(error.code);
}

export function createGrantRefresher<T extends VaultTokens>(options: GrantRefresherOptions<T>): GrantRefresher<T> {
  const { store, grants, clock, prepare, refresh, discard, work, pause } = options;
  const lockTtlMs = MAX_LOCKING_MS + options.refreshTimeoutMs + MAX_SAVING_MS;
  const maxWaitMs = Math.min(lockTtlMs + MAX_PAUSE_MS, MAX_WAIT_MS);
  const backOff = createBackOff(clock);
  const unsaved = new BoundedMap<string, { replaced: T; tokens: T }>(MAX_ENTRIES);
  const unreleased = new BoundedMap<string, TokenStoreLock>(MAX_ENTRIES);
  const settlements = createSingleFlight<void>();

  async function freshToken(grantID: string, tokens: T, refusedToken: string | undefined): Promise<string> {
    const conditions = { refusedToken, obstacle: await prepareRefresh(grantID, tokens) };
    const latest = clock.now() + maxWaitMs;
    let waitedMs = 0;
    for (let ms = FIRST_PAUSE_MS; waitedMs <= maxWaitMs; ms = Math.min(ms * 2, MAX_PAUSE_MS)) {
      const token = await work.start(() => refreshIfFree(grantID, conditions));
      if (token !== undefined) return token;
      // The commands of a slow store take time too.
      if (clock.now() > latest) break;
      await pause(ms);
      waitedMs += ms;
      const grant = requireGrant(await grants.read(grantID));
      if (isFresh(grant, refusedToken, clock)) return grant.tokens.accessToken.reveal();
    }
    throw new ServiceUnavailableError('refresh_busy', 'Another process is refreshing these tokens. Retry later.');
  }

  /** @returns why no refresh can be requested: the preparation has failed, or a recent refresh. */
  async function prepareRefresh(grantID: string, tokens: T): Promise<unknown> {
    const recentFailure = backOff.current(grantID);
    if (recentFailure !== undefined || tokens.refreshToken === undefined) return recentFailure;
    try {
      await prepare(tokens, maxWaitMs + lockTtlMs);
    } catch (error) {
      backOff.recordFailure(grantID, error);
      return error;
    }
    return undefined;
  }

  /** @returns undefined while another process holds the lock. */
  async function refreshIfFree(
    grantID: string,
    conditions: Omit<RefreshConditions, 'latestRequest'>,
  ): Promise<string | undefined> {
    const latestRequest = clock.now() + MAX_LOCKING_MS;
    const lock = await tryLock(grantID);
    if (lock === undefined) return undefined;
    try {
      return await refreshUnlessFresh(grantID, { ...conditions, latestRequest });
    } finally {
      // While its tokens are not saved, no other process may present the refresh token that the service has used up.
      if (unsaved.has(grantID)) releaseLater(grantID, lock);
      else await releaseLock(grantID, lock);
    }
  }

  async function refreshUnlessFresh(grantID: string, conditions: RefreshConditions): Promise<string> {
    const { refusedToken } = conditions;
    const grant = requireGrant(await grants.read(grantID));
    if (isFresh(grant, refusedToken, clock)) return grant.tokens.accessToken.reveal();
    let next = takeUnsaved(grantID, grant.tokens);
    try {
      next ??= await requestTokens(grantID, grant.tokens, conditions);
    } catch (error) {
      const isRefreshTokenMissing = isClinicianError(error) && error.code === 'grant_ended';
      if (isRefreshTokenMissing && isUsable(grant, refusedToken, clock)) return grant.tokens.accessToken.reveal();
      return await afterFailure(grantID, grant, error);
    }
    return await save(grantID, grant, next);
  }

  async function requestTokens(grantID: string, tokens: T, { obstacle, latestRequest }: RefreshConditions): Promise<T> {
    if (tokens.refreshToken === undefined) throw grantEnded(refreshTokenMissing());
    if (obstacle !== undefined) throw obstacle;
    if (clock.now() > latestRequest) {
      throw new ServiceUnavailableError('token_store_unavailable', 'The token store is too slow. Retry later.');
    }
    try {
      const next = await refresh(tokens);
      backOff.clear(grantID);
      return next;
    } catch (error) {
      backOff.recordFailure(grantID, error);
      throw error;
    }
  }

  /** Erases the grant after an ending error, unless another process has refreshed it although its lock had expired. */
  async function afterFailure(grantID: string, grant: VaultGrant<T>, error: unknown): Promise<string> {
    if (!endsGrant(error)) throw error;
    const current = requireGrant(await grants.read(grantID));
    if (current.version !== grant.version) return current.tokens.accessToken.reveal();
    backOff.clear(grantID);
    await store.delete(grantID);
    throw error.code === 'invalid_grant' ? grantEnded(error) : error;
  }

  async function save(grantID: string, grant: VaultGrant<T>, tokens: T): Promise<string> {
    let isSaved: boolean;
    try {
      isSaved = await replaceTokens(grantID, grant, tokens);
    } catch (error) {
      // The service has revoked the old pair already. In memory, the new one survives an outage of the store.
      unsaved.set(grantID, { replaced: grant.tokens, tokens });
      throw error;
    }
    if (isSaved) return tokens.accessToken.reveal();
    await discard(tokens).catch(() => undefined);
    return requireGrant(await grants.read(grantID)).tokens.accessToken.reveal();
  }

  /** @returns false when other tokens have replaced those of the grant, or it was erased. */
  async function replaceTokens(grantID: string, grant: VaultGrant<T>, tokens: T): Promise<boolean> {
    let current: VaultGrant<T> | undefined = grant;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && hasTokensOf(current, grant); attempt += 1) {
      if (await grants.replace(grantID, current, { tokens })) return true;
      // The sign-in may have added the session id, which also changes the version.
      current = readableGrant(await grants.read(grantID));
    }
    return false;
  }

  async function acquireLock(grantID: string, timeoutMs: number): Promise<TokenStoreLock | undefined> {
    for (let waitedMs = 0; ; waitedMs += MAX_PAUSE_MS) {
      const lock = await tryLock(grantID);
      if (lock !== undefined || waitedMs >= timeoutMs) return lock;
      await pause(MAX_PAUSE_MS);
    }
  }

  /** Releases this process's own leftover lock first, so that the process does not wait for itself. */
  async function tryLock(grantID: string): Promise<TokenStoreLock | undefined> {
    await settle(grantID).catch(() => undefined);
    return await store.lock(grantID, lockTtlMs);
  }

  async function releaseLock(grantID: string, lock: TokenStoreLock): Promise<void> {
    await lock.release().catch(() => releaseLater(grantID, lock));
  }

  /** Saves the tokens and releases the lock as soon as the store is available again. */
  function releaseLater(grantID: string, lock: TokenStoreLock): void {
    unreleased.set(grantID, lock);
    void work.track(settleWhenAvailable(grantID));
  }

  async function settleWhenAvailable(grantID: string): Promise<void> {
    let waitedMs = 0;
    for (let ms = FIRST_PAUSE_MS; waitedMs <= MAX_SETTLING_MS; ms = Math.min(ms * 2, MAX_PAUSE_MS)) {
      const pauseMs = waitedMs <= lockTtlMs ? ms : UNLOCKED_PAUSE_MS;
      await pause(pauseMs, { signal: work.ended, ref: false }).catch(() => undefined);
      if (work.ended.aborted) return;
      waitedMs += pauseMs;
      const isSettled = await settle(grantID).then(
        () => true,
        () => false,
      );
      if (isSettled) return;
    }
  }

  /** Does what an outage of the store has prevented: saves the tokens of this process, then releases its lock. */
  function settle(grantID: string): Promise<void> {
    if (!unreleased.has(grantID)) return Promise.resolve();
    return settlements.run(grantID, async () => {
      const grant = readableGrant(await grants.read(grantID));
      const tokens = takeUnsaved(grantID, grant?.tokens);
      if (grant && tokens) await save(grantID, grant, tokens);
      await unreleased.get(grantID)?.release();
      unreleased.delete(grantID);
    });
  }

  function takeUnsaved(grantID: string, replaced: T | undefined): T | undefined {
    const entry = unsaved.get(grantID);
    unsaved.delete(grantID);
    // Not by the version of the record, which also changes when the session id is added.
    const current = refreshTokenOf(replaced);
    if (entry === undefined || refreshTokenOf(entry.replaced) === current) return entry?.tokens;
    // Where these tokens are the current ones, the store has executed the write whose reply was lost.
    if (refreshTokenOf(entry.tokens) !== current) void work.track(discard(entry.tokens).catch(() => undefined));
    return undefined;
  }

  return { freshToken, acquireLock, releaseLock, takeUnsaved };
}

function hasTokensOf<T extends VaultTokens>(
  current: VaultGrant<T> | undefined,
  grant: VaultGrant<T>,
): current is VaultGrant<T> {
  return current !== undefined && refreshTokenOf(current.tokens) === refreshTokenOf(grant.tokens);
}

function refreshTokenOf(tokens: VaultTokens | undefined): string | undefined {
  return tokens?.refreshToken?.reveal();
}

/** Delays calls that fail repeatedly, so that they are not retried with every request. */
interface BackOff {
  /** @returns the last failure while it is too early for a retry. */
  current(key: string): unknown;
  recordFailure(key: string, error: unknown): void;
  clear(key: string): void;
}

/** Allows an immediate retry after the first failure, then one after 1 s, 2 s, 4 s and so on, up to 30 s. */
function createBackOff(clock: Clock): BackOff {
  const failures = new BoundedMap<string, { count: number; retryAt: number; error: unknown }>(MAX_ENTRIES);

  return {
    current(key) {
      const failure = failures.get(key);
      return failure !== undefined && clock.now() < failure.retryAt ? failure.error : undefined;
    },
    recordFailure(key, error) {
      const count = (failures.get(key)?.count ?? 0) + 1;
      const waitMs = count === 1 ? 0 : Math.min(MAX_BACK_OFF_MS, 1000 * 2 ** (count - 2));
      failures.set(key, { count, retryAt: clock.now() + waitMs, error });
    },
    clear(key) {
      failures.delete(key);
    },
  };
}
