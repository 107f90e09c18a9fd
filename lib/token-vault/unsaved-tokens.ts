import { BoundedMap } from '../async/bounded-map.js';
import { createSingleFlight } from '../async/single-flight.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { VaultGrant } from './grant-records.js';
import type { TokenStoreLock } from './token-store.js';

/** Tokens that the service has returned, and that no record contains. */
interface RefreshedTokens {
  /** The grant, as it was when its tokens were refreshed. */
  replaced: VaultGrant;
  tokens: TokenSet;
}

/** A dropped lock expires in the store; dropped tokens require a new sign-in. */
const MAX_ENTRIES = 10_000;

/** What an outage of the token store has left in memory: refreshed tokens that are not saved, and locks that are not released. */
export class UnsavedTokens {
  readonly #entries = new BoundedMap<string, { lock?: TokenStoreLock; refreshed?: RefreshedTokens }>(MAX_ENTRIES);
  readonly #savings = createSingleFlight<void>();
  readonly #save: (refreshed: RefreshedTokens) => Promise<unknown>;

  /** @param save replaces the tokens of a grant, or revokes the new ones if others have replaced them. Rejects when the store fails */
  constructor(save: (refreshed: RefreshedTokens) => Promise<unknown>) {
    this.#save = save;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  add(refreshed: RefreshedTokens): void {
    const { id } = refreshed.replaced;
    this.#entries.set(id, { ...this.#entries.get(id), refreshed });
  }

  addLock(grantID: string, lock: TokenStoreLock): void {
    this.#entries.set(grantID, { ...this.#entries.get(grantID), lock });
  }

  has(grantID: string): boolean {
    return this.#entries.get(grantID)?.refreshed !== undefined;
  }

  /** Removes and returns the refreshed tokens of a grant. */
  take(grantID: string): RefreshedTokens | undefined {
    const { lock, refreshed } = this.#entries.get(grantID) ?? {};
    if (refreshed) this.#entries.set(grantID, { ...(lock && { lock }) });
    return refreshed;
  }

  /** Saves the tokens of a grant, and then releases its lock. Rejects when the store fails. */
  async release(grantID: string): Promise<void> {
    if (!this.#entries.has(grantID)) return;
    await this.#savings.run(grantID, async () => {
      const entry = this.#entries.get(grantID);
      if (entry?.refreshed) await this.#save(entry.refreshed);
      await entry?.lock?.release();
      if (this.#entries.get(grantID) === entry) this.#entries.delete(grantID);
    });
  }

  /** Tries each grant: a part of the store may fail. Rejects with the first failure. */
  async releaseAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const grantID of [...this.#entries.keys()]) {
      await this.release(grantID).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
