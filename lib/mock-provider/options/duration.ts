import type { Schema } from '../../schema.js';
import { quoted, validate } from './validate.js';

/** A length of time: a number of milliseconds, or text such as `'30 minutes'`, `'3 days'`, `'1.5 h'` or `'1h 30m'`. */
export type Duration = number | string;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS: readonly (readonly [milliseconds: number, names: readonly string[]])[] = [
  [1, ['ms', 'millisecond', 'milliseconds']],
  [SECOND_MS, ['s', 'sec', 'secs', 'second', 'seconds']],
  [MINUTE_MS, ['m', 'min', 'mins', 'minute', 'minutes']],
  [HOUR_MS, ['h', 'hour', 'hours']],
  [DAY_MS, ['d', 'day', 'days']],
  [7 * DAY_MS, ['w', 'week', 'weeks']],
];

/** No duration needs more. Longer text is not parsed. */
const MAX_LENGTH = 100;
const PART = /(\d+(?:\.\d+)?)\s*([A-Za-z]+)/g;

/** @returns the milliseconds of a duration, or undefined when it cannot be read as one. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const parts = /^\s*(-?)\s*((?:\d+(?:\.\d+)?\s*[A-Za-z]+[\s,]*)+)$/.exec(value);
  if (parts === null) return undefined;
  const [, sign, lengths = ''] = parts;
  let sum = 0;
  for (const [, amount, unit = ''] of lengths.matchAll(PART)) {
    const found = UNITS.find(([, names]) => names.includes(unit.toLowerCase()));
    if (found === undefined) return undefined;
    sum += Number(amount) * found[0];
  }
  return Math.round(sign === '-' ? -sum : sum);
}

const EXPECTED = "a duration such as '30 minutes', '1h 30m' or a number of milliseconds";

export const duration: Schema<Duration> = {
  type: EXPECTED,
  isValid: (value) => typeof value === 'string' || typeof value === 'number',
  check: durationProblem,
};

function durationProblem(value: Duration): string | undefined {
  return parseDuration(value) === undefined ? `must be ${EXPECTED}, not ${shown(value)}.` : undefined;
}

/** @returns the schema of a duration with a further requirement, such as `longer than 0 milliseconds`. */
export function durationThatIs(requirement: string, isMet: (milliseconds: number) => boolean): Schema<Duration> {
  function check(value: Duration): string | undefined {
    const length = parseDuration(value);
    if (length === undefined || isMet(length)) return durationProblem(value);
    return `must be ${requirement}, not ${shown(value)}.`;
  }
  return { ...duration, check };
}

/** @returns the milliseconds of a duration. Throws a TypeError that names the place when it is not one. */
export function milliseconds(value: Duration, name: string): number {
  const length = parseDuration(value);
  if (length === undefined) validate(duration, value, name);
  return length as number;
}

function shown(value: Duration): string {
  return typeof value === 'string' ? quoted(value) : String(value);
}
