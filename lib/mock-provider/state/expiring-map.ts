import type { MockClock } from './clock.js';

/** Is an entry of {@link ExpiringEntries}, and an element of its list. What extends it needs no other object in memory. */
export class ExpiringEntry {
  readonly key: string;
  /** Milliseconds since the epoch; set by each {@link ExpiringEntries.set}. */
  storedAt = 0;
  older: ExpiringEntry | undefined;
  newer: ExpiringEntry | undefined;

  constructor(key: string) {
    this.key = key;
  }
}

/** The number of expired entries that one write removes: constant work, but faster than entries are added. */
const SWEEP_PER_WRITE = 4;
/** Several Maps, because a single one blocks for 100 ms when it doubles at a million entries. */
const SHARDS = 64;
const DEFAULT_MAX_ENTRIES = 1_048_576;

/**
 * Maps keys to entries with the same lifetime. A linked list in the order of expiry makes every operation O(1), and a deleted
 * entry uses no memory. An entry is in one of these at a time.
 */
export class ExpiringEntries<E extends ExpiringEntry> {
  readonly #clock: MockClock;
  readonly #lifetimeMs: number;
  readonly #maxEntries: number;
  readonly #shards: (Map<string, E> | undefined)[] = [];
  #oldest: ExpiringEntry | undefined;
  #newest: ExpiringEntry | undefined;
  #size = 0;

  /** @param maxEntries above it a new entry replaces the oldest */
  constructor(clock: MockClock, lifetimeMs: number, maxEntries: number = DEFAULT_MAX_ENTRIES) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): E | undefined {
    const entry = this.#find(key);
    return entry !== undefined && !this.#isExpired(entry) ? entry : undefined;
  }

  /** Stores an entry for one lifetime. */
  set(entry: E): void {
    const { key } = entry;
    this.delete(key);
    this.#sweep(SWEEP_PER_WRITE);
    if (this.#size >= this.#maxEntries && this.#oldest) this.#remove(this.#oldest);
    entry.storedAt = this.#clock.now();
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    const shard = shardOf(key);
    this.#shards[shard] ??= new Map();
    this.#shards[shard].set(key, entry);
    this.#size += 1;
  }

  delete(key: string): boolean {
    const entry = this.#find(key);
    if (entry) this.#remove(entry);
    return entry !== undefined;
  }

  /** @returns the number of deleted entries. */
  deleteWhere(match: (entry: E) => boolean): number {
    let deleted = 0;
    for (let entry = this.#newest; entry; ) {
      const { older } = entry;
      if (match(entry as E)) {
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
    this.#shards.length = 0;
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#size = 0;
  }

  /** @returns the entries, the newest first. */
  *values(): Generator<E> {
    for (let entry = this.#newest; entry; entry = entry.older) if (!this.#isExpired(entry)) yield entry as E;
  }

  #find(key: string): E | undefined {
    return this.#shards[shardOf(key)]?.get(key);
  }

  #isExpired({ storedAt }: ExpiringEntry): boolean {
    return storedAt + this.#lifetimeMs <= this.#clock.now();
  }

  #remove(entry: ExpiringEntry): void {
    const { key, older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    // Its neighbours would otherwise stay in memory with it.
    entry.older = undefined;
    entry.newer = undefined;
    this.#shards[shardOf(key)]?.delete(key);
    this.#size -= 1;
  }

  #sweep(limit: number): void {
    for (let swept = 0; swept < limit && this.#oldest && this.#isExpired(this.#oldest); swept += 1) {
      this.#remove(this.#oldest);
    }
  }
}

function shardOf(key: string): number {
  return (key.charCodeAt(0) || 0) % SHARDS;
}

class ValueEntry<V> extends ExpiringEntry {
  readonly value: V;

  constructor(key: string, value: V) {
    super(key);
    this.value = value;
  }
}

/** Maps keys to values with the same lifetime. */
export class ExpiringMap<V> {
  readonly #entries: ExpiringEntries<ValueEntry<V>>;

  /** @param maxEntries above it a new value replaces the oldest */
  constructor(clock: MockClock, lifetimeMs: number, maxEntries?: number) {
    this.#entries = new ExpiringEntries(clock, lifetimeMs, maxEntries);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Stores a value for one lifetime. */
  set(key: string, value: V): void {
    this.#entries.set(new ValueEntry(key, value));
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** @returns the number of deleted values. */
  deleteWhere(match: (value: V) => boolean): number {
    return this.#entries.deleteWhere(({ value }) => match(value));
  }

  /** Removes all expired values, after the clock was moved. */
  sweep(): void {
    this.#entries.sweep();
  }

  clear(): void {
    this.#entries.clear();
  }

  /** @returns the values, the newest first. */
  *values(): Generator<V> {
    for (const { value } of this.#entries.values()) yield value;
  }
}
