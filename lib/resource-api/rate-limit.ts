import type { Clock } from '../clock.js';
import { ProtocolError, ServiceUnavailableError } from '../errors.js';
import { membersOf } from './members.js';

/** How much may still be asked (service spec, "Rate-limit status"). */
export interface RateLimit {
  /** The most requests in one window, an hour. */
  limit: number;
  /** How many of them are left. */
  remaining: number;
  /** Milliseconds since the epoch at which the window ends and all of them are there again. */
  resetAt: number;
}

/** The service refused because too much was asked within the hour. Remedy `retry`, from {@link RateLimitedError.resetAt} on. */
export class RateLimitedError extends ServiceUnavailableError {
  /** Milliseconds since the epoch at which asking makes sense again. */
  readonly resetAt: number;

  constructor(resetAt: number) {
    super('rate_limited', 'The service answers no more requests for now: its rate limit is used up.');
    this.resetAt = resetAt;
  }
}

const SHORTEST = 1_000;
/** The window of the spec is one hour; whatever claims to last longer is not believed. */
const LONGEST = 60 * 60 * 1000;
const UNKNOWN = 60_000;

/**
 * When to ask again after a 429: `Retry-After` first (RFC 9110 section 10.2.3), then `X-Rate-Limit-Reset` (service spec, "Limits").
 * A value that makes no sense, lies in the past or too far ahead is bounded.
 */
export function resetTime(headers: Headers, clock: Clock): number {
  const now = clock.now();
  const wait = retryAfter(headers.get('retry-after'), now) ?? untilReset(headers.get('x-rate-limit-reset'), now);
  return now + Math.min(LONGEST, Math.max(SHORTEST, wait ?? UNKNOWN));
}

/** @returns what the three X-Rate-Limit headers of an answer say (service spec, "Limits"); nothing, unless all of them make sense. */
export function rateLimitIn(headers: Headers, clock: Clock): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    count(headers.get(`x-rate-limit-${name}`)),
  );
  return believed({ limit, remaining, reset }, clock);
}

/** @throws ProtocolError `rate_limit_malformed` */
export function parseRateLimit(json: unknown, clock: Clock): RateLimit {
  const wire = membersOf(json);
  const said = { limit: wire?.count('limit'), remaining: wire?.count('remaining'), reset: wire?.count('reset') };
  const status = believed(said, clock);
  if (status === undefined) throw rateLimitMalformed('it is not three whole numbers');
  return status;
}

export function rateLimitMalformed(why: string): ProtocolError {
  return new ProtocolError('rate_limit_malformed', `The service's rate-limit status is refused: ${why}.`);
}

/** What the service says, before anything of it is believed. `reset` is in seconds. */
type Said = Record<'limit' | 'remaining' | 'reset', number | undefined>;

function believed({ limit, remaining, reset }: Said, clock: Clock): RateLimit | undefined {
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const now = clock.now();
  return {
    limit,
    remaining: Math.min(remaining, limit),
    resetAt: Math.min(now + LONGEST, Math.max(now, reset * 1000)),
  };
}

function count(value: string | null): number | undefined {
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

function untilReset(value: string | null, now: number): number | undefined {
  return value !== null && /^-?\d+$/.test(value) ? Number(value) * 1000 - now : undefined;
}
