import { test } from '@jest/globals';
import fc from 'fast-check';

/** The seed of `npm test`. The long run takes another one each time, and prints it. */
const FIXED_SEED = 20_260_101;
const seed = Number(process.env.PROPERTY_SEED ?? FIXED_SEED);
/** Multiplies the number of inputs of every property. */
const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
const MAX_BLOCKED_MS = 100;
const SAMPLE_INTERVAL_MS = 2;
const TIMEOUT_MS = 60_000;

interface PropertyOptions {
  /** The number of inputs in `npm test`. @default 50 */
  runs?: number;
}

/**
 * Declares a test: `check` neither throws nor rejects for any generated input, and does not block the event loop. The error of a
 * failure has the smallest input that fails, and the command that repeats it.
 */
export function testProperty<T>(
  title: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => unknown,
  { runs = 50 }: PropertyOptions = {},
): void {
  const property = fc.asyncProperty(inputs, async (input) => {
    await expectUnblocked(() => check(input));
  });
  const run = async () => {
    try {
      await fc.assert(property, { seed, numRuns: runs * factor });
    } catch (error) {
      const command = `PROPERTY_SEED=${seed} PROPERTY_FACTOR=${factor} npm run test:properties -- -t '${title}'`;
      throw new Error(`Repeat with: ${command}\n${(error as Error).message}`, { cause: (error as Error).cause });
    }
  };
  test(title, run, TIMEOUT_MS * factor);
}

/**
 * Calls a function. @returns its result
 * @throws when the event loop was blocked for longer than `maxMs`
 */
export async function expectUnblocked<T>(call: () => T, maxMs: number = MAX_BLOCKED_MS): Promise<Awaited<T>> {
  const stop = watchEventLoop();
  let blockedMs: number;
  let result: Awaited<T>;
  try {
    result = await call();
  } finally {
    blockedMs = stop();
  }
  if (blockedMs > maxMs) throw new Error(`The event loop was blocked for ${Math.round(blockedMs)} ms.`);
  return result;
}

/**
 * Measures the longest time between two runs of the event loop. It counts only the time in which this process had the processor,
 * so that a busy machine fails no test. @returns a function that ends the measurement
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
