// Runs the tests with jest. Prints one line for each kind of test that is skipped because a program is missing; with CI=true
// a missing program is an error.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import config from '../jest.config.mjs';
import { findRequirements } from './requirements.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { env, missing } = findRequirements(root);
for (const { message } of missing) console.log(message);
if (missing.some(({ isOptional }) => !isOptional) && process.env.CI === 'true') {
  console.error('No test may be skipped in CI. Install the programs named above.');
  process.exit(1);
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
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2), ...ignore], {
  cwd: root,
  env: { ...process.env, ...env, NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') },
  stdio: 'inherit',
});
process.exit(status ?? 1);
