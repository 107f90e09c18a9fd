// Runs the property-based tests with many more inputs than `npm test`, and with a new seed: `npm run test:properties`. Set
// PROPERTY_SEED and PROPERTY_FACTOR to repeat a run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const seed = process.env.PROPERTY_SEED ?? String(Date.now() % 2 ** 31);
const factor = process.env.PROPERTY_FACTOR ?? '100';
console.log(`PROPERTY_SEED=${seed} PROPERTY_FACTOR=${factor}`);

const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'test.mjs'), 'test/properties', ...process.argv.slice(2)],
  { env: { ...process.env, PROPERTY_SEED: seed, PROPERTY_FACTOR: factor }, stdio: 'inherit' },
);
process.exit(status ?? 1);
