import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MINIMUM_VERSIONS, minimumAbove } from '../../lib/cli/doctor/minimum-versions.js';
import { root } from './imports.js';

interface Lock {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
}
interface Manifest {
  dependencies: Record<string, string>;
}
const readJSON = <T>(file: string): T => JSON.parse(readFileSync(join(root, file), 'utf8')) as T;

function isTooOld(name: string, version: string): boolean {
  return minimumAbove(name, version) !== undefined;
}

test('no locked version is below its minimum, at any depth', () => {
  const { packages } = readJSON<Lock>('package-lock.json');
  const locked = Object.entries(packages).map(([path, { version }]) => ({
    name: path.replace(/^.*node_modules\//, ''),
    path,
    version: version ?? '0.0.0',
  }));
  const limited = locked.filter(({ name }) => name in MINIMUM_VERSIONS);
  expect(new Set(limited.map(({ name }) => name)).size).toBe(Object.keys(MINIMUM_VERSIONS).length);
  expect(limited.filter(({ name, version }) => isTooOld(name, version))).toEqual([]);
});

test('the lock file contains the packages of every platform, as npm ci requires', () => {
  const { packages } = readJSON<Lock>('package-lock.json');
  const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
  const required = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(required.filter((name) => !locked.has(name))).toEqual([]);
});

test('no dependency range allows a version below its minimum', () => {
  const ranges = Object.entries(readJSON<Manifest>('package.json').dependencies);
  expect(ranges.filter(([, range]) => !/^[\^~]?\d/.test(range))).toEqual([]);
  expect(ranges.filter(([name, range]) => isTooOld(name, range.replace(/^[\^~]/, '')))).toEqual([]);
});

test.each([
  ['passport', '0.5.3', true],
  ['passport', '0.7.0', false],
  ['express', '4.19.2', true],
  ['express', '5.0.0', true],
  ['express', '4.21.0', false],
  ['express-session', '1.18.1', true],
  ['express-session', '2.0.0', false],
])('%s %s is below its minimum: %s', (name, version, expected) => {
  expect(isTooOld(name, version)).toBe(expected);
});
