import type { Clock } from '../clock.js';

const LONGEST_MS = 30_000;
const MOST_REMEMBERED = 10_000;

/** Remembers acts that fail again and again, so that they are not tried with every request. */
export interface BackOff {
  /** @returns the last failure while it is too early to try again. */
  current(key: string): Error | undefined;
  failed(key: string, error: Error): void;
  cleared(key: string): void;
}

/** The first failure costs no wait, one hiccup is common; from the second on it is 1 s, 2 s, 4 s and so on, up to 30 s. */
export function createBackOff(clock: Clock): BackOff {
  const failures = new Map<string, { count: number; until: number; error: Error }>();

  return {
    current(key) {
      const failure = failures.get(key);
      return failure !== undefined && clock.now() < failure.until ? failure.error : undefined;
    },
    failed(key, error) {
      const count = (failures.get(key)?.count ?? 0) + 1;
      const wait = count === 1 ? 0 : Math.min(LONGEST_MS, 1000 * 2 ** (count - 2));
      failures.delete(key);
      failures.set(key, { count, until: clock.now() + wait, error });
      const oldest = failures.keys().next().value;
      if (failures.size > MOST_REMEMBERED && oldest !== undefined) failures.delete(oldest);
    },
    cleared(key) {
      failures.delete(key);
    },
  };
}
