import { BenchProcess } from './process.mjs';
import { summarize } from './statistics.mjs';

const ROUNDS = 12;
const DISCARDED = 2;

/**
 * Runs one row. Each round measures every target once, each time in another order, so that slow seconds of the machine meet all of
 * them. A row has:
 * - `targets`: for each name the module and its options; the first one is compared with the others;
 * - `measure(context)`: measures a target once, and returns a number, of which less is better;
 * - `goals`: the highest ratio to a target;
 * - `services`: processes that the targets use, which are not measured. Their `info` is an option of the targets, under their name;
 * - `isFresh`: true starts the process of a target again for each round, so that no round is a warm-up;
 * - `rounds`: the number of rounds, if not the usual one.
 * @param rounds replaces the number of rounds; less than three discard none
 */
export async function runRow(row, rounds = row.rounds ?? ROUNDS) {
  const discarded = row.isFresh || rounds <= DISCARDED ? 0 : DISCARDED;
  const running = new Map();
  async function start(name, { file, options }, services) {
    const started = await BenchProcess.start(file, { ...services, ...options });
    running.set(name, started);
    return started;
  }
  async function stop(name) {
    await running.get(name)?.stop();
    running.delete(name);
  }

  const results = [];
  try {
    const load = await start('load generator', { file: 'load/load.mjs' });
    const services = {};
    for (const [name, service] of Object.entries(row.services ?? {})) {
      services[name] = (await start(name, service)).info;
    }
    const names = Object.keys(row.targets);
    for (let round = 0; round < rounds; round += 1) {
      const measured = {};
      for (const name of names.map((_, index) => names[(index + round) % names.length])) {
        console.error(`${row.name}: round ${round + 1} of ${rounds}, ${name}`);
        const target = running.get(name) ?? (await start(name, row.targets[name], services));
        measured[name] = await row.measure({ target, load });
        if (row.isFresh) await stop(name);
      }
      results.push(Object.fromEntries(names.map((name) => [name, measured[name]])));
    }
  } finally {
    for (const name of [...running.keys()]) await stop(name);
  }
  return summarize(results, discarded);
}

/**
 * Returns a measurement of the CPU time that the target needs for a request, in microseconds.
 * @param load the script in load/, its `count` of requests, its `connections`, and the options of the script
 */
export function underLoad(load) {
  return async ({ target, load: generator }) => {
    await generator.call('prepare', { connections: 4, ...load, info: target.info });
    const before = await target.call('cpu');
    await generator.call('run');
    return ((await target.call('cpu')) - before) / load.count;
  };
}
