import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';

const MAX_WAIT_MS = 30_000;
const MAX_KEYS = 10_000;

/** Delays calls that fail repeatedly, so that they are not retried with every request. */
export interface BackOff {
  /** @returns the last failure while it is too early for a retry. */
  current(key: string): Error | undefined;
  failed(key: string, error: Error): void;
  cleared(key: string): void;
}

/** Waits nothing after the first failure, then 1 s, 2 s, 4 s and so on, up to 30 s. */
export function createBackOff(clock: Clock): BackOff {
  const failures = new BoundedMap<string, { count: number; retryAt: number; error: Error }>(MAX_KEYS);

  return {
    current(key) {
      const failure = failures.get(key);
      return failure !== undefined && clock.now() < failure.retryAt ? failure.error : undefined;
    },
    failed(key, error) {
      const count = (failures.get(key)?.count ?? 0) + 1;
      const waitMs = count === 1 ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** (count - 2));
      failures.set(key, { count, retryAt: clock.now() + waitMs, error });
    },
    cleared(key) {
      failures.delete(key);
    },
  };
}
