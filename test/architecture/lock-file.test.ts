import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

test('the lock file contains the packages of every platform, as npm ci requires', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
  const required = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(required.filter((name) => !locked.has(name))).toEqual([]);
});
