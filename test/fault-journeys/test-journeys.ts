import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Database, type Deployment, deploy } from './deployment.js';
import { createJourneys } from './journey.js';

const FIRST_SEED = Number(process.env.JOURNEY_SEED ?? 1);
const names = Array.from({ length: 8 }, (_, index) => `clinician-${index + 1}`);
const built = existsSync(fileURLToPath(new URL('../../dist/index.mjs', import.meta.url)));

/**
 * @param journeys half of them in each flow. `npm run test:long -- journeys` runs more
 * @param start of the database that the processes share
 */
export function testJourneys(name: string, journeys: number, start: () => Promise<Database>): void {
  const total = Number(process.env.JOURNEYS ?? journeys);
  const run = built || process.env.CI === 'true' ? describe : describe.skip;
  run(`sign-in journeys with faults and outages of ${name}`, () => {
    let deployment: Deployment;
    afterEach(() => deployment.stop());

    test.each(['openid', 'profile'] as const)(
      'flow %s: no user is signed in as another, no grant is lost silently, nothing is refreshed twice or hangs',
      async (flow) => {
        deployment = await deploy(flow, names, start);
        const runJourney = createJourneys(deployment, names);
        const count = Math.ceil(total / 2);
        const problems: string[] = [];
        let disturbed = 0;
        for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed += 1) {
          const { violations, disturbances } = await runJourney(seed);
          problems.push(...violations.map((violation) => `seed ${seed} (${disturbances.join(', ')}): ${violation}`));
          if (disturbances.length > 0) disturbed += 1;
        }
        expect(problems).toEqual([]);
        expect(disturbed).toBeGreaterThan(count / 2);
      },
      120_000 + total * 2_000, // a journey with an outage takes seconds on a slow machine
    );
  });
}
