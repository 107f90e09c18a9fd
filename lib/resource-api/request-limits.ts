import type { Clock } from '../async/clock.js';
import { BoundedMap, RetryGate } from '../async/work.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import type { FetchResponse } from '../http/http.js';
import { type JSONDocument, malformed } from '../http/json.js';
import { type Members, RESOURCE_TYPE, readMembers } from './json-members.js';

export const RATE_LIMIT_STATUS: JSONDocument = { name: 'the rate-limit status', mediaType: RESOURCE_TYPE };

/** The rate limit of a user (service spec, "Rate-limit status"). */
export interface RateLimit {
  /** The number of requests in one window, which is an hour. */
  limit: number;
  /** The number of requests left. */
  remaining: number;
  /** The end of the window, in milliseconds since the Unix epoch. */
  resetAt: number;
}

/** The window of the rate limit (service spec, "Limits"). */
const HOUR_MS = 60 * 60 * 1000;
const MIN_WAIT_MS = 1_000;
const DEFAULT_WAIT_MS = 60_000;
/** The number of requests of one user at the same time: a few users cannot take all of the application. */
const MAX_PENDING_OF_USER = 16;
/** A rate limit as the service sends it: `reset` is in seconds. */
type SentRateLimit = Record<'limit' | 'remaining' | 'reset', number | undefined>;

const RATE_LIMIT: Members<SentRateLimit> = {
  limit: ['count', 'limit'],
  remaining: ['count', 'remaining'],
  reset: ['count', 'reset'],
};

/** Applies if no response had a rate limit: its window is over. */
const UNKNOWN = { remaining: 0, resetAt: 0 };

/** @returns the X-Rate-Limit headers of a response (service spec, "Limits"); undefined unless all three are valid. */
export function rateLimitIn(headers: FetchResponse['headers'], clock: Clock): RateLimit | undefined {
  const limit = wholeNumber(headers.get('x-rate-limit-limit'));
  const remaining = wholeNumber(headers.get('x-rate-limit-remaining'));
  return bounded({ limit, remaining, reset: wholeNumber(headers.get('x-rate-limit-reset')) }, clock);
}

/** @throws ProtocolError `response_malformed` */
export function parseRateLimit(json: object, clock: Clock): RateLimit {
  const rateLimit = bounded(readMembers(json, RATE_LIMIT), clock);
  if (rateLimit === undefined) throw malformed(RATE_LIMIT_STATUS, 'does not have three whole numbers');
  return rateLimit;
}

function bounded({ limit, remaining, reset }: Partial<SentRateLimit>, clock: Clock): RateLimit | undefined {
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const now = clock.now();
  return {
    limit,
    remaining: Math.min(remaining, limit),
    resetAt: Math.min(now + HOUR_MS, Math.max(now, reset * 1000)),
  };
}

function wholeNumber(value: string | null | undefined): number | undefined {
  return /^\d{1,15}$/.test(value ?? '') ? Number(value) : undefined;
}

