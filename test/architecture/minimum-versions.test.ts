import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

interface Lock {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
}

/** The first versions without published vulnerabilities. If two major versions are maintained, one for each. */
const MINIMUM_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  passport: ['0.6.0'],
  'passport-oauth2': ['1.6.1'],
  'express-session': ['1.18.2'],
  express: ['4.20.0', '5.0.1'],
  cookie: ['0.7.0'],
  'on-headers': ['1.1.0'],
};
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

function isBelow(version: string, minimums: readonly string[]): boolean {
  const numbers = (text: string) => text.split('.').map((number) => number.padStart(6, '0'));
  const [major] = version.split('.');
  const minimum = minimums.find((one) => one.startsWith(`${major}.`)) ?? (minimums[0] as string);
  return numbers(version).join() < numbers(minimum).join();
}

test('no locked version is below its minimum, at any depth', () => {
  const locked = Object.entries(packages).map(([path, { version = '0' }]) => [nameOf(path), version] as const);
  const limited = locked.filter(([name]) => Object.hasOwn(MINIMUM_VERSIONS, name));
  expect(new Set(limited.map(([name]) => name)).size).toBe(Object.keys(MINIMUM_VERSIONS).length);
  expect(limited.filter(([name, version]) => isBelow(version, MINIMUM_VERSIONS[name] ?? []))).toEqual([]);
  expect(isBelow('4.19.2', ['4.20.0', '5.0.1'])).toBe(true);
});

test('the lock file contains the packages of every platform, as npm ci requires', () => {
  const locked = new Set(Object.keys(packages).map(nameOf));
  const required = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(required.filter((name) => !locked.has(name))).toEqual([]);
});
