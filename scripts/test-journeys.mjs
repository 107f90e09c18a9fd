// Runs many sign-in journeys with faults and outages, and prints their figures: `npm run test:journeys`. Set JOURNEYS to the
// number of journeys, and JOURNEY_SEED to the seed of the first one.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'test.mjs'), 'test/fault-journeys', ...process.argv.slice(2)],
  { env: { JOURNEYS: '10000', ...process.env }, stdio: 'inherit' },
);
process.exit(status ?? 1);
