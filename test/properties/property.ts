import { test } from '@jest/globals';
import fc from 'fast-check';

/** The seed of `npm run test:all`. The long run takes another one each time, and prints it. */
const FIXED_SEED = 20_260_101;
const seed = Number(process.env.PROPERTY_SEED ?? FIXED_SEED);
/** Multiplies the number of inputs of every property. */
const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
/** Of processor time, so that a busy machine fails no test. A hostile input that is not limited takes seconds. */
const MAX_BLOCKED_MS = 250;
const MAX_CALLS = 3;
const SAMPLE_INTERVAL_MS = 2;
const TIMEOUT_MS = 120_000;

/**
 * Declares a test: `check` neither throws nor rejects for any generated input, and does not block the event loop. Jest fails a test
 * that leaves a rejection unhandled.
 * @param runs the number of inputs in `npm run test:all`
 */
export function testProperty<T>(
  title: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => unknown,
  { runs = 50 }: { runs?: number } = {},
): void {
  test(title, () => checkProperty(title, inputs, check, runs * factor), TIMEOUT_MS * factor);
}

/** Checks a property. @throws an error with the smallest input that fails, and the command that repeats the failure */
export async function checkProperty<T>(
  title: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => unknown,
  numRuns: number,
): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => {
    await expectUnblocked(() => check(input));
  });
  try {
    await fc.assert(property, { seed, numRuns, includeErrorInReport: true });
  } catch (error) {
    const command = `PROPERTY_SEED=${seed} PROPERTY_FACTOR=${factor} npm run test:long -- properties -t '${title}'`;
    throw new Error(`Repeat with: ${command}\n${(error as Error).message}`, { cause: (error as Error).cause });
  }
}

/**
 * Calls a function, and again if it blocks the event loop: a compilation or a garbage collection may do that once, and a hostile
 * input does it each time. @returns its result
 */
export async function expectUnblocked<T>(call: () => T): Promise<Awaited<T>> {
  for (let count = 1; ; count += 1) {
    const stop = watchEventLoop();
    let blockedMs = 0;
    try {
      const result = await call();
      blockedMs = stop();
      if (blockedMs <= MAX_BLOCKED_MS) return result;
    } finally {
      stop();
    }
    if (count === MAX_CALLS) throw new Error(`The event loop was blocked for ${Math.round(blockedMs)} ms.`);
  }
}

/**
 * Measures the longest time between two runs of the event loop, in which this process had the processor.
 * @returns a function that ends the measurement
 */
function watchEventLoop(): () => number {
  let [wall, cpu] = [performance.now(), process.cpuUsage()];
  let longestMs = 0;
  const sample = () => {
    const { user, system } = process.cpuUsage(cpu);
    longestMs = Math.max(longestMs, Math.min(performance.now() - wall, (user + system) / 1000));
    [wall, cpu] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    sample();
    return longestMs;
  };
}
