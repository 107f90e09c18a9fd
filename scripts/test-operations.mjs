// Runs the site as it is deployed, with every kind of Redis, through restarts and outages, and prints a table with what its users
// saw: `npm run test:operations`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'test.mjs'), 'test/operations', ...process.argv.slice(2)],
  { env: { OPERATIONS: 'full', ...process.env }, stdio: 'inherit' },
);
process.exit(status ?? 1);
