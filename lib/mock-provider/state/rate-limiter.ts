import type { MockClock } from './clock.js';
import { ExpiringMap } from './expiring-map.js';

interface Window {
  used: number;
  readonly endsAt: number;
}

/** The state of a window as the three headers tell it (service spec: limits). */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
  /** How many requests came after the limit was reached. */
  readonly excess: number;
}

/** Fixed windows from the first request on, one for each clinician at each application (decision 96). */
export class RateLimiter {
  readonly #clock: MockClock;
  readonly #limit: number;
  readonly #window: number;
  readonly #windows: ExpiringMap<Window>;

  constructor(clock: MockClock, limit: number, window: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#window = window;
    this.#windows = new ExpiringMap(clock, window);
  }

  /** Counts one request. */
  count(key: string): RateState {
    const window = this.#windows.get(key) ?? this.#open(key);
    window.used += 1;
    return this.#state(window);
  }

  /** Takes a count back: a 304 costs nothing (decision 94). */
  refund(key: string): RateState {
    const window = this.#windows.get(key);
    if (window === undefined) return this.peek();
    window.used -= 1;
    return this.#state(window);
  }

  /** Looks without counting; without a key, at a window that nobody has used. */
  peek(key?: string): RateState {
    const window = key === undefined ? undefined : this.#windows.get(key);
    return this.#state(window ?? { used: 0, endsAt: this.#clock.now() + this.#window });
  }

  sweep(): void {
    this.#windows.sweep();
  }

  clear(): void {
    this.#windows.clear();
  }

  #open(key: string): Window {
    const window = { used: 0, endsAt: this.#clock.now() + this.#window };
    this.#windows.set(key, window);
    return window;
  }

  #state({ used, endsAt }: Window): RateState {
    const limit = this.#limit;
    return {
      limit,
      remaining: Math.max(0, limit - used),
      reset: Math.ceil(endsAt / 1000),
      excess: Math.max(0, used - limit),
    };
  }
}

export function rateHeaders({ limit, remaining, reset }: RateState): Record<string, string> {
  return {
    'X-Rate-Limit-Limit': String(limit),
    'X-Rate-Limit-Remaining': String(remaining),
    'X-Rate-Limit-Reset': String(reset),
  };
}
