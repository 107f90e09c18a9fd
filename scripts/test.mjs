// Runs the tests, and says in one line each what this machine lacks for some of them. With CI=true that is a failure.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import config from '../jest.config.mjs';
import { lookAround } from './requirements.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { found, lacking } = lookAround(root);
for (const { line } of lacking) console.log(line);
if (lacking.length > 0 && process.env.CI === 'true') {
  console.error('In CI no test may be skipped: install what is named above.');
  process.exit(1);
}

const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const skipped = lacking.flatMap(({ files }) => files.map((file) => `<rootDir>/${file}$`));
// Given on the command line this option takes the place of the configured one, so that one is repeated.
const ignore = [...config.testPathIgnorePatterns, ...skipped].map((path) => `--testPathIgnorePatterns=${path}`);
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2), ...ignore], {
  cwd: root,
  env: { ...process.env, ...found, NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') },
  stdio: 'inherit',
});
process.exit(status ?? 1);
