import { type Duration, milliseconds } from '../options/duration.js';

/** Controls the clock of a mock provider, for codes, tokens, sessions, rate windows and the verification queue. */
export interface MockClock {
  /** @returns milliseconds since the Unix epoch, by this clock. */
  now(): number;
  /** True while only {@link advance} and {@link set} move it. */
  readonly isFrozen: boolean;
  /** Moves the clock forward: `advance('3 days')`. A negative duration moves it back. */
  advance(duration: Duration): void;
  /** Sets the clock: a Date, milliseconds since the epoch, or an ISO string. */
  set(time: Date | number | string): void;
  /** Stops the clock: only {@link advance} and {@link set} move it. */
  freeze(): void;
  /** Starts a frozen clock from its current time. */
  resume(): void;
  /** Resets the clock to the running time of the machine. */
  reset(): void;
}

const EARLIEST = Date.parse('0001-01-01');
const LATEST = Date.parse('9999-01-01');

/** @returns a clock that runs with the machine's; `onMove` is called after each {@link MockClock.advance} and {@link MockClock.set}. */
export function createClock(onMove: () => void = () => {}): MockClock {
  let offset = 0;
  let frozenAt: number | undefined;
  const now = () => frozenAt ?? Date.now() + offset;

  const moveTo = (time: number) => {
    if (time < EARLIEST || time > LATEST) {
      throw new RangeError('The clock must be between the years 1 and 9999.');
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

/** @returns whole seconds since the Unix epoch, the unit of times on the wire. */
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
