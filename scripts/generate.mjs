// Writes the generated documents. A test compares each of them with the output of its generator. This script runs these tests
// with WRITE_GENERATED set, so that they write the output instead. Without arguments: the tests of every npm script `docs:*`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function allGenerators() {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const commands = Object.entries(scripts).filter(([name]) => name.startsWith('docs:'));
  return commands.flatMap(([, command]) => command.match(/\btest\/\S+/g) ?? []);
}

const tests = process.argv.length > 2 ? process.argv.slice(2) : allGenerators();
const script = fileURLToPath(new URL('test.mjs', import.meta.url));
const env = { ...process.env, WRITE_GENERATED: '1' };
// In one process: two generators may write sections of one document.
const { status } = spawnSync(process.execPath, [script, ...tests, '--runInBand'], { env, stdio: 'inherit' });
process.exit(status ?? 1);
