import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../architecture/imports.js';
import { attempt, type Result, type Trial } from './attempt.js';
import { LIBRARIES, type Library } from './libraries.js';
import { librarySite, ownSite } from './library-site.js';
import { EXCHANGE_TRIALS, FORGERY_TRIALS } from './trials.js';

/** The result of each trial with one library. */
export type Column = ReadonlyMap<Trial, Result>;

const trials: readonly Trial[] = [...Object.values(FORGERY_TRIALS), ...Object.values(EXCHANGE_TRIALS)].flat();

/** Faults after which some libraries wait until the timeout: their trials run in parallel with the others. */
const SLOW_FAULTS: readonly string[] = ['noResponse', 'stalledResponse', 'truncatedResponse'];
const isSlow = ({ fault }: Trial) => SLOW_FAULTS.includes(fault);

/** Trials that run one after the other. */
interface Series {
  trials: readonly Trial[];
  /** The timeout of the libraries that have one. */
  timeoutMs: number;
}

const series: readonly Series[] = [
  // On a slow machine no response is later than this.
  { trials: trials.filter((trial) => !isSlow(trial)), timeoutMs: 60_000 },
  { trials: trials.filter(isSlow), timeoutMs: 2_500 },
];

/** Runs every trial with every library, in parallel. */
export function compareAll(): Promise<Column[]> {
  return Promise.all(
    LIBRARIES.map(async (library) => {
      const results = await Promise.all(series.map((one) => runSeries(library, one)));
      return new Map(results.flat());
    }),
  );
}

/** Runs trials at one provider. */
async function runSeries(library: Library, { trials, timeoutMs }: Series): Promise<[Trial, Result][]> {
  const provider = await startMockProvider();
  const site = await (library.site ? librarySite(provider, library) : ownSite(provider));
  try {
    const results: [Trial, Result][] = [];
    for (const trial of trials) {
      const run = () => attempt(library, site, provider, trial, timeoutMs);
      // On a slow machine the timeout of a library may expire before the fault applies.
      results.push([trial, await run().catch(run)]);
    }
    return results;
  } finally {
    await site.stop();
    await provider.stop();
  }
}

/** @returns the installed version of a library. */
export function versionOf({ package: name }: Library): string {
  const manifest = name === undefined ? 'package.json' : join('node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(join(root, manifest), 'utf8')) as { version: string }).version;
}
