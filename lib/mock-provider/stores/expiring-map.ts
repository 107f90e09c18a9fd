import type { MockClock } from '../clock.js';

interface Entry<V> {
  value: V;
  expiresAt: number;
}

/** How many expired entries one write may clear away: constant work, yet faster than entries come in. */
const SWEEP_PER_WRITE = 4;

/**
 * A Map whose entries end by the clock: read lazily, cleared away from a queue in the order they came. Every act is O(1)
 * whatever the number of live entries (a fresh iterator over a Map would walk the places of deleted ones).
 */
export class ExpiringMap<V> {
  readonly #clock: MockClock;
  readonly #entries = new Map<string, Entry<V>>();
  #queue: { key: string; expiresAt: number }[] = [];
  #head = 0;

  constructor(clock: MockClock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    return entry.expiresAt > this.#clock.now() ? entry.value : undefined;
  }

  set(key: string, value: V, expiresAt: number): void {
    this.#sweep(SWEEP_PER_WRITE);
    this.#entries.set(key, { value, expiresAt });
    this.#queue.push({ key, expiresAt });
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Clears away all that has ended by now: for a clock that jumped. */
  sweep(): void {
    this.#sweep(Number.POSITIVE_INFINITY);
  }

  clear(): void {
    this.#entries.clear();
    this.#queue = [];
    this.#head = 0;
  }

  *values(): Generator<V> {
    const now = this.#clock.now();
    for (const { value, expiresAt } of this.#entries.values()) if (expiresAt > now) yield value;
  }

  #sweep(limit: number): void {
    const now = this.#clock.now();
    for (let swept = 0; swept < limit; swept += 1) {
      const next = this.#queue[this.#head];
      if (next === undefined || next.expiresAt > now) break;
      this.#head += 1;
      // The same key may have been set again with a later end: that one has its own place in the queue.
      const entry = this.#entries.get(next.key);
      if (entry !== undefined && entry.expiresAt <= now) this.#entries.delete(next.key);
    }
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}
