import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { projectFiles } from '../documents.js';
import { root } from './imports.js';

/** What only tests of tables and documents import. */
const HELPER = /\/documents\.js'/;

const tests = projectFiles.filter((file) => /^test\/.*\.test\.ts$/.test(file));
const patterns = JSON.parse(readFileSync(join(root, 'scripts/table-tests.json'), 'utf8')) as string[];

test('npm run check runs each test that compares a table or a document', () => {
  const ofTables = tests.filter((file) => HELPER.test(readFileSync(join(root, file), 'utf8')));
  expect(ofTables.length).toBeGreaterThan(10);
  expect(ofTables.filter((file) => !patterns.some((pattern) => new RegExp(pattern).test(file)))).toEqual([]);
});

test('each pattern of npm run check matches a test', () => {
  expect(patterns.filter((pattern) => !tests.some((file) => new RegExp(pattern).test(file)))).toEqual([]);
});
