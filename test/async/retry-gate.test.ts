import { expect, test } from '@jest/globals';
import { RetryGate } from '../../lib/async/retry-gate.js';
import { movableClock } from '../token-vault/movable-clock.js';

const LIMITS = { maxFailures: 2, minMs: 1_000, maxMs: 4_000 };

function limitedGate(limits = LIMITS) {
  const clock = movableClock();
  const gate = new RetryGate(clock, limits);
  for (let failure = 0; failure < limits.maxFailures; failure += 1) gate.failed();
  const backOffMs = () => gate.retryAt && gate.retryAt - clock.now();
  return { clock, gate, backOffMs };
}

test('calls are not limited before the number of failures', () => {
  const gate = new RetryGate(movableClock(), LIMITS);
  gate.failed();
  expect([gate.isLimited, gate.retryAt]).toEqual([false, undefined]);
});

test('a success between failures resets their number', () => {
  const gate = new RetryGate(movableClock(), LIMITS);
  gate.failed();
  gate.succeeded();
  gate.failed();
  expect(gate.isLimited).toBe(false);
});

test('the back-off begins with the last failure, and ends after its time', () => {
  const { clock, gate, backOffMs } = limitedGate();
  expect(backOffMs()).toBe(1_000);
  clock.advance(999);
  expect(backOffMs()).toBe(1);
  clock.advance(1);
  expect([gate.isLimited, gate.retryAt]).toEqual([true, undefined]);
});

test('the back-off doubles with each failed retry, up to its limit', () => {
  const { gate, backOffMs } = limitedGate();
  const backOffs = Array.from({ length: 4 }, () => {
    gate.failed();
    return backOffMs();
  });
  expect(backOffs).toEqual([2_000, 4_000, 4_000, 4_000]);
});

test('a retry without a result delays the next one by one back-off', () => {
  const { clock, gate, backOffMs } = limitedGate();
  clock.advance(1_000);
  gate.startRetry();
  expect(backOffMs()).toBe(2_000);
  clock.advance(2_000);
  expect(gate.retryAt).toBeUndefined();
});

test('after an aborted retry the next one is sent at once', () => {
  const { clock, gate } = limitedGate();
  clock.advance(1_000);
  gate.startRetry();
  gate.abortRetry();
  expect([gate.isLimited, gate.retryAt]).toEqual([true, undefined]);
});

test('after a success the next back-off is the first one again', () => {
  const { gate, backOffMs } = limitedGate();
  gate.failed();
  gate.succeeded();
  expect([gate.isLimited, gate.retryAt]).toEqual([false, undefined]);
  gate.failed();
  gate.failed();
  expect(backOffMs()).toBe(1_000);
});

test('a clock that is set back ends the back-off', () => {
  const { clock, gate } = limitedGate();
  clock.advance(-60_000);
  expect(gate.retryAt).toBeUndefined();
});

test('with a limit of no failures, calls are limited to one in each interval', () => {
  const { gate, backOffMs } = limitedGate({ maxFailures: 0, minMs: 5_000, maxMs: 5_000 });
  expect([gate.isLimited, gate.retryAt]).toEqual([true, undefined]);
  gate.startRetry();
  expect(backOffMs()).toBe(5_000);
});
