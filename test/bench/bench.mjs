// Compares this package with other libraries, and with the least that the same work costs on Node. See CONTRIBUTING.md.
//   npm run build && npm run bench -- [row...] [--rounds N]
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from './report.mjs';
import { runRow } from './runner.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Installs the libraries that are compared, if they are missing or older than the lock file. */
function installLibraries() {
  const installed = `${folder}node_modules/.package-lock.json`;
  const lock = `${folder}package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('installing the libraries to compare with');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
}

async function readRows(names) {
  const files = readdirSync(new URL('rows/', import.meta.url)).sort();
  const modules = await Promise.all(files.map((file) => import(`./rows/${file}`)));
  const all = modules.flatMap((module) => module.default);
  const unknown = names.filter((name) => !all.some((row) => row.name === name));
  if (unknown.length === 0) return all.filter(({ name }) => names.length === 0 || names.includes(name));
  console.error(`Unknown row: ${unknown.join(', ')}. The rows are ${all.map(({ name }) => name).join(', ')}.`);
  return process.exit(2);
}

const { values, positionals } = parseArgs({ options: { rounds: { type: 'string' } }, allowPositionals: true });
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const rows = await readRows(positionals);
installLibraries();
const measured = [];
const failed = [];
for (const row of rows) {
  try {
    measured.push({ ...row, summary: await runRow(row, rounds) });
  } catch (error) {
    failed.push(row.name);
    console.error(`\n${row.name}: ${error.stack}`);
  }
}

console.log(table(measured));
console.log(`\nNode ${process.version}, ${cpus().length} processors, load average ${loadavg()[0].toFixed(1)}`);
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
