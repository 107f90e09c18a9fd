import type { Clock } from './clock.js';

/** How often calls are sent that fail in succession. */
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
