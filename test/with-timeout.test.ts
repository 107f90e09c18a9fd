import { expect, test } from '@jest/globals';
import { withTimeout } from '../lib/with-timeout.js';

test('a result in time is returned, and a rejection is passed on', async () => {
  expect(await withTimeout(1000, Promise.resolve('result'))).toBe('result');
  await expect(withTimeout(1000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});

test('a promise that is too slow rejects, and its later rejection is handled', async () => {
  let fail: (error: Error) => void = () => undefined;
  const slow = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(withTimeout(10, slow)).rejects.toThrow('within 10 ms');
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
