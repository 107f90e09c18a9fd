import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Database, type Deployment, deploy } from './deployment.js';
import { createJourneys } from './journey.js';

const isLongRun = process.env.JOURNEYS !== undefined;
const FIRST_SEED = Number(process.env.JOURNEY_SEED ?? 1);
const SAMPLES = 20;
const FLOWS = ['openid', 'profile'] as const;
/** Fewer journeys are too few to see a leak. */
const MEMORY_JOURNEYS = 1_000;
const MAX_HEAP_GROWTH = 1.25;

const names = Array.from({ length: 8 }, (_, index) => `clinician-${index + 1}`);
const built = existsSync(fileURLToPath(new URL('../../dist/index.mjs', import.meta.url)));

/**
 * @param journeys half of them in each flow. `npm run test:long -- journeys` runs more, and measures the memory
 * @param start of the database that the processes share
 */
export function testJourneys(name: string, journeys: number, start: () => Promise<Database>): void {
  const total = Number(process.env.JOURNEYS ?? journeys);
  const run = built || process.env.CI === 'true' ? describe : describe.skip;
  run(`sign-in journeys with faults and outages of ${name}`, () => {
    let deployment: Deployment;
    afterEach(() => deployment.stop());

    test.each(FLOWS)(
      'flow %s: no user is signed in as another, no grant is lost silently, nothing is refreshed twice or hangs',
      async (flow) => {
        deployment = await deploy(flow, names, start);
        const runJourney = createJourneys(deployment, names);
        const count = Math.ceil(total / FLOWS.length);
        const heaps: number[] = [];
        const problems: string[] = [];
        const totals = { slowestMs: 0, disturbed: 0, lostGrants: 0 };
        for (let index = 0; index < count; index += 1) {
          const seed = FIRST_SEED + index;
          const { violations, disturbances, slowestMs, isGrantLost } = await runJourney(seed);
          problems.push(...violations.map((violation) => `seed ${seed} (${disturbances.join(', ')}): ${violation}`));
          totals.slowestMs = Math.max(totals.slowestMs, Math.round(slowestMs));
          if (disturbances.length > 0) totals.disturbed += 1;
          if (isGrantLost) totals.lostGrants += 1;
          if (isLongRun && index % Math.ceil(count / SAMPLES) === 0) {
            heaps.push(Math.max(...(await deployment.heaps())));
            process.stdout.write(`${flow}: ${index} of ${count}, ${problems.length} problems\n`);
          }
        }
        if (isLongRun) {
          const megabytes = heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join(', ');
          process.stdout.write(`${flow}: ${JSON.stringify({ count, ...totals })}, heap in MB: ${megabytes}\n`);
        }
        expect(problems).toEqual([]);
        expect(totals.disturbed).toBeGreaterThan(count / 2);
        if (count >= MEMORY_JOURNEYS) {
          const early = Math.max(...heaps.slice(SAMPLES / 4, SAMPLES / 2));
          const late = Math.max(...heaps.slice((SAMPLES * 3) / 4));
          expect(late / early).toBeLessThan(MAX_HEAP_GROWTH);
        }
      },
      120_000 + total * 2_000,
    );
  });
}
