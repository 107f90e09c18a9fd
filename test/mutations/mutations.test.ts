import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';

interface Mutations {
  file: string;
  /** The test that fails after each of these changes. */
  test: string;
  changes: [text: string, becomes: string][];
}

const all = JSON.parse(readFileSync(join(root, 'test/mutations/mutations.json'), 'utf8')) as Mutations[];

test('each mutation of a security-critical line changes a text that occurs once, and names a test', () => {
  expect(all.flatMap(({ changes }) => changes).length).toBeGreaterThanOrEqual(60);
  const outdated = all.flatMap(({ file, changes }) => {
    const source = readFileSync(join(root, file), 'utf8');
    return changes.filter(([text, becomes]) => source.split(text).length !== 2 || text === becomes);
  });
  expect(outdated).toEqual([]);
  expect(all.map((one) => one.test).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
