import type { MockClock } from './clock.js';

interface Entry<V> {
  readonly key: string;
  value: V;
  expiresAt: number;
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

/** The number of expired entries that one write removes: constant work, but faster than entries are added. */
const SWEEP_PER_WRITE = 4;
/** Several Maps, because a single one blocks for 100 ms when it doubles at a million entries. */
const SHARDS = 64;
const DEFAULT_MAX_ENTRIES = 1_048_576;

/**
 * Maps keys to entries with the same lifetime. A linked list in the order of expiry makes every operation O(1), and a deleted
 * entry uses no memory.
 */
export class ExpiringMap<V> {
  readonly #clock: MockClock;
  readonly #lifetimeMs: number;
  readonly #maxEntries: number;
  readonly #shards: readonly Map<string, Entry<V>>[];
  #oldest: Entry<V> | undefined;
  #newest: Entry<V> | undefined;
  #size = 0;

  /** @param maxEntries above it a new entry replaces the oldest */
  constructor(clock: MockClock, lifetimeMs: number, maxEntries: number = DEFAULT_MAX_ENTRIES) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#maxEntries = maxEntries;
    this.#shards = Array.from({ length: SHARDS }, () => new Map());
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const entry = this.#shard(key).get(key);
    return entry !== undefined && entry.expiresAt > this.#clock.now() ? entry.value : undefined;
  }

  /** Stores a value for one lifetime. */
  set(key: string, value: V): void {
    this.delete(key);
    this.#sweep(SWEEP_PER_WRITE);
    if (this.#size >= this.#maxEntries && this.#oldest) this.#remove(this.#oldest);
    const expiresAt = this.#clock.now() + this.#lifetimeMs;
    const entry: Entry<V> = { key, value, expiresAt, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    this.#shard(key).set(key, entry);
    this.#size += 1;
  }

  delete(key: string): boolean {
    const entry = this.#shard(key).get(key);
    if (entry) this.#remove(entry);
    return entry !== undefined;
  }

  /** @returns the number of deleted entries. */
  deleteWhere(match: (value: V) => boolean): number {
    let deleted = 0;
    for (let entry = this.#newest; entry; ) {
      const { older } = entry;
      if (match(entry.value)) {
        this.#remove(entry);
        deleted += 1;
      }
      entry = older;
    }
    return deleted;
  }

  /** Removes all expired entries, after the clock was moved. */
  sweep(): void {
    this.#sweep(Number.POSITIVE_INFINITY);
  }

  clear(): void {
    for (const shard of this.#shards) shard.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#size = 0;
  }

  *values(): Generator<V> {
    const now = this.#clock.now();
    for (let entry = this.#newest; entry; entry = entry.older) if (entry.expiresAt > now) yield entry.value;
  }

  #shard(key: string): Map<string, Entry<V>> {
    return this.#shards[(key.charCodeAt(0) || 0) % SHARDS] as Map<string, Entry<V>>;
  }

  #remove(entry: Entry<V>): void {
    const { key, older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    this.#shard(key).delete(key);
    this.#size -= 1;
  }

  #sweep(limit: number): void {
    const now = this.#clock.now();
    for (let swept = 0; swept < limit && this.#oldest && this.#oldest.expiresAt <= now; swept += 1) {
      this.#remove(this.#oldest);
    }
  }
}
