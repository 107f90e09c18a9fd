import { type Clock, systemClock } from '../async/clock.js';
import { checkOptions } from '../options/option-table.js';
import { clockRule } from '../options/options.js';
import type { OptionTable } from '../schema.js';
import type { StoredGrant, TokenStore, TokenStoreLock } from './token-store.js';

/** The options of {@link MemoryTokenStore}. */
export interface MemoryTokenStoreOptions {
  /** @default the system clock */
  clock?: Clock | undefined;
}

const memoryTokenStoreOptions: OptionTable<MemoryTokenStoreOptions> = {
  clock: { ...clockRule, default: systemClock },
};

/** The maximum number of logins. One more drops the login that was written longest ago. */
const MAX_GRANTS = 100_000;
const ERASED_PER_WRITE = 2;

/** Stores sealed tokens in memory: for development, tests, and a site that runs as one process. */
export class MemoryTokenStore implements TokenStore {
  readonly inMemory = true;
  readonly #clock: Clock;
  /** In the order of their last write: the first ones usually expire first. */
  readonly #grants = new Map<string, StoredGrant>();
  readonly #byUser = new Map<string, Set<string>>();
  readonly #locks = new Map<string, { expiresAt: number }>();

  constructor(options: MemoryTokenStoreOptions = {}) {
    this.#clock = checkOptions(options, memoryTokenStoreOptions, 'MemoryTokenStore').clock as Clock;
  }

  /** The number of logins in memory, including expired ones that are not erased yet. */
  get size(): number {
    return this.#grants.size;
  }

  async get(grantID: string): Promise<StoredGrant | undefined> {
    return this.#live(grantID);
  }

  async put(grantID: string, grant: StoredGrant): Promise<void> {
    this.#write(grantID, grant);
  }

  async swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean> {
    if (this.#live(grantID)?.version !== expectedVersion) return false;
    this.#write(grantID, grant);
    return true;
  }

  async delete(grantID: string): Promise<void> {
    this.#erase(grantID);
  }

  async grantsOf(userKey: string): Promise<string[]> {
    const found: [expiresAt: number, grantID: string][] = [];
    for (const grantID of this.#byUser.get(userKey) ?? []) {
      const grant = this.#live(grantID);
      if (grant) found.push([grant.expiresAt, grantID]);
    }
    return found.sort(([one], [other]) => one - other).map(([, grantID]) => grantID);
  }

  async lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined> {
    const current = this.#locks.get(grantID);
    if (current !== undefined && current.expiresAt > this.#clock.now()) return undefined;
    const lock = { expiresAt: this.#clock.now() + ttlMs };
    this.#locks.set(grantID, lock);
    return {
      release: async () => {
        if (this.#locks.get(grantID) === lock) this.#locks.delete(grantID);
      },
    };
  }

  #live(grantID: string): StoredGrant | undefined {
    const grant = this.#grants.get(grantID);
    if (grant === undefined || grant.expiresAt > this.#clock.now()) return grant;
    this.#erase(grantID);
    return undefined;
  }

  #write(grantID: string, grant: StoredGrant): void {
    this.#erase(grantID);
    this.#grants.set(grantID, Object.freeze({ ...grant }));
    const grants = this.#byUser.get(grant.userKey) ?? new Set();
    this.#byUser.set(grant.userKey, grants.add(grantID));
    this.#eraseExpired();
  }

  #erase(grantID: string): void {
    const grant = this.#grants.get(grantID);
    if (grant === undefined) return;
    this.#grants.delete(grantID);
    const grants = this.#byUser.get(grant.userKey);
    grants?.delete(grantID);
    if (grants?.size === 0) this.#byUser.delete(grant.userKey);
  }

  #eraseExpired(): void {
    let erased = 0;
    for (const [grantID, grant] of this.#grants) {
      const isFull = this.#grants.size > MAX_GRANTS;
      if (!isFull && (erased >= ERASED_PER_WRITE || grant.expiresAt > this.#clock.now())) return;
      this.#erase(grantID);
      erased += 1;
    }
  }
}
