import { type Duration, milliseconds } from '../options/duration.js';

/** The one clock of a mock provider: codes, tokens, sessions, rate windows and the verification queue all go by it. */
export interface MockClock {
  /** Milliseconds since the Unix epoch, by this clock. */
  now(): number;
  /** True while it moves by {@link advance} and {@link set} alone. */
  readonly isFrozen: boolean;
  /** Moves the clock on: `advance('3 days')`. A negative duration moves it back. */
  advance(duration: Duration): void;
  /** Sets the clock: a Date, milliseconds since the epoch, or an ISO string. */
  set(time: Date | number | string): void;
  /** Stops the clock, so that it moves by {@link advance} and {@link set} alone. */
  freeze(): void;
  /** Lets a frozen clock run on from where it stands. */
  resume(): void;
  /** Back to the machine's own time, running. */
  reset(): void;
}

const EARLIEST = Date.parse('0001-01-01');
const LATEST = Date.parse('9999-01-01');

/** @returns a clock that runs with the machine's until it is told otherwise; `onMove` hears of every jump. */
export function createClock(onMove: () => void = () => {}): MockClock {
  let offset = 0;
  let frozenAt: number | undefined;
  const now = () => frozenAt ?? Date.now() + offset;

  const moveTo = (time: number) => {
    if (time < EARLIEST || time > LATEST) {
      throw new RangeError('The clock goes from the year 1 to the year 9999: no date on the wire could say more.');
    }
    if (frozenAt === undefined) offset = time - Date.now();
    else frozenAt = time;
    onMove();
  };

  return {
    now,
    get isFrozen() {
      return frozenAt !== undefined;
    },
    advance: (duration) => moveTo(now() + milliseconds(duration, 'clock.advance()')),
    set: (time) => moveTo(epochMilliseconds(time)),
    freeze() {
      frozenAt = now();
    },
    resume() {
      if (frozenAt !== undefined) offset = frozenAt - Date.now();
      frozenAt = undefined;
    },
    reset() {
      offset = 0;
      frozenAt = undefined;
    },
  };
}

/** @returns whole seconds since the Unix epoch: the unit of every time on the wire. */
export function epochSeconds(time: number): number {
  return Math.floor(time / 1000);
}

function epochMilliseconds(time: Date | number | string): number {
  const result = typeof time === 'number' ? time : new Date(time).getTime();
  if (!Number.isFinite(result)) {
    throw new TypeError(
      `clock.set() must be a Date, milliseconds since 1970 or an ISO date, not ${JSON.stringify(time)}.`,
    );
  }
  return result;
}
