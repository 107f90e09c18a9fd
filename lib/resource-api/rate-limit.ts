import type { Clock } from '../clock.js';
import { ServiceUnavailableError } from '../errors.js';

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

function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

function untilReset(value: string | null, now: number): number | undefined {
  return value !== null && /^-?\d+$/.test(value) ? Number(value) * 1000 - now : undefined;
}
