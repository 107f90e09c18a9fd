import type { MockClock } from './clock.js';

interface Entry<V> {
  readonly key: string;
  value: V;
  expiresAt: number;
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

/** How many expired entries one write may clear away: constant work, yet faster than entries come in. */
const SWEEP_PER_WRITE = 4;
/** Many Maps, because one alone stalls for a tenth of a second when it doubles at a million entries. */
const SHARDS = 64;
const DEFAULT_LIMIT = 1_048_576;

/**
 * A Map whose entries all live equally long by the clock. They stand in a list in the order of their end, so that every
 * act is O(1) whatever the number of live entries, and an entry that is deleted leaves nothing behind.
 */
export class ExpiringMap<V> {
  readonly #clock: MockClock;
  readonly #lifetime: number;
  readonly #limit: number;
  readonly #shards: readonly Map<string, Entry<V>>[];
  #oldest: Entry<V> | undefined;
  #newest: Entry<V> | undefined;
  #size = 0;

  /** Holds at most `limit` entries: a new one then takes the place of the oldest. */
  constructor(clock: MockClock, lifetime: number, limit: number = DEFAULT_LIMIT) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#limit = limit;
    this.#shards = Array.from({ length: SHARDS }, () => new Map());
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const entry = this.#shard(key).get(key);
    return entry !== undefined && entry.expiresAt > this.#clock.now() ? entry.value : undefined;
  }

  /** Keeps a value for a whole lifetime from now on. */
  set(key: string, value: V): void {
    this.delete(key);
    this.#sweep(SWEEP_PER_WRITE);
    if (this.#size >= this.#limit && this.#oldest) this.#remove(this.#oldest);
    const expiresAt = this.#clock.now() + this.#lifetime;
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

  /** @returns how many were deleted. */
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

  /** Clears away all that has ended by now: for a clock that jumped. */
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
