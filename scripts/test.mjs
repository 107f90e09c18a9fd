// Runs the tests, and says in one line what this machine lacks for some of them. With CI=true lacking anything is a failure.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function find(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {}
    }
  }
  return undefined;
}

const needs = [
  {
    folder: 'test/browser',
    what: 'browser tests',
    lacks: 'no chromium on the PATH',
    found: process.env.CHROMIUM ?? find('chromium', 'chromium-browser', 'google-chrome'),
    env: 'CHROMIUM',
  },
];

const env = {
  ...process.env,
  NODE_OPTIONS:
    `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`.trim(),
};
const skipped = [];
for (const { folder, what, lacks, found, env: name } of needs) {
  if (found) env[name] = found;
  else skipped.push({ folder, line: `skipped: ${what} (${folder}), because there is ${lacks}` });
}
for (const { line } of skipped) console.log(line);
if (skipped.length > 0 && process.env.CI === 'true') {
  console.error('In CI nothing may be skipped: install what is named above.');
  process.exit(1);
}

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const ignore = skipped.flatMap(({ folder }) => ['--testPathIgnorePatterns', `/${folder}/`]);
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2), ...ignore], {
  cwd: root,
  env,
  stdio: 'inherit',
});
process.exit(status ?? 1);
