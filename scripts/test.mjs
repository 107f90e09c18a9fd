// Runs the tests with jest. `npm test`: modules, journeys through HTTP, a browser, stores in memory. `npm run test:all`: also ONLY_IN_ALL,
// and the tests in the browser in Chromium. `npm run test:rest`: what `test:all` has in addition to `npm test`.
// `npm test -- lib/sign-in` runs the tests of a module, `npm test -- test/security` those of a folder.
//
// Prints one line for each kind of test that is skipped because a program is missing; with CI=true a missing program is an error, and
// a file that fails runs once more by itself.
//
// `npm run test:long` runs some of them in their long form, one after the other: `npm run test:long -- properties journeys`.
// Further arguments are those of jest, or the filter of the mutations.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import config from '../jest.config.mjs';
import { findRequirements } from './requirements.mjs';
import { runSteadily } from './steady.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const MUTATIONS = join(root, 'test', 'mutations', 'run.mjs');

/** Databases, several processes, frameworks, other languages, compilers, bundlers, random inputs, and each fault at a site. */
const ONLY_IN_ALL = [
  '\\.(authlib|postgres|python|redis)\\.test\\.ts$',
  'test/(contracts|fault-journeys|faults|interop|newcomer|operations|package|properties)/',
  'test/(architecture/snippets|browser/fetched-navigations|integration/report)',
  'test/examples/(other-languages|playwright|projects|single-page)',
];

/** The tests and the variables of each long form. A variable that is set already keeps its value, to repeat a run. */
const LONG_FORMS = {
  properties: {
    tests: 'test/properties',
    variables: { PROPERTY_FACTOR: '100', PROPERTY_SEED: String(Date.now() % 2 ** 31) },
  },
  journeys: { tests: 'test/fault-journeys', variables: { JOURNEYS: '10000' } },
  mutations: undefined,
};

function runNode(args, env) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  return status ?? 1;
}

/**
 * @param args those of jest
 * @param ignored patterns of the test files that are not selected
 * @returns the exit status of jest
 */
function runTests(args, { variables = {}, ignored = [] } = {}) {
  const matches = (file) => (pattern) => new RegExp(pattern).test(file);
  const paths = args.filter((arg) => arg.includes('test/') || ONLY_IN_ALL.includes(arg));
  const isSelected = (file) => (paths.length === 0 || paths.some(matches(file))) && !ignored.some(matches(file));
  const { env, missing } = findRequirements(root, isSelected);
  for (const { message } of missing) console.log(message);
  if (missing.length > 0 && process.env.CI === 'true') {
    console.error('No test may be skipped in CI. Install the programs named above.');
    return 1;
  }
  const nodeOptions = [
    process.env.NODE_OPTIONS,
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    // By default Node tries the next address of localhost after 250 ms, where no server listens.
    '--network-family-autoselection-attempt-timeout=60000',
  ];
  const skipped = missing.flatMap(({ files }) => files.map((file) => `<rootDir>/${file}$`));
  // On the command line this option replaces the configured one, so the configured patterns are repeated here.
  const patterns = [...config.testPathIgnorePatterns, ...ignored, ...skipped];
  const ignore = patterns.map((path) => `--testPathIgnorePatterns=${path}`);
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const options = { ...variables, ...process.env, ...env, NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') };
  const runJest = (jestArgs, more) => runNode([jest, ...jestArgs, ...ignore], { ...options, ...more });
  const { status, lines } = runSteadily(runJest, args, process.env.CI === 'true');
  console.log(`\n${lines.join('\n')}`);
  return status;
}

function runLongForms(args) {
  const all = Object.keys(LONG_FORMS);
  const end = args.findIndex((arg) => !all.includes(arg));
  const [named, others] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end)];
  if (named.length === 0 && others.length > 0) {
    console.error(`Name one or more of ${all.join(', ')} first, not '${others[0]}'.`);
    return 1;
  }
  const statuses = (named.length > 0 ? named : all).map((name) => {
    const { tests, variables } = LONG_FORMS[name] ?? {};
    console.log(`\n${name} ${JSON.stringify(variables ?? {})}`);
    return tests ? runTests([tests, ...others], { variables }) : runNode([MUTATIONS, ...others], process.env);
  });
  return Math.max(...statuses);
}

/** Runs the tests in the browser in Chromium, if the others run them in its headless shell. */
function runOtherBrowser(args) {
  const { env } = findRequirements(root);
  if (!env.CHROMIUM || !env.CHROMIUM_HEADLESS_SHELL) return 0;
  process.env.CHROMIUM_HEADLESS_SHELL = env.CHROMIUM;
  return runTests(['test/browser/', ...args]);
}

const [first, ...others] = process.argv.slice(2);
if (first === '--long') process.exit(runLongForms(others));
if (first === '--all') process.exit(Math.max(runTests(others), runOtherBrowser(others)));
if (first === '--rest') process.exit(Math.max(runTests([...ONLY_IN_ALL, ...others]), runOtherBrowser(others)));
const args = process.argv.slice(2).map((arg) => arg.replace(/^lib\//, 'test/'));
const isSelected = args.some((arg) => arg.startsWith('test/'));
process.exit(runTests(args, { ignored: isSelected ? [] : ONLY_IN_ALL }));
