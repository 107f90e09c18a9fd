import type { MockClock } from './clock.js';
import { type Expiring, ExpiringMap } from './expiring-map.js';

interface Window extends Expiring {
  used: number;
  readonly endsAt: number;
}

/** The values of the three rate-limit headers (service spec: limits). */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
  /** The number of requests above the limit. */
  readonly excess: number;
}

/** Counts requests in fixed windows, which start with the first request: one for each clinician at each application. */
export class RateLimiter extends ExpiringMap<Window> {
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(clock: MockClock, limit: number, windowMs: number) {
    super(clock, windowMs);
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts one request. */
  count(key: string): RateState {
    const window = this.get(key) ?? this.#open(key);
    window.used += 1;
    return this.#state(window);
  }

  /** Reads without counting; without a key it reads an unused window. */
  peek(key?: string): RateState {
    const window = key === undefined ? undefined : this.get(key);
    return this.#state(window ?? { used: 0, endsAt: this.clock.now() + this.#windowMs });
  }

  #open(key: string): Window {
    const window = { used: 0, endsAt: this.clock.now() + this.#windowMs };
    this.set(key, window);
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
