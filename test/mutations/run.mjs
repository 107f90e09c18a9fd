// Changes one security-critical line at a time, in a temporary copy, and runs the test that must then fail:
// `npm run test:long -- mutations`. Arguments select the changes whose file, text or test contains one of them. Each processor has
// its own copy.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRequirements } from '../../scripts/requirements.mjs';

const TIMEOUT_MS = 5 * 60_000;
const root = join(import.meta.dirname, '../..');
const selected = process.argv.slice(2);
const groups = JSON.parse(readFileSync(join(import.meta.dirname, 'mutations.json'), 'utf8'));
const all = groups.flatMap(({ file, test, changes }) =>
  changes.map(([text, becomes]) => ({ file, test, text, becomes })),
);
const mutations = all.filter(
  ({ file, text, test }) =>
    selected.length === 0 || selected.some((part) => [file, text, test].join('\n').includes(part)),
);
const { env } = findRequirements(root);

/** Copies the sources into a repository of their own, without the packages: some tests list its files. @returns the folder */
function createCopy(files) {
  const copy = mkdtempSync(join(tmpdir(), 'passport-clinician-mutations-'));
  for (const file of files) cpSync(join(root, file), join(copy, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  return copy;
}

/** @returns how many tests fail, or `error` where a file could not be run. Tests that do not end fail. */
async function failures(copy, tests) {
  const output = join(copy, 'result.json');
  rmSync(output, { force: true });
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--silent', '--json', '--forceExit'];
  const args = [...jest, `--outputFile=${output}`, ...tests];
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const options = {
    cwd: copy,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    signal: timeout,
    killSignal: 'SIGKILL',
  };
  const child = spawn(process.execPath, args, options);
  child.on('error', () => undefined);
  // An abort is an error event.
  await once(child, 'close').catch(() => undefined);
  if (timeout.aborted) return 1;
  const { numFailedTests, numRuntimeErrorTestSuites, numPassedTests } = JSON.parse(readFileSync(output, 'utf8'));
  // A check after the last test may fail in addition to a test.
  if (numFailedTests > 0) return numFailedTests;
  return numRuntimeErrorTestSuites > 0 || numPassedTests === 0 ? 'error' : 0;
}

/** @returns what is wrong with a mutation, or with the tests after it; undefined when a test fails as it must. */
async function survivor(copy, { file, text, becomes, test }) {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  const count = original.split(text).length - 1;
  if (count !== 1) return `the text occurs ${count} times: change test/mutations/mutations.json`;
  writeFileSync(
    path,
    original.replace(text, () => becomes),
  );
  try {
    const failed = await failures(copy, [test]);
    if (failed === 'error') return 'the changed file cannot be run: change test/mutations/mutations.json';
    return failed === 0 ? `no test of ${test} fails` : undefined;
  } finally {
    writeFileSync(path, original);
  }
}

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
const copies = Array.from({ length: Math.min(availableParallelism(), mutations.length) }, () => createCopy(files));
try {
  const tests = [...new Set(mutations.map(({ test }) => test))];
  if ((await failures(copies[0], tests)) !== 0) throw new Error('The tests fail without a change. Fix them first.');
  const remaining = mutations.values();
  let survivors = 0;
  async function runRemaining(copy) {
    for (const mutation of remaining) {
      const problem = await survivor(copy, mutation);
      console.log(`${problem ? 'SURVIVED' : 'killed  '} ${mutation.file}: ${mutation.text}  ->  ${mutation.becomes}`);
      if (problem) console.log(`         ${problem}`);
      survivors += problem ? 1 : 0;
    }
  }
  await Promise.all(copies.map(runRemaining));
  console.log(`${mutations.length - survivors} of ${mutations.length} killed`);
  process.exitCode = survivors > 0 ? 1 : 0;
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
