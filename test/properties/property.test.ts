import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkProperty, expectUnblocked } from './property.js';

function block(): void {
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < 300_000);
}

test('a call that blocks the event loop fails, also later, in a timer', async () => {
  const call = () => new Promise((resolve) => setTimeout(() => resolve(block()), 1));
  await expect(expectUnblocked(call)).rejects.toThrow(/The event loop was blocked for \d+ ms\./);
});

test('the error of a failed property has the smallest input that fails, and the command that repeats it', async () => {
  const check = (input: number) => {
    if (input >= 10) throw new Error('at least ten');
  };
  const failure = checkProperty('numbers', fc.nat(), check, 100);
  await expect(failure).rejects.toThrow(
    /PROPERTY_SEED=\d+ PROPERTY_FACTOR=\d+ npm run test:long -- properties -t 'numbers'[\s\S]*Counterexample: \[10\]/,
  );
});
