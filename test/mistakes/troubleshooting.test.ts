import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ERROR_SECTIONS, WARNING_CODES } from '../../lib/errors/error-codes.js';
import { root } from '../architecture/imports.js';

test('each code in docs/start/troubleshooting.md is one of this package', () => {
  const page = readFileSync(join(root, 'docs', 'start', 'troubleshooting.md'), 'utf8');
  const named = [...page.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code);
  const codes = [...ERROR_SECTIONS.flatMap(([, section]) => Object.keys(section)), ...Object.keys(WARNING_CODES)];
  expect(named.length).toBeGreaterThan(10);
  // OAuth has that one.
  expect(named.filter((code) => ![...codes, 'invalid_client'].includes(String(code)))).toEqual([]);
});
