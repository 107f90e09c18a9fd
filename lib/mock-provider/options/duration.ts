/** A length of time: milliseconds, or as people write it: `'30 minutes'`, `'3 days'`, `'1.5 h'`, `'1h 30m'`. */
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

const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)/gi;

/** @returns the milliseconds of a duration, or undefined when it cannot be read as one. */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === 'number') return Number.isFinite(duration) ? duration : undefined;
  if (typeof duration !== 'string') return undefined;
  const parts = /^\s*(-?)\s*((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*)+)$/i.exec(duration);
  if (parts === null) return undefined;
  const [, sign, lengths = ''] = parts;
  let sum = 0;
  for (const [, amount, unit = ''] of lengths.matchAll(PART)) {
    const scale = units.find(([name]) => name.test(unit.toLowerCase()))?.[1];
    if (scale === undefined) return undefined;
    sum += Number(amount) * scale;
  }
  return Math.round(sign === '-' ? -sum : sum);
}

/** @returns the milliseconds of a duration. Throws a sentence that names the place when it cannot be read. */
export function milliseconds(duration: Duration, where: string): number {
  const result = parseDuration(duration);
  if (result === undefined) {
    throw new TypeError(
      `${where} must be a duration such as '30 minutes', '1h 30m' or a number of milliseconds, not ${typeof duration === 'number' ? duration : JSON.stringify(duration)}.`,
    );
  }
  return result;
}
