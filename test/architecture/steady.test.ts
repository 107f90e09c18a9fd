import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { root } from './imports.js';

const { runSteadily } = await import(join(root, 'scripts/steady.mjs'));

const STEADY = "test('steady', () => {});";
const FAILS_ONCE = `
const isRepeated = require('fs').existsSync(__filename + '.ran');
require('fs').writeFileSync(__filename + '.ran', '');
test('unsteady', () => expect(isRepeated).toBe(true));
`;
const FAILS = "test('fails', () => { throw new Error(); });";

let folder: string;
let runs: string[][];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steady-'));
  runs = [];
  const reporters = [join(root, 'scripts/summary-reporter.mjs')];
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ reporters }));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs test files with jest. @returns the exit status and the summary, without the path of the folder */
function run(files: Record<string, string>, isRepeated = true): { status: number; lines: string[] } {
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), source);
  const runJest = (args: string[], variables: object): number => {
    runs.push(args);
    const env = { ...process.env, ...variables };
    const command = [join(root, 'node_modules/jest/bin/jest.js'), ...args];
    return spawnSync(process.execPath, command, { cwd: folder, env }).status ?? 1;
  };
  const { status, lines } = runSteadily(runJest, ['--maxWorkers=1', '.test.js'], isRepeated);
  return { status, lines: lines.map((line: string) => line.replace(/\S+\//, '')) };
}

test('each file that fails is repeated by itself and named: one that fails twice, or does not load, fails the run', () => {
  const { status, lines } = run({ steady: STEADY, once: FAILS_ONCE, twice: FAILS, broken: 'not a test' });
  expect([status, lines.at(-1), runs.length]).toEqual([1, '2 passed, 2 failed, 0 skipped', 4]);
  expect(lines).toEqual(
    expect.arrayContaining([
      'unsteady: once.test.js failed, and passed when it was repeated by itself',
      'unsteady: twice.test.js failed, and failed again when it was repeated by itself',
    ]),
  );
  expect(runs).toContainEqual(['--maxWorkers=1', '--runTestsByPath', join(folder, 'once.test.js')]);
});

test('a run passes if all files pass when they are repeated', () => {
  expect(run({ once: FAILS_ONCE }).status).toBe(0);
});

test('four files that fail fail the run, and none is repeated', () => {
  const { status, lines } = run({ a: FAILS_ONCE, b: FAILS_ONCE, c: FAILS_ONCE, d: FAILS_ONCE });
  expect([status, lines, runs.length]).toEqual([1, ['0 passed, 4 failed, 0 skipped'], 1]);
});

test('outside of CI no file is repeated', () => {
  expect(run({ once: FAILS_ONCE }, false)).toEqual({ status: 1, lines: ['0 passed, 1 failed, 0 skipped'] });
});
