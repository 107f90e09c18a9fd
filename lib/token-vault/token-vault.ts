import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import { createPendingWork, type PendingWork } from '../pending-work.js';
import type { Sealer } from '../sealer.js';
import { createSingleFlight } from '../single-flight.js';
import { createGrantRefresher, type Pause } from './grant-refresher.js';
import {
  createSealedGrants,
  FIRST_VERSION,
  type GrantContent,
  isFresh,
  isUsable,
  readableGrant,
  requireGrant,
  type VaultGrant,
  type VaultTokens,
} from './sealed-grants.js';
import type { TokenStore } from './token-store.js';

export interface TokenVaultOptions<T, S = unknown> {
  /** With {@link wrapStoreErrors}: an outage of the store must not end a grant. */
  store: TokenStore;
  /** With its own purpose, such as `'tokens'`. */
  sealer: Sealer;
  /** See {@link instanceID}. The tokens of another instance cannot be read, and are not erased. */
  instance: string;
  clock: Clock;
  /** Fetches what `refresh` needs and caches it for `validForMs`, so that a refresh sends only its request while it has the lock. */
  prepare?: (tokens: T, validForMs: number) => Promise<void>;
  /** Exchanges the tokens for new ones. An error with the code `invalid_grant` ends the grant; after others it is retained. */
  refresh: (tokens: T) => Promise<T>;
  /**
   * The longest time of `refresh`, in milliseconds. The lock of a refresh expires six seconds later, so that a slow refresh never
   * loses it, and other processes can refresh after its process has stopped.
   * @default 20000
   */
  refreshTimeoutMs?: number;
  /** Revokes tokens that a refresh returned after the user had signed out. */
  revoke?: (tokens: T) => Promise<void>;
  /** @returns plain JSON with the tokens in plain text. It is sealed at once. */
  serialize: (tokens: T) => S;
  /** The inverse of `serialize`. */
  deserialize: (serialized: S) => T;
  /** Receives a grant when it is read or replaced. `version` increases with each change of the record. */
  observe?: (grantID: string, grant: { userKey: string; tokens: T; version: number }) => void;
  /** How long before its expiry an access token is refreshed. @default 60000, but at most half of its lifetime */
  refreshBeforeMs?: number;
  /** How long unused tokens are stored. @default 30 days */
  ttlMs?: number;
  /** Tracks the refreshes in progress, for the end of the process. */
  work?: PendingWork;
  /** @internal */
  pause?: Pause;
}

