import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkProperty, cpuMsSince, expectUnblocked, referenceWork, testProperty } from './property.js';

/** Uses the processor for twice as long as the limit, on a fast and on a slow machine. */
function block(): void {
  const before = process.cpuUsage();
  for (let i = 0; i < 20 || cpuMsSince(before) < 200; i += 1) referenceWork();
}

describe('expectUnblocked', () => {
  test('returns the result of a call that does not block', async () => {
    expect(await expectUnblocked(() => 1)).toBe(1);
    expect(await expectUnblocked(() => sleep(150, 2))).toBe(2);
  });

  test.each<[string, () => unknown]>([
    ['at once', block],
    ['later, in a timer', () => sleep(20).then(() => new Promise((resolve) => setTimeout(() => resolve(block()), 1)))],
  ])('throws for a call that blocks %s', async (_, call) => {
    await expect(expectUnblocked(call)).rejects.toThrow(/^The event loop was blocked for \d+ ms\.$/);
  });

  test('rejects with the error of the call', async () => {
    await expect(expectUnblocked(() => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  });
});

describe('checkProperty', () => {
  test('throws an error with the smallest input that fails, and the command that repeats it', async () => {
    const check = (input: number) => {
      if (input >= 10) throw new Error('at least ten');
    };
    const failure = checkProperty('numbers', fc.nat(), check, 100);
    await expect(failure).rejects.toThrow(
      /PROPERTY_SEED=\d+ PROPERTY_FACTOR=\d+ npm run test:long -- properties -t 'numbers'/,
    );
    await expect(failure).rejects.toThrow(/Counterexample: \[10\]/);
  });

  test('throws for an input that blocks', async () => {
    await expect(checkProperty('blocks', fc.constant(0), block, 1)).rejects.toThrow('The event loop was blocked');
  });
});

const seen: number[] = [];
testProperty('a property is checked for as many inputs as it names', fc.nat(), (input) => seen.push(input), {
  runs: 7,
});

test('the inputs are the same in each run of npm run test:all', () => {
  const { PROPERTY_SEED: seed, PROPERTY_FACTOR: factor = '1' } = process.env;
  expect(seen).toHaveLength(7 * Number(factor));
  if (seed === undefined) expect(seen).toEqual(fc.sample(fc.nat(), { seed: 20_260_101, numRuns: 7 * Number(factor) }));
});
