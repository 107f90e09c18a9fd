import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

const { runSteadily } = await import(join(root, 'scripts/steady.mjs'));

/** Runs test files, each of which fails as often as its number says. @returns the exit status, the summary, and the runs */
function run(failures: Record<string, number>, isRepeated = true) {
  const left = { ...failures };
  const runs: string[][] = [];
  const runJest = (args: string[], { RESULTS_FILE = '' }: Record<string, string>): number => {
    runs.push(args);
    const files = args.includes('--runTestsByPath') ? args.slice(-1) : Object.keys(failures);
    const results = files.map((file) => {
      const failed = (left[file] ?? 0) > 0 ? 1 : 0;
      left[file] = (left[file] ?? 0) - 1;
      return { file, failed, passed: 1 - failed, skipped: 0 };
    });
    writeFileSync(RESULTS_FILE, JSON.stringify(results));
    return results.some(({ failed }) => failed > 0) ? 1 : 0;
  };
  return { ...(runSteadily(runJest, ['--maxWorkers=1', 'test'], isRepeated) as object), runs };
}

const first = ['--maxWorkers=1', 'test'];
const again = (file: string) => ['--maxWorkers=1', '--runTestsByPath', file];

test('a file that fails once is repeated by itself and named, and the run passes', () => {
  expect(run({ steady: 0, once: 1 })).toEqual({
    status: 0,
    lines: ['unsteady: once failed, and passed when it was repeated by itself', '2 passed, 0 failed, 0 skipped'],
    runs: [first, again('once')],
  });
});

test('a file that fails twice fails the run', () => {
  expect(run({ once: 1, twice: 2 })).toEqual({
    status: 1,
    lines: [
      'unsteady: once failed, and passed when it was repeated by itself',
      'unsteady: twice failed, and failed again when it was repeated by itself',
      '1 passed, 1 failed, 0 skipped',
    ],
    runs: [first, again('once'), again('twice')],
  });
});

test('four files that fail fail the run, and outside of CI one does: none is repeated', () => {
  const four = { a: 1, b: 1, c: 1, d: 1 };
  expect(run(four)).toEqual({ status: 1, lines: ['0 passed, 4 failed, 0 skipped'], runs: [first] });
  expect(run({ once: 1 }, false)).toEqual({ status: 1, lines: ['0 passed, 1 failed, 0 skipped'], runs: [first] });
});

test('the results of jest have each file, also one that does not load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steady-'));
  const reporters = [join(root, 'scripts/summary-reporter.mjs')];
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ reporters }));
  writeFileSync(join(folder, 'passes.test.js'), "test('passes', () => {});");
  writeFileSync(join(folder, 'broken.test.js'), 'not a test');
  const runJest = (args: string[], variables: object) => {
    const command = [join(root, 'node_modules/jest/bin/jest.js'), ...args];
    return spawnSync(process.execPath, command, { cwd: folder, env: { ...process.env, ...variables } }).status;
  };
  try {
    expect(runSteadily(runJest, ['-i'], false)).toEqual({ status: 1, lines: ['1 passed, 1 failed, 0 skipped'] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
