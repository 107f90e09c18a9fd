// Runs the tests with jest: `npm test`. Prints one line for each kind of test that is skipped because a program is missing; with
// CI=true a missing program is an error, and a file that fails runs once more by itself.
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

/** The tests and the variables of each long form. A variable that is set already keeps its value, to repeat a run. */
const LONG_FORMS = {
  properties: {
    tests: 'test/properties',
    variables: { PROPERTY_FACTOR: '100', PROPERTY_SEED: String(Date.now() % 2 ** 31) },
  },
  journeys: { tests: 'test/fault-journeys', variables: { JOURNEYS: '10000' } },
  operations: { tests: 'test/operations', variables: { OPERATIONS: 'full' } },
  mutations: undefined,
};

function runNode(args, env) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  return status ?? 1;
}

/** @returns the exit status of jest */
function runTests(args, variables = {}) {
  const { env, missing } = findRequirements(root);
  for (const { message } of missing) console.log(message);
  if (missing.some(({ isOptional }) => !isOptional) && process.env.CI === 'true') {
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
  const ignore = [...config.testPathIgnorePatterns, ...skipped].map((path) => `--testPathIgnorePatterns=${path}`);
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
    return tests ? runTests([tests, ...others], variables) : runNode([MUTATIONS, ...others], process.env);
  });
  return Math.max(...statuses);
}

const [first, ...others] = process.argv.slice(2);
process.exit(first === '--long' ? runLongForms(others) : runTests(process.argv.slice(2)));
