import { createHash } from 'node:crypto';
import { SITE_TIMEOUT_MS, withTimeout } from '../async/timers.js';
import { argumentInvalid, isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import { objectWith } from '../options/option-table.js';
import type { Site } from '../options/site.js';
import type { Schema } from '../schema.js';

/** The stored tokens of one login. Only the user and the expiry are readable. */
export interface StoredGrant {
  /** The key of {@link TokenStore.grantsOf}: your own id of the user. May contain any character, as a grant id may. */
  readonly userKey: string;
  /** The tokens, sealed by the vault: ASCII text, usually of 1 to 3 kB. */
  readonly sealed: string;
  /** Increases by one with every change; {@link TokenStore.swap} compares it. */
  readonly version: number;
  /** By option `clock`, in milliseconds since the Unix epoch. From then on, do not return the grant; you may erase it. */
  readonly expiresAt: number;
}

/** A lock that was acquired. It expires by itself, so it ends even if its process has stopped. */
export interface TokenStoreLock {
  /** Ends this lock, unless it has expired: another process may hold it now. */
  release(): Promise<void>;
}

/**
 * Stores sealed tokens between requests. Every method may reject when the store cannot be reached, and one that has not settled
 * after 30 seconds counts as rejected. The vault then reports a retryable error and signs no user out. `testTokenStore()` of
 * `passport-clinician/testing` tests every rule.
 *
 * - A grant id or a user key has 1 to 300 characters, and may contain any character, also U+0000 and a surrogate without its pair,
 *   such as of an emoji that was cut. If the database refuses or replaces some of them, the store encodes them.
 * - Grants and locks expire. When you write one, work out the time left, and let your database count it down: the clocks of the
 *   processes may differ.
 * - The store erases expired grants and locks itself, for example a few with each `put`. No method does so.
 * - No method creates tables, connects or disconnects: you do that before you pass the store, and after `close()`.
 */
export interface TokenStore {
  /** True for a store in the memory of one process. Other processes, and this one after a restart, do not have its tokens. */
  readonly inMemory?: boolean;
  /** @returns undefined for a grant that does not exist or has expired. */
  get(grantID: string): Promise<StoredGrant | undefined>;
  /** Adds or replaces the grant. */
  put(grantID: string, grant: StoredGrant): Promise<void>;
  /** Replaces the grant. @returns false, without a change, if its stored version is not `expectedVersion`, or it is missing */
  swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean>;
  /** Erases the grant. Safe to repeat. */
  delete(grantID: string): Promise<void>;
  /** @returns the ids of one user's grants that have not expired, sorted by `expiresAt`, the lowest first. The first 1,000 are used. */
  grantsOf(userKey: string): Promise<string[]>;
  /**
   * @param grantID also one without a grant
   * @param ttlMs milliseconds until the lock expires: a finite number
   * @returns undefined, without waiting, when the grant is locked already.
   */
  lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined>;
  /**
   * @param instance identifies an issuer, client ID, flow and path of the callback, in 22 characters of base64url
   * @returns the same store with separate keys, for a store that sites or instances share. Absent if they cannot
   */
  forInstance?(instance: string): TokenStore;
}

/** The maximum number of logins of one user in a list: a user has at most 50, unless the store has failed to erase some. */
export const MAX_LISTED = 1_000;

/** Checks option `tokenStore`. */
export const tokenStoreRule: Schema<TokenStore> = objectWith<TokenStore>(
  ['get', 'put', 'swap', 'delete', 'grantsOf', 'lock'],
  'a token store',
  "Pass new MemoryTokenStore(), new RedisTokenStore({ client }) of 'passport-clinician/redis', new PostgresTokenStore({ pool }) of 'passport-clinician/postgres', or an object with all methods of TokenStore.",
);

/**
 * @returns the id of one instance of the sign-in: of the processes with this issuer, client ID, flow and path of the callback. The
 * records of an instance are sealed for it, because several instances and sites may share a store and a secret.
 */
export function instanceID(site: Pick<Site, 'issuer' | 'clientID' | 'flow' | 'callbackURL'>): string {
  const { issuer, clientID, flow, callbackURL } = site;
  const { pathname } = new URL(callbackURL);
  const digest = createHash('sha256').update(JSON.stringify([issuer, clientID, flow, pathname]));
  return digest.digest('base64url').slice(0, 22);
}

/** @returns the store with lists of at most {@link MAX_LISTED} ids, and with each of its errors as a retryable error, so that a store that is down signs no user out. */
export function wrapStoreErrors(store: TokenStore): TokenStore {
  return {
    get: wrapErrors(store, 'get'),
    put: wrapErrors(store, 'put'),
    swap: wrapErrors(store, 'swap'),
    delete: wrapErrors(store, 'delete'),
    grantsOf: wrapErrors(store, 'grantsOf', usableIDs),
    // A store of the site may return null or false.
    lock: wrapErrors(store, 'lock', (lock) => lock || undefined),
  };
}

function usableIDs(listed: readonly unknown[]): string[] {
  const grantIDs: string[] = [];
  for (const id of listed) if (typeof id === 'string' && id !== '' && grantIDs.length < MAX_LISTED) grantIDs.push(id);
  return grantIDs;
}

type Methods = Omit<TokenStore, 'inMemory' | 'forInstance'>;
type Result<M extends keyof Methods> = Awaited<ReturnType<Methods[M]>>;

/** @param accept returns the part of the result that is used */
function wrapErrors<M extends keyof Methods>(store: Methods, name: M, accept?: (result: Result<M>) => Result<M>) {
  return async (...args: Parameters<Methods[M]>): Promise<Result<M>> => {
    try {
      const method = store[name] as (...args: Parameters<Methods[M]>) => Promise<Result<M>>;
      // The stores of this package have shorter limits, by their option `timeout`.
      const result = await withTimeout(SITE_TIMEOUT_MS, Promise.resolve(method.apply(store, args)));
      return accept ? accept(result) : result;
    } catch (error) {
      if (isClinicianError(error)) throw error;
      throw new ServiceUnavailableError('token_store_unavailable', 'The token store cannot be reached. Retry later.', {
        cause: error,
      });
    }
  };
}

/** @returns true for an id of a user of the site: a string that is not empty, or a number. */
export function isUserID(id: unknown): id is string | number | bigint {
  return typeof id === 'string' ? id !== '' : typeof id === 'bigint' || (typeof id === 'number' && !Number.isNaN(id));
}

/**
 * Converts the site's id of a user to the key of the stored data. Throws a {@link ConfigurationError} for another value: as text,
 * `undefined` would be the id of a user, and nothing of the intended one would be erased. @param call for the message: `forget()`
 */
export function userKeyFrom(userID: unknown, call: string): string {
  if (isUserID(userID)) return String(userID);
  throw argumentInvalid(
    `${call} needs the site's own id of the user, a string or a number, not ${kindOf(userID)}. Pass the 'id' of the user that onSignIn or the verify function returned.`,
  );
}

/** Throws a {@link ConfigurationError} unless the value can be the id of a login. @param call for the message: `grantOf()` */
export function assertGrantID(grantID: unknown, call: string, source: string): asserts grantID is string {
  if (typeof grantID === 'string' && grantID !== '') return;
  throw argumentInvalid(`${call} needs the id of a login, a string: ${source}`);
}

/** Describes a value without its contents, which may be data of a user. */
function kindOf(value: unknown): string {
  if (value === '') return 'an empty string';
  if (value === null || value === undefined || Number.isNaN(value)) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