/** Stores the tokens of every login, sealed, under a grant id, and provides fresh access tokens. */
export interface TokenVault<T> {
  /** @returns the grant id: random and not a token, so that a session can hold it. */
  put(userKey: string, tokens: T): Promise<string>;
  /**
   * Adds the id of the site's session that contains the login.
   * @param put the arguments of {@link TokenVault.put}, just after it: the record is read only if it has been replaced since
   */
  setSession(grantID: string, sessionID: string, put?: { userKey: string; tokens: T }): Promise<void>;
  /** @returns the id that {@link TokenVault.setSession} has added. */
  sessionOf(grantID: string): Promise<string | undefined>;
  /**
   * Waits for a refresh in any process: for at most a second while the stored token is valid, which is returned then and when the
   * refresh fails temporarily; else until it ends, or its lock expires.
   * @param options.refusedToken the access token that the resource API has refused, which is not valid
   * @returns an access token, refreshed when it is about to expire or is the refused one
   * @throws SignInRequiredError `grant_ended`, `grant_unreadable` or `grant_secret_unknown`
   */
  accessToken(grantID: string, options?: { refusedToken?: string | undefined }): Promise<string>;
  /** Throws the same errors as {@link TokenVault.accessToken} where the stored tokens cannot be used. Refreshes nothing. */
  check(grantID: string): Promise<void>;
  /** @returns the tokens as they are stored, never refreshed. */
  tokens(grantID: string): Promise<T | undefined>;
  /**
   * Erases the grant. Safe to repeat. @returns the tokens, so that the caller can revoke them at the service.
   * @throws SignInRequiredError `grant_unreadable` or `grant_secret_unknown` for a record that is not erased: it may belong to
   * another site on this store
   */
  forget(grantID: string): Promise<T | undefined>;
  /** Writes to the token store. Rejects when the store is unavailable or refuses. */
  checkStore(): Promise<void>;
  /** @returns the ids of all records of one user, the one that was written longest ago first. */
  grantsOf(userKey: string): Promise<string[]>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest wait for a refresh while the current token is valid. */
const MAX_WAIT_MS = 1_000;
/** A sign-out waits this long for a concurrent refresh. The tokens of a slower one are revoked when they arrive. */
const FORGET_LOCK_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 10;
/** No grant has this id: grant ids are random and longer. */
const HEALTH_CHECK_ID = 'health-check';
const HEALTH_CHECK_LOCK_MS = 1_000;

export function createTokenVault<T extends VaultTokens, S = unknown>(options: TokenVaultOptions<T, S>): TokenVault<T> {
  const { store, clock, refresh, revoke, sealer, instance, serialize, deserialize, observe } = options;
  const { prepare = async () => undefined, refreshTimeoutMs = 20_000, work = createPendingWork() } = options;
  const {
    refreshBeforeMs = 60_000,
    ttlMs = 30 * DAY_MS,
    pause = (ms, options) => sleep(ms, undefined, options),
  } = options;
  const sealing = { sealer, instance, serialize, deserialize };
  const grants = createSealedGrants<T, S>({ store, clock, ...sealing, observe, refreshBeforeMs, ttlMs });
  const discard = async (tokens: T) => revoke?.(tokens);
  const refresher = createGrantRefresher<T>({
    ...{ store, grants, clock, prepare, refresh, refreshTimeoutMs, discard, work, pause },
  });
  const flights = createSingleFlight<string>();

  async function accessToken(grantID: string, { refusedToken }: { refusedToken?: string | undefined } = {}) {
    const grant = requireGrant(await grants.read(grantID));
    if (isFresh(grant, refusedToken, clock)) return grant.tokens.accessToken.reveal();
    const freshToken = () => flights.run(grantID, () => refresher.freshToken(grantID, grant.tokens, refusedToken));
    const token = await (isUsable(grant, refusedToken, clock) ? freshOrCurrent(grant, freshToken()) : freshToken());
    // A shared flight may have started for another reason and returned the token that is refused here.
    return token === refusedToken ? await freshToken() : token;
  }

  /** @returns the current token, which is valid, where the refresh takes longer than a second or fails temporarily. */
  async function freshOrCurrent(grant: VaultGrant<T>, refreshing: Promise<string>): Promise<string> {
    const current = grant.tokens.accessToken.reveal();
    const ended = new AbortController();
    const waited = pause(MAX_WAIT_MS, { signal: ended.signal });
    try {
      return await Promise.race([
        refreshing,
        waited.then(() => (isUsable(grant, undefined, clock) ? current : refreshing)),
      ]);
    } catch (error) {
      if (isClinicianError(error) && error.retryable && isUsable(grant, undefined, clock)) return current;
      throw error;
    } finally {
      ended.abort();
    }
  }

  async function forget(grantID: string): Promise<T | undefined> {
    const lock = await refresher.acquireLock(grantID, FORGET_LOCK_TIMEOUT_MS);
    try {
      const read = await grants.read(grantID);
      const grant = read && requireGrant(read);
      await store.delete(grantID);
      return refresher.takeUnsaved(grantID, grant?.tokens) ?? grant?.tokens;
    } finally {
      if (lock !== undefined) await refresher.releaseLock(grantID, lock);
    }
  }

  return {
    async checkStore() {
      // Another process may hold the lock at the same time: that is a response, too.
      const lock = await store.lock(HEALTH_CHECK_ID, HEALTH_CHECK_LOCK_MS);
      await lock?.release();
    },
    put: (userKey, tokens) => grants.add(userKey, tokens),
    async setSession(grantID, sessionID, put) {
      let known: GrantContent<T> | undefined = put && { ...put, version: FIRST_VERSION };
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const current = known ?? requireGrant(await grants.read(grantID));
        // Fails when a refresh replaces the tokens at the same time.
        if (await grants.replace(grantID, current, { sessionID })) return;
        known = undefined;
      }
      throw new ServiceUnavailableError('refresh_busy', 'Other processes are refreshing these tokens. Retry later.');
    },
    sessionOf: async (grantID) => readableGrant(await grants.read(grantID))?.sessionID,
    accessToken,
    check: async (grantID) => void requireGrant(await grants.read(grantID)),
    tokens: async (grantID) => readableGrant(await grants.read(grantID))?.tokens,
    forget: (grantID) => work.track(forget(grantID)),
    grantsOf: (userKey) => store.grantsOf(userKey),
  };
}
