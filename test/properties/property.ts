import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from '@jest/globals';
import fc from 'fast-check';

/** The seed of `npm run test:all`. The long run takes another one each time, and prints it. */
const FIXED_SEED = 20_260_101;
const seed = Number(process.env.PROPERTY_SEED ?? FIXED_SEED);
/** Multiplies the number of inputs of every property. */
const factor = Number(process.env.PROPERTY_FACTOR ?? 1);
/** On a machine where the reference work takes `REFERENCE_MS`. On a slower one the limit is higher. */
const MAX_BLOCKED_MS = 100;
const REFERENCE_MS = 10;
const REFERENCE_TEXT = JSON.stringify(
  Array.from({ length: 2_000 }, (_, id) => ({ id, name: `${id}`, list: [1, 2, 3] })),
);
const MAX_CALLS = 3;
const SAMPLE_INTERVAL_MS = 2;
const TIMEOUT_MS = 120_000;
/** The memory that the inputs of one property may leave in use. Only a long run has enough of them to measure it. */
const MAX_GROWTH_BYTES = 50_000_000;

class BlockedError extends Error {}

interface PropertyOptions {
  /** The number of inputs in `npm run test:all`. @default 50 */
  runs?: number;
}

/**
 * Declares a test: `check` neither throws nor rejects for any generated input, does not block the event loop, and in a long run
 * does not use more and more memory. Jest fails a test that leaves a rejection unhandled.
 */
export function testProperty<T>(
  title: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => unknown,
  { runs = 50 }: PropertyOptions = {},
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
    const before = factor > 1 ? await usedBytes() : 0;
    await fc.assert(property, { seed, numRuns, includeErrorInReport: true });
    const growth = factor > 1 ? (await usedBytes()) - before : 0;
    if (growth > MAX_GROWTH_BYTES) throw new Error(`${Math.round(growth / 1e6)} MB of memory remain in use.`);
  } catch (error) {
    const command = `PROPERTY_SEED=${seed} PROPERTY_FACTOR=${factor} npm run test:long -- properties -t '${title}'`;
    throw new Error(`Repeat with: ${command}\n${(error as Error).message}`, { cause: (error as Error).cause });
  }
}

async function usedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  // The first collection finalizes objects such as vm contexts, and the second one frees what they referred to.
  for (let i = 0; i < 2; i += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

/** Uses the processor for a time that depends only on the machine. */
export function referenceWork(): void {
  for (let i = 0; i < 10; i += 1) JSON.parse(REFERENCE_TEXT);
}

/** @returns the limit on this machine. Of three measurements the shortest counts: other threads may use the processor in one. */
function maxBlockedMs(): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    referenceWork();
    return cpuMsSince(before);
  });
  return MAX_BLOCKED_MS * Math.max(1, Math.min(...times) / REFERENCE_MS);
}

/** @returns the processor time of this process, in milliseconds. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Calls a function, and again if it blocks the event loop: a compilation or a garbage collection may do that once, and a hostile
 * input does it each time. @returns its result
 * @throws when each call has blocked the event loop for longer than `MAX_BLOCKED_MS`
 */
export async function expectUnblocked<T>(call: () => T): Promise<Awaited<T>> {
  for (let count = 1; count < MAX_CALLS; count += 1) {
    try {
      return await measured(call);
    } catch (error) {
      if (!(error instanceof BlockedError)) throw error;
    }
  }
  return await measured(call);
}

async function measured<T>(call: () => T): Promise<Awaited<T>> {
  const stop = watchEventLoop();
  let blockedMs: number;
  let result: Awaited<T>;
  try {
    result = await call();
  } finally {
    blockedMs = stop();
  }
  if (blockedMs > MAX_BLOCKED_MS && blockedMs > maxBlockedMs())
    throw new BlockedError(`The event loop was blocked for ${Math.round(blockedMs)} ms.`);
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
    longestMs = Math.max(longestMs, Math.min(performance.now() - wall, cpuMsSince(cpu)));
    [wall, cpu] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    sample();
    return longestMs;
  };
}
