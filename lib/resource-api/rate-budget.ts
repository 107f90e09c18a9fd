import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { type RateLimit, RateLimitedError } from './rate-limit.js';

/** Counts the requests that one grant has left, according to the service's responses. */
export interface RateBudget {
  /**
   * Reserves a time for one request.
   * @returns how long the request must wait, in milliseconds
   * @throws RateLimitedError when no request is left and the window ends later than in `maxWaitMs`
   */
  reserve(maxWaitMs: number): number;
  /** Stores the rate limit of a response. */
  update(status: RateLimit | undefined): void;
  /** Stops requests until `resetAt`, after a 429: the service blacklists clients that repeatedly exceed the limit. */
  exhaust(resetAt: number): void;
}

interface RateBudgets {
  slot(grantID: string): RateBudget;
}

interface RateBudgetsOptions {
  clock: Clock;
  /** The number of grants in memory. The least recently used one is dropped first. @default 10000 */
  maxEntries?: number;
}

interface Entry {
  status?: RateLimit | undefined;
  /** The earliest time of the next request. */
  nextAt: number;
}

/** The longest time that concurrent requests wait for each other. */
const MAX_QUEUE_MS = 5_000;
/** Requests are spaced out when this part of the window's requests, or less, is left. */
const LOW_FRACTION = 0.1;
const MAX_SPACING_MS = 1_000;

export function createRateBudgets({ clock, maxEntries = 10_000 }: RateBudgetsOptions): RateBudgets {
  const entries = new BoundedMap<string, Entry>(maxEntries);

  function entryOf(grantID: string): Entry {
    const entry = entries.get(grantID) ?? { nextAt: 0 };
    entries.set(grantID, entry);
    return entry;
  }

  return {
    slot: (grantID) => ({
      reserve: (maxWaitMs) => reserve(entryOf(grantID), maxWaitMs, clock.now()),
      update(status) {
        if (status !== undefined) entryOf(grantID).status = status;
      },
      exhaust(resetAt) {
        const entry = entryOf(grantID);
        entry.status = { limit: entry.status?.limit ?? 0, remaining: 0, resetAt };
      },
    }),
  };
}

function reserve(entry: Entry, maxWaitMs: number, now: number): number {
  const { status } = entry;
  if (status === undefined || status.resetAt <= now) return 0;
  if (status.remaining === 0) {
    if (status.resetAt - now > maxWaitMs) throw new RateLimitedError(status.resetAt);
    return status.resetAt - now;
  }
  const at = Math.min(Math.max(now, entry.nextAt), now + MAX_QUEUE_MS);
  entry.nextAt = at + spacing(status, now);
  return at - now;
}

/**
 * @returns the time between two requests in milliseconds: 0 while many are left, then the rest of the window divided by the
 * requests left, at most one second (service spec, "Limits": "Calls should be spaced out")
 */
function spacing({ limit, remaining, resetAt }: RateLimit, now: number): number {
  if (remaining > limit * LOW_FRACTION) return 0;
  return Math.min(MAX_SPACING_MS, Math.ceil((resetAt - now) / Math.max(1, remaining)));
}
