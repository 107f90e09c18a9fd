import { inspect } from 'node:util';
import { type Duration, milliseconds } from '../options/duration.js';

/** Controls the clock of a mock provider, for codes, tokens, sessions, rate windows and the verification queue. */
export interface MockClock {
  /** @returns milliseconds since the Unix epoch, by this clock. */
  now(): number;
  /** True while only {@link advance} and {@link set} move it. */
  readonly isFrozen: boolean;
  /** Moves the clock forward: `advance('3 days')`. A negative duration moves it back. */
  advance(duration: Duration): void;
  /** Sets the clock: a Date, milliseconds since the epoch, or a date in ISO 8601, without a time zone in UTC. */
  set(time: Date | number | string): void;
  /** Stops the clock: only {@link advance} and {@link set} move it. */
  freeze(): void;
  /** Starts a frozen clock from its current time. */
  resume(): void;
  /** Resets the clock to the running time of the machine. */
  reset(): void;
}

export const EXPECTED_TIME = 'milliseconds since 1970 or an ISO 8601 date that exists, such as 2026-02-28T09:30Z';
const EARLIEST = Date.parse('0001-01-01');
const LATEST = Date.parse('9999-01-01');

/** @returns a clock that runs with the machine's; `onMove` is called after each {@link MockClock.advance} and {@link MockClock.set}. */
export function createClock(onMove: () => void = () => {}): MockClock {
  let offset = 0;
  let frozenAt: number | undefined;
  const now = () => frozenAt ?? Date.now() + offset;

  const moveTo = (time: number) => {
    if (time < EARLIEST || time > LATEST) {
      throw new RangeError('The clock must be in the years 1 to 9998.');
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
    set(time) {
      const target = epochMilliseconds(time);
      if (Number.isFinite(target)) return moveTo(target);
      throw new TypeError(`clock.set() must be a Date, ${EXPECTED_TIME}, not ${inspect(time)}.`);
    },
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

/** A date in ISO 8601, with an optional time and time zone. */
const ISO_DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** @returns milliseconds since the Unix epoch; NaN for a date or a time that does not exist. */
export function epochMilliseconds(time: Date | number | string): number {
  if (typeof time === 'number') return time;
  if (typeof time !== 'string') return Number(time?.getTime?.());
  const [, date, clock = '00:00', zone = 'Z'] = ISO_DATE.exec(time) ?? [];
  const local = `${date}T${clock.replace(',', '.')}`;
  const utc = Date.parse(`${local}Z`);
  // Date.parse() takes February 30 for March 2, and 24:00 for the next day.
  const exists = Number.isFinite(utc) && new Date(utc).toISOString().startsWith(local.slice(0, 16));
  const [, offset, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return exists ? Date.parse(local + (offset === undefined ? 'Z' : `${offset}:${minutes}`)) : Number.NaN;
}
