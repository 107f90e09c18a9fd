/** The first versions without published vulnerabilities. If two major versions are maintained, one for each. */
export const MINIMUM_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  passport: ['0.6.0'],
  'passport-oauth2': ['1.6.1'],
  'express-session': ['1.18.2'],
  express: ['4.20.0', '5.0.1'],
  cookie: ['0.7.0'],
  'on-headers': ['1.1.0'],
};

/** @returns the minimum that a version is below: that of the same major version, else the lowest one. */
export function minimumAbove(name: string, version: string): string | undefined {
  const minimums = MINIMUM_VERSIONS[name];
  const minimum = minimums?.find((one) => numbers(one)[0] === numbers(version)[0]) ?? minimums?.[0];
  return minimum !== undefined && isBelow(version, minimum) ? minimum : undefined;
}

export function isBelow(version: string, minimum: string): boolean {
  const [have, need] = [numbers(version), numbers(minimum)];
  const index = have.findIndex((number, at) => number !== need[at]);
  return index >= 0 && (have[index] ?? 0) < (need[index] ?? 0);
}

function numbers(version: string): number[] {
  return version.split(/[.-]/).slice(0, 3).map(Number);
}
