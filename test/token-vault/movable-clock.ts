import type { Clock } from '../../lib/async/clock.js';

/** A clock that only `advance` moves. */
export interface MovableClock extends Clock {
  advance(ms: number): void;
}

export function movableClock(start: number = Date.UTC(2026, 0, 1)): MovableClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
