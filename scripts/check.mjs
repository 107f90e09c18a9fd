// Checks what a change forgets most often: the types, the lint rules, and the tests that compare a table or a document with the
// code (table-tests.json). Runs all three, also where one fails: `npm run check`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const tests = JSON.parse(readFileSync(new URL('table-tests.json', import.meta.url), 'utf8'));
const commands = [
  ['npm', 'run', '--silent', 'types'],
  ['npm', 'run', '--silent', 'lint'],
  [process.execPath, fileURLToPath(new URL('test.mjs', import.meta.url)), ...tests],
];
const results = commands.map(([command, ...args]) => spawnSync(command, args, { stdio: 'inherit' }));
process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
