import type { Clock } from '../async/clock.js';
import { ProtocolError } from '../errors/errors.js';
import type { FetchResponse } from '../http/http.js';
import { Members } from './members.js';

/** Holds the rate limit of a user (service spec, "Rate-limit status"). */
export interface RateLimit {
  /** The number of requests in one window, which is an hour. */
  limit: number;
  /** The number of requests left. */
  remaining: number;
  /** The end of the window, in milliseconds since the Unix epoch. */
  resetAt: number;
}

const MIN_WAIT_MS = 1_000;
/** The window of the service spec is one hour. */
const MAX_WAIT_MS = 60 * 60 * 1000;
const DEFAULT_WAIT_MS = 60_000;
/** RFC 9110 section 5.6.7: the preferred format, which is the only one that servers may send. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3), else `X-Rate-Limit-Reset` (service spec, "Limits").
 * @returns the time of the next request after a 429, in milliseconds since the Unix epoch: between one second and one hour from now
 */
export function resetTime(headers: FetchResponse['headers'], clock: Clock): number {
  const now = clock.now();
  const wait = retryAfter(headers.get('retry-after'), now) ?? untilReset(headers.get('x-rate-limit-reset'), now);
  return now + Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, wait ?? DEFAULT_WAIT_MS));
}

/** @returns the X-Rate-Limit headers of a response (service spec, "Limits"); undefined unless all three are valid. */
export function rateLimitIn(headers: FetchResponse['headers'], clock: Clock): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    count(headers.get(`x-rate-limit-${name}`)),
  );
  return bounded({ limit, remaining, reset }, clock);
}

/** @throws ProtocolError `rate_limit_malformed` */
export function parseRateLimit(json: unknown, clock: Clock): RateLimit {
  const members = Members.of(json);
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => members?.count(name));
  const status = bounded({ limit, remaining, reset }, clock);
  if (status === undefined) throw rateLimitMalformed('it does not have three whole numbers');
  return status;
}

export function rateLimitMalformed(reason: string): ProtocolError {
  return new ProtocolError('rate_limit_malformed', `The service's rate-limit status was rejected: ${reason}.`);
}

/** The three values as the service sent them. `reset` is in seconds. */
type WireRateLimit = Record<'limit' | 'remaining' | 'reset', number | undefined>;

function bounded({ limit, remaining, reset }: WireRateLimit, clock: Clock): RateLimit | undefined {
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const now = clock.now();
  return {
    limit,
    remaining: Math.min(remaining, limit),
    resetAt: Math.min(now + MAX_WAIT_MS, Math.max(now, reset * 1000)),
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

function untilReset(value: string | null, now: number): number | undefined {
  return value !== null && /^-?\d+$/.test(value) ? Number(value) * 1000 - now : undefined;
}