/** Limits the requests of one user to the rate limit in the service's responses. */
export class RateBudget {
  readonly #clock: Clock;
  #rateLimit: RateLimit | undefined;
  /** The time of the next request after a 429. */
  #stoppedUntil = 0;
  /** Requests that are reserved and have no response yet. */
  #pending = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of the latest response that had one. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /**
   * Reserves a request, which must be released. @param isUncounted true for one that does not count against the limit
   * @returns how long the request must wait, in milliseconds. Throws `rate_limited` when it would have to wait longer
   */
  reserve({ maxWaitMs, isUncounted }: { maxWaitMs: number; isUncounted: boolean }): number {
    const now = this.#clock.now();
    if (this.#pending >= MAX_PENDING_OF_USER) throw tooManyAtOnce(now);
    const { remaining, resetAt } = this.#rateLimit ?? UNKNOWN;
    const nextAt = Math.max(this.#stoppedUntil, remaining <= this.#pending ? resetAt : now);
    // A longer wait is from before a change of the clock.
    const isNow = isUncounted || nextAt <= now || nextAt > now + HOUR_MS;
    if (!isNow && nextAt - now > maxWaitMs) throw rateLimited(nextAt);
    this.#pending += 1;
    return isNow ? 0 : nextAt - now;
  }

  release(): void {
    this.#pending -= 1;
  }

  /** Stores the rate limit of a response. Responses may arrive in another order: in one window the limit only decreases. */
  update(rateLimit: RateLimit | undefined): void {
    if (rateLimit === undefined) return;
    const before = this.#rateLimit;
    const isStale = before?.resetAt === rateLimit.resetAt && before.remaining < rateLimit.remaining;
    if (!isStale) this.#rateLimit = rateLimit;
  }

  /**
   * Stops requests after a 429: the service blacklists clients that repeatedly exceed the limit. The end is in `Retry-After` in
   * seconds, else in the X-Rate-Limit headers (service spec, "Limits"), and between one second and one hour from now.
   * @returns the time of the next request, in milliseconds since the Unix epoch
   */
  stop(headers: FetchResponse['headers']): number {
    const now = this.#clock.now();
    const seconds = wholeNumber(headers.get('retry-after'));
    const resetAt = rateLimitIn(headers, this.#clock)?.resetAt ?? now + DEFAULT_WAIT_MS;
    const waitMs = seconds === undefined ? resetAt - now : seconds * 1000;
    this.#stoppedUntil = now + Math.min(HOUR_MS, Math.max(MIN_WAIT_MS, waitMs));
    return this.#stoppedUntil;
  }
}

export function rateLimited(retryAt: number): ServiceUnavailableError {
  const message = 'The rate limit of the service is used up. Retry later.';
  return new ServiceUnavailableError('rate_limited', message, { retryAt });
}

function tooManyAtOnce(now: number): ServiceUnavailableError {
  const message = 'Too many calls of the resource API wait for a response. Send fewer at once, or retry later.';
  return new ServiceUnavailableError('rate_limited', message, { retryAt: now + MIN_WAIT_MS });
}

/** The number of users in memory. The least recently used one is dropped first. */
const MAX_USERS = 10_000;
const RETRIES = { maxFailures: 5, minMs: 5_000, maxMs: 5 * 60 * 1000 };
/** How many users without a response stop the requests of all users: the API may fail for a few users only. */
const MAX_FAILED_USERS = 5;
/** The number of requests of the application that wait for a response at the same time. */
const MAX_PENDING = 256;

/**
 * What the requests of one application share, in this process: the service limits each user, and sends no response to a blacklisted
 * application (service spec, "Errors"), whose requests would all wait for the timeout and hold a connection.
 */
export class RequestLimits {
  readonly #clock: Clock;
  readonly #budgets = new BoundedMap<string, RateBudget>(MAX_USERS);
  readonly #gate: RetryGate;
  /** The users of the requests that failed in succession. */
  readonly #failedUsers = new Set<string>();
  #pending = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    this.#gate = new RetryGate(clock, RETRIES);
  }

  /** @param userID the service's id: a site may map several clinicians to one user, and each has a limit */
  budgetOf(userID: string): RateBudget {
    const budget = this.#budgets.get(userID) ?? new RateBudget(this.#clock);
    this.#budgets.set(userID, budget);
    return budget;
  }

  remove(userID: string): void {
    this.#budgets.delete(userID);
    this.#failedUsers.delete(userID);
  }

  /**
   * Sends a request of a user. After five without a response no other is sent, and after each back-off one tries again.
   * @param userID empty while the user is unknown
   * @param signal the caller's: a request that it aborts shows nothing about the API
   * @throws ServiceUnavailableError `api_not_responding` or `rate_limited`
   */
  async send<T>(userID: string, request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#pending >= MAX_PENDING) throw tooManyAtOnce(this.#clock.now());
    const isStopped = this.#failedUsers.size >= MAX_FAILED_USERS || this.#failedUsers.has(userID);
    const isRetry = isStopped && this.#gate.isLimited;
    if (isRetry) this.#startRetry();
    this.#pending += 1;
    try {
      const response = await request();
      this.#recordResponse();
      return response;
    } catch (error) {
      if (signal?.aborted) {
        if (isRetry) this.#gate.abortRetry();
      } else if (isClinicianError(error) && error.code !== 'service_unreachable') this.#recordResponse();
      else this.#recordFailure(userID, isRetry);
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }

  #startRetry(): void {
    const { retryAt } = this.#gate;
    if (retryAt !== undefined) throw notResponding(retryAt);
    this.#gate.startRetry();
  }

  #recordResponse(): void {
    this.#gate.succeeded();
    this.#failedUsers.clear();
  }

  #recordFailure(userID: string, isRetry: boolean): void {
    if (this.#failedUsers.size < MAX_FAILED_USERS) this.#failedUsers.add(userID);
    // A request that was sent before the others were stopped does not extend the back-off.
    if (isRetry || !this.#gate.isLimited) this.#gate.failed();
  }
}

function notResponding(retryAt: number): ServiceUnavailableError {
  const message =
    'The resource API does not respond, so no request was sent. Retry later. If this continues, ask the service whether it has blacklisted your application.';
  return new ServiceUnavailableError('api_not_responding', message, { retryAt });
}
