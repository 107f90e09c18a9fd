import type { MockClock } from './clock.js';

/** A value of an {@link ExpiringMap}. */
export interface Expiring {
  /** Milliseconds since the epoch; set by each {@link ExpiringMap.set}. */
  storedAt?: number;
}

/**
 * The number of writes after which expired values are removed. Finding the oldest key of a Map takes longer with each removal,
 * so that one removal for each write would be slower.
 */
const WRITES_PER_SWEEP = 256;
const DEFAULT_MAX_ENTRIES = 1_048_576;

/** Maps keys to values with the same lifetime, in the order in which they expire. */
export class ExpiringMap<V extends Expiring> {
  protected readonly clock: MockClock;
  readonly #lifetimeMs: number;
  readonly #maxEntries: number;
  readonly #values = new Map<string, V>();
  #writes = 0;

  /** @param maxEntries at each sweep, the oldest values above it are removed */
  constructor(clock: MockClock, lifetimeMs: number, maxEntries: number = DEFAULT_MAX_ENTRIES) {
    this.clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    return value !== undefined && !this.#isExpired(value) ? value : undefined;
  }

  /** Stores a value for one lifetime. */
  set(key: string, value: V): void {
    value.storedAt = this.clock.now();
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#writes += 1;
    if (this.#writes % WRITES_PER_SWEEP === 0) this.sweep();
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  /** @returns the number of deleted values. */
  deleteWhere(match: (value: V) => boolean): number {
    const deleted = [...this.#values].filter(([, value]) => match(value));
    for (const [key] of deleted) this.#values.delete(key);
    return deleted.length;
  }

  /** Removes all expired values, after the clock was moved. */
  sweep(): void {
    for (const [key, value] of this.#values) {
      if (!this.#isExpired(value) && this.#values.size <= this.#maxEntries) return;
      this.#values.delete(key);
    }
  }

  clear(): void {
    this.#values.clear();
  }

  /** @returns the values, the newest first. */
  values(): V[] {
    return [...this.#values.values()].filter((value) => !this.#isExpired(value)).reverse();
  }

  #isExpired({ storedAt = 0 }: V): boolean {
    return storedAt + this.#lifetimeMs <= this.clock.now();
  }
}
