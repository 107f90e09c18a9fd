// Writes the generated documents that the given tests check: runs these tests with WRITE_GENERATED set.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('test.mjs', import.meta.url));
const env = { ...process.env, WRITE_GENERATED: '1' };
const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { env, stdio: 'inherit' });
process.exit(status ?? 1);
