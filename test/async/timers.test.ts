import { expect, jest, test } from '@jest/globals';
import { withTimeout } from '../../lib/async/timers.js';

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

test('a result that arrives during a pause of the process is returned', async () => {
  jest.useFakeTimers();
  try {
    let arrive: (result: string) => void = () => undefined;
    const returned = withTimeout(
      1000,
      new Promise<string>((resolve) => {
        arrive = resolve;
      }),
    );
    // After a pause of any length, Node runs the timers that are due, and then reads what has arrived.
    await jest.runOnlyPendingTimersAsync();
    arrive('result');
    expect(await returned).toBe('result');
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
