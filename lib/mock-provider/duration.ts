/** A length of time: milliseconds, or as people write it: `'30 minutes'`, `'3 days'`, `'1.5 h'`. */
export type Duration = number | string;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const units: readonly (readonly [name: RegExp, milliseconds: number])[] = [
  [/^(ms|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, SECOND],
  [/^(m|mins?|minutes?)$/, MINUTE],
  [/^(h|hours?)$/, HOUR],
  [/^(d|days?)$/, DAY],
  [/^(w|weeks?)$/, 7 * DAY],
];

/** @returns the milliseconds of a duration, or undefined when it cannot be read as one. */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === 'number') return Number.isFinite(duration) ? duration : undefined;
  if (typeof duration !== 'string') return undefined;
  const [, amount, unit] = /^\s*(-?\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(duration) ?? [];
  const scale = units.find(([name]) => unit !== undefined && name.test(unit.toLowerCase()))?.[1];
  return scale === undefined ? undefined : Math.round(Number(amount) * scale);
}

/** @returns the milliseconds of a duration. Throws a sentence that names the place when it cannot be read. */
export function milliseconds(duration: Duration, where: string): number {
  const result = parseDuration(duration);
  if (result === undefined) {
    throw new TypeError(
      `${where} must be a duration such as '30 minutes' or a number of milliseconds, not ${JSON.stringify(duration)}.`,
    );
  }
  return result;
}
