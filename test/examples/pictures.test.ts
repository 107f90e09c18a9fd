import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';

test('each picture of the documents shows the pages and texts of the current build', () => {
  const args = ['scripts/pictures/pictures.mjs', '--check'];
  const { stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: {} });
  expect([stderr, status]).toEqual(['', 0]);
});
