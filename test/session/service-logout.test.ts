import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { DelayedRevocations, type EndedLogin } from '../../lib/session/service-logout.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function delayedRevocations() {
  const revoked: string[] = [];
  const closing = new AbortController();
  const revocations = new DelayedRevocations(async ({ userID }) => void revoked.push(userID), closing.signal);
  return { revoked, revocations, close: () => closing.abort() };
}

const login = (userID: string): EndedLogin => ({ tokens: {} as EndedLogin['tokens'], userID, isRevoked: false });

test('a login is revoked once: when its browser returns, or after 30 seconds', async () => {
  const { revoked, revocations } = delayedRevocations();
  await revocations.add('a', login('ann'));
  await revocations.add('b', login('bob'));
  expect(revoked).toEqual([]);
  await revocations.revokeNow('a');
  await revocations.revokeNow('a');
  await revocations.revokeNow('unknown');
  expect(revoked).toEqual(['ann']);
  jest.advanceTimersByTime(29_999);
  expect(revoked).toEqual(['ann']);
  jest.advanceTimersByTime(1);
  expect(revoked).toEqual(['ann', 'bob']);
  await revocations.revokeNow('b');
  expect(revoked).toHaveLength(2);
});

test('all logins are revoked at once when the process stops', async () => {
  const { revoked, revocations, close } = delayedRevocations();
  await revocations.add('a', login('ann'));
  await revocations.add('b', login('bob'));
  close();
  expect(revoked).toEqual(['ann', 'bob']);
  await revocations.add('c', login('late'));
  expect(revoked).toEqual(['ann', 'bob', 'late']);
  expect(jest.getTimerCount()).toBe(0);
});

test('a login above 10,000 pending ones is revoked at once', async () => {
  const { revoked, revocations } = delayedRevocations();
  for (let count = 0; count < 10_000; count += 1) await revocations.add(`${count}`, login('many'));
  expect(revoked).toEqual([]);
  await revocations.add('one more', login('ann'));
  expect(revoked).toEqual(['ann']);
});
