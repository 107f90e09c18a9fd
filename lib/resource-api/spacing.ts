import type { RateLimit } from './rate-limit.js';

/** Calls are spaced once no more than this part of the hour's requests is left. */
const LOW = 0.1;
const LONGEST = 1_000;

/**
 * @returns how far apart calls should be now, in milliseconds: nothing while there is plenty, then what spreads the rest over
 * the rest of the window, but a second at most. (Service spec, "Limits": "Calls should be spaced out".)
 */
export function spacing({ limit, remaining, resetAt }: RateLimit, now: number): number {
  const left = resetAt - now;
  if (left <= 0 || remaining > limit * LOW) return 0;
  return Math.min(LONGEST, Math.ceil(left / Math.max(1, remaining)));
}
