/** The first versions without the published faults that a site would have from them, by major version where two are alive. */
export const MINIMUM_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  passport: ['0.6.0'],
  'passport-oauth2': ['1.6.1'],
  'express-session': ['1.18.2'],
  express: ['4.20.0', '5.0.1'],
  cookie: ['0.7.0'],
  'on-headers': ['1.1.0'],
};

/** @returns the floor that a version is below: that of the same major version, else the lowest one. */
export function minimumAbove(name: string, version: string): string | undefined {
  const floors = MINIMUM_VERSIONS[name];
  const floor = floors?.find((one) => numbers(one)[0] === numbers(version)[0]) ?? floors?.[0];
  return floor !== undefined && isBelow(version, floor) ? floor : undefined;
}

export function isBelow(version: string, floor: string): boolean {
  const [have, need] = [numbers(version), numbers(floor)];
  const place = have.findIndex((number, at) => number !== need[at]);
  return place >= 0 && (have[place] ?? 0) < (need[place] ?? 0);
}

function numbers(version: string): number[] {
  return version.split(/[.-]/).slice(0, 3).map(Number);
}
