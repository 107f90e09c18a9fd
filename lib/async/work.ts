import { ServiceUnavailableError } from '../errors/errors.js';
import type { Clock } from './clock.js';
import { nextTurn, withTimeout } from './timers.js';

/** Tracks the work of a process that must end before the process exits. */
export class PendingWork {
  readonly #pending = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Is aborted when {@link PendingWork.close} is called: work that starts then is waited for. */
  readonly closing: AbortSignal = this.#closing.signal;

  /** Tracks work that has started. @returns its result */
  track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const remove = () => this.#pending.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Starts and tracks work. @throws ServiceUnavailableError `closed` after {@link PendingWork.close} was called */
  async start<T>(work: () => Promise<T>): Promise<T> {
    if (!this.closing.aborted) return await this.track(work());
    throw new ServiceUnavailableError('closed', 'This process is stopping and requests no more tokens. Retry later.');
  }

  /** Starts no more work, and waits for all that is tracked. @returns false if it has not ended within the time */
  async close(timeoutMs: number): Promise<boolean> {
    this.#closing.abort();
    return await withTimeout(timeoutMs, this.#settle()).then(
      () => true,
      () => false,
    );
  }

  async #settle(): Promise<void> {
    while (this.#pending.size > 0) {
      await Promise.allSettled(this.#pending);
      // Work that ends may start more work, for example to store the tokens of a token response.
      await nextTurn();
    }
  }
}

/** Runs one call at a time for each key. Concurrent callers share its result. */
export class SingleFlight<T> {
  readonly #pending = new Map<string, Promise<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const shared = this.#pending.get(key);
    if (shared !== undefined) return shared;
    // Set before the first await, so that a second caller in the same tick finds it.
    const flight = Promise.resolve()
      .then(call)
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, flight);
    return flight;
  }
}

const MAX_CONCURRENT = 10;

/**
 * Runs a call for each item, ten in each turn of the event loop, so that a user with many logins does not block other requests.
 * Rejects after the ten that contain a failure have settled.
 */
export async function inTurns<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += MAX_CONCURRENT) {
    const settled = await Promise.allSettled(items.slice(start, start + MAX_CONCURRENT).map(call));
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      results.push(result.value);
    }
    await nextTurn();
  }
  return results;
}

interface RetryLimits {
  /** The number of failures in succession after which the calls are limited. */
  maxFailures: number;
  /** The first back-off. It doubles after each further failure. */
  minMs: number;
  maxMs: number;
}

/** Limits calls that fail in succession: then one call is sent after each back-off. Back-offs have no jitter. */
export class RetryGate {
  readonly #clock: Clock;
  readonly #limits: RetryLimits;
  #failures = 0;
  #backOffMs: number;
  #retryAt: number | undefined;

  constructor(clock: Clock, limits: RetryLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#backOffMs = limits.minMs;
  }

  /** True if the next call is a retry: see {@link startRetry}. */
  get isLimited(): boolean {
    return this.#failures >= this.#limits.maxFailures;
  }

  /** The end of the back-off, in milliseconds since the epoch of the clock. Undefined if a call may be sent. */
  get retryAt(): number | undefined {
    const now = this.#clock.now();
    const retryAt = this.#retryAt ?? now;
    // A longer back-off is from before a change of the clock.
    return now < retryAt && retryAt <= now + this.#limits.maxMs ? retryAt : undefined;
  }

  /** Until the retry has a result, no other is sent. One that never has a result delays the next one by one back-off. */
  startRetry(): void {
    this.#retryAt = this.#clock.now() + this.#backOffMs;
  }

  /** Ends the back-off after a retry whose result shows nothing. */
  abortRetry(): void {
    this.#retryAt = undefined;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#backOffMs = this.#limits.minMs;
    this.#retryAt = undefined;
  }

  failed(): void {
    this.#failures += 1;
    if (!this.isLimited) return;
    this.startRetry();
    this.#backOffMs = Math.min(this.#limits.maxMs, this.#backOffMs * 2);
  }
}

/**
 * Extends `Map` to at most `maxEntries` entries: one more drops the entry that was set longest ago. Setting a key again makes it
 * the newest, so a caller that sets what it reads gets least-recently-used order.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxEntries) this.delete(this.keys().next().value as K);
    return this;
  }
}
