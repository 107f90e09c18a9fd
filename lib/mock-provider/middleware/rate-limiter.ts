import type { MockClock } from '../clock.js';
import { ExpiringMap } from '../stores/expiring-map.js';

interface Window {
  used: number;
  endsAt: number;
}

/** The state of a window as the three headers tell it (service spec: limits). */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
  readonly isExceeded: boolean;
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
    this.#windows = new ExpiringMap(clock);
  }

  /** Counts one request. */
  count(key: string): RateState {
    const window = this.#windowOf(key);
    window.used += 1;
    return this.#state(window);
  }

  /** Takes a count back: a 304 costs nothing (decision 94). */
  giveBack(key: string): RateState {
    const window = this.#windowOf(key);
    window.used -= 1;
    return this.#state(window);
  }

  /** Looks without counting. */
  look(key: string): RateState {
    const window = this.#windows.get(key) ?? { used: 0, endsAt: this.#clock.now() + this.#window };
    return this.#state(window);
  }

  clear(): void {
    this.#windows.clear();
  }

  #windowOf(key: string): Window {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const window = { used: 0, endsAt: this.#clock.now() + this.#window };
    this.#windows.set(key, window, window.endsAt);
    return window;
  }

  #state({ used, endsAt }: Window): RateState {
    const remaining = Math.max(0, this.#limit - used);
    return { limit: this.#limit, remaining, reset: Math.ceil(endsAt / 1000), isExceeded: used > this.#limit };
  }
}

export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'X-Rate-Limit-Limit': String(state.limit),
    'X-Rate-Limit-Remaining': String(state.remaining),
    'X-Rate-Limit-Reset': String(state.reset),
  };
}
