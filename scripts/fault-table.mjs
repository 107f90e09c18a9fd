// Writes the generated parts of docs/faults.md: runs every fault, as the tests do, and takes what they find for what is right.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('test.mjs', import.meta.url));
const tests = ['test/faults/catalogue.test.ts', 'test/faults/peers.test.ts', '--runInBand'];
const env = { ...process.env, WRITE_FAULT_TABLE: '1' };
const { status } = spawnSync(process.execPath, [script, ...tests], { env, stdio: 'inherit' });
process.exit(status ?? 1);
