import { type Clock, systemClock } from '../clock.js';
import type { StoredGrant, TokenStore, TokenStoreLock } from './token-store.js';

export interface MemoryTokenStoreOptions {
  /** @default the machine's clock */
  clock?: Clock;
  /**
   * How many logins are kept at most. When one more comes, the one untouched for longest goes, and that person signs in again.
   * @default 100000
   */
  maxGrants?: number;
}

const SWEPT_PER_WRITE = 2;

/** Keeps sealed tokens in this process: for development, tests, and a site that runs as one process. */
export class MemoryTokenStore implements TokenStore {
  readonly #clock: Clock;
  readonly #maxGrants: number;
  /** In the order of their last write, so that the front is what expires first. */
  readonly #grants = new Map<string, StoredGrant>();
  readonly #byUser = new Map<string, Set<string>>();
  readonly #locks = new Map<string, { endsAt: number }>();

  constructor(options: MemoryTokenStoreOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#maxGrants = options.maxGrants ?? 100_000;
  }

  /** How many logins are in memory, those included whose time has come and who were not swept yet. */
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
    return [...(this.#byUser.get(userKey) ?? [])].filter((grantID) => this.#live(grantID) !== undefined);
  }

  async lock(grantID: string, lifeMs: number): Promise<TokenStoreLock | undefined> {
    const held = this.#locks.get(grantID);
    if (held !== undefined && held.endsAt > this.#clock.now()) return undefined;
    const mine = { endsAt: this.#clock.now() + lifeMs };
    this.#locks.set(grantID, mine);
    return {
      release: async () => {
        if (this.#locks.get(grantID) === mine) this.#locks.delete(grantID);
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
    this.#sweep();
  }

  #erase(grantID: string): void {
    const grant = this.#grants.get(grantID);
    if (grant === undefined) return;
    this.#grants.delete(grantID);
    const grants = this.#byUser.get(grant.userKey);
    grants?.delete(grantID);
    if (grants?.size === 0) this.#byUser.delete(grant.userKey);
  }

  #sweep(): void {
    let swept = 0;
    for (const [grantID, grant] of this.#grants) {
      const full = this.#grants.size > this.#maxGrants;
      if (!full && (swept >= SWEPT_PER_WRITE || grant.expiresAt > this.#clock.now())) return;
      this.#erase(grantID);
      swept += 1;
    }
  }
}
