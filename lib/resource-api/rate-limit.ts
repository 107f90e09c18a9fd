import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';
import { ProtocolError, ServiceUnavailableError } from '../errors/errors.js';
import type { FetchResponse } from '../http/http.js';
import { Members } from './members.js';

/** The rate limit of a user (service spec, "Rate-limit status"). */
export interface RateLimit {
  /** The number of requests in one window, which is an hour. */
  limit: number;
  /** The number of requests left. */
  remaining: number;
  /** The end of the window, in milliseconds since the Unix epoch. */
  resetAt: number;
}

/** The window of the rate limit (service spec, "Limits"), and so the longest wait. */
const HOUR_MS = 60 * 60 * 1000;
const MIN_WAIT_MS = 1_000;
const DEFAULT_WAIT_MS = 60_000;
/** The number of users in memory. The least recently used one is dropped first. */
const MAX_USERS = 10_000;
/** The longest time between two requests of an iteration: with fewer left, the next ones use them up and then reject. */
const MAX_INTERVAL_MS = 1_000;
/** Applies if no response had a rate limit: 5000 requests an hour (service spec, "Limits"). */
const DEFAULT_INTERVAL_MS = HOUR_MS / 5_000;
/** RFC 9110 section 5.6.7: the preferred format, which is the only one that servers may send. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3), else the X-Rate-Limit headers (service spec, "Limits").
 * @returns the time of the next request after a 429, in milliseconds since the Unix epoch: between one second and one hour from now
 */
export function resetTime(headers: FetchResponse['headers'], clock: Clock): number {
  const now = clock.now();
  const { resetAt = now + DEFAULT_WAIT_MS } = rateLimitIn(headers, clock) ?? {};
  const waitMs = retryAfter(headers.get('retry-after'), now) ?? resetAt - now;
  return now + Math.min(HOUR_MS, Math.max(MIN_WAIT_MS, waitMs));
}

/** @returns the X-Rate-Limit headers of a response (service spec, "Limits"); undefined unless all three are valid. */
export function rateLimitIn(headers: FetchResponse['headers'], clock: Clock): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    count(headers.get(`x-rate-limit-${name}`)),
  );
  return bounded({ limit, remaining, reset }, clock);
}

/** @throws ProtocolError `response_malformed` */
export function parseRateLimit(json: unknown, clock: Clock): RateLimit {
  const members = Members.of(json);
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => members?.count(name));
  const status = bounded({ limit, remaining, reset }, clock);
  if (status === undefined) throw rateLimitMalformed('it does not have three whole numbers');
  return status;
}

export function rateLimitMalformed(reason: string): ProtocolError {
  return new ProtocolError('response_malformed', `The service's rate-limit status was rejected: ${reason}.`);
}

/** The three values as the service sent them. `reset` is in seconds. */
type WireRateLimit = Record<'limit' | 'remaining' | 'reset', number | undefined>;

function bounded({ limit, remaining, reset }: WireRateLimit, clock: Clock): RateLimit | undefined {
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const now = clock.now();
  return {
    limit,
    remaining: Math.min(remaining, limit),
    resetAt: Math.min(now + HOUR_MS, Math.max(now, reset * 1000)),
  };
}

function count(value: string | null): number | undefined {
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse() accepts many other texts: '-5' is a day in 2001.
  const date = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
}

/** How long a request may wait, and whether it belongs to an iteration. */
interface Reservation {
  /** The longest wait for the end of the window, in milliseconds. */
  maxWaitMs: number;
  /** Waits one interval after the user's latest request. */
  isPaced: boolean;
}

/** Counts the requests of one user by the rate limit in the service's responses, and paces those of an iteration. */
export class RateBudget {
  readonly #clock: Clock;
  #status: RateLimit | undefined;
  /** The time of the next request after a 429. */
  #stoppedUntil = 0;
  /** Requests that are reserved and have no response yet. */
  #pending = 0;
  /** The time of the latest request, which may still be waiting. */
  #latestAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The rate limit of the latest response. Undefined if none had one. */
  get status(): RateLimit | undefined {
    return this.#status;
  }

  /**
   * Reserves a request. Each one must be released.
   * @returns how long the request must wait, in milliseconds
   * @throws ServiceUnavailableError `rate_limited` when it would have to wait longer
   */
  reserve({ maxWaitMs, isPaced }: Reservation): number {
    const now = this.#clock.now();
    const status = this.#status && isWithinHour(this.#status.resetAt, now) ? this.#status : undefined;
    const isUsedUp = status !== undefined && status.remaining <= this.#pending;
    const stoppedUntil = isWithinHour(this.#stoppedUntil, now) ? this.#stoppedUntil : now;
    const startAt = isUsedUp ? Math.max(status.resetAt, stoppedUntil) : stoppedUntil;
    if (startAt - now > maxWaitMs) throw rateLimited(startAt);
    const nextAt = this.#latestAt + interval(status, now);
    const at = isPaced && isWithinHour(nextAt, now) ? Math.ceil(Math.max(startAt, nextAt)) : startAt;
    this.#pending += 1;
    this.#latestAt = at;
    return at - now;
  }

  /** Ends a reservation: the request has a response, or was not sent. */
  release(): void {
    this.#pending -= 1;
  }

  /** Stores the rate limit of a response. Responses may arrive in another order: in one window the limit only decreases. */
  update(status: RateLimit | undefined): void {
    if (status === undefined) return;
    const before = this.#status;
    const isSameWindow = before?.resetAt === status.resetAt;
    this.#status = isSameWindow ? { ...status, remaining: Math.min(before.remaining, status.remaining) } : status;
  }

  /** Stores the rate limit of a request for the limit itself, which may also increase it. */
  replace(status: RateLimit): void {
    this.#status = status;
  }

  /** Stops requests until a time, after a 429: the service blacklists clients that repeatedly exceed the limit. */
  stop(until: number): void {
    this.#stoppedUntil = until;
  }
}

/**
 * The budgets of the users of the application, in this process, by the service's id: a site may map several clinicians to one user,
 * and one of them must not use up the limit of another.
 */
export class RateBudgets {
  readonly #clock: Clock;
  readonly #budgets = new BoundedMap<string, RateBudget>(MAX_USERS);

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  of(userID: string): RateBudget {
    const budget = this.#budgets.get(userID) ?? new RateBudget(this.#clock);
    this.#budgets.set(userID, budget);
    return budget;
  }
}

/** @returns true for the end of a wait. If it is more than an hour away, the clock was changed. */
function isWithinHour(endAt: number, now: number): boolean {
  return endAt > now && endAt <= now + HOUR_MS;
}

/** @returns the rest of the window divided by the requests left (service spec, "Limits": "Calls should be spaced out"). */
function interval(status: RateLimit | undefined, now: number): number {
  if (status === undefined) return DEFAULT_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, (status.resetAt - now) / status.remaining);
}

/** @returns the error for a request that cannot be sent before `retryAt`, in milliseconds since the Unix epoch. */
export function rateLimited(retryAt: number): ServiceUnavailableError {
  return new ServiceUnavailableError('rate_limited', 'The rate limit of the service is used up. Retry later.', {
    retryAt,
  });
}
