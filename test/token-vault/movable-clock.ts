import type { Clock } from '../../lib/clock.js';

/** A clock that stands still until it is told. */
export interface MovableClock extends Clock {
  pass(ms: number): void;
}

export function movableClock(start: number = Date.UTC(2026, 0, 1)): MovableClock {
  let now = start;
  return {
    now: () => now,
    pass(ms) {
      now += ms;
    },
  };
}
