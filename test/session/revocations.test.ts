import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { PendingWork } from '../../lib/async/work.js';
import { ProtocolError, ServiceUnavailableError } from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import type { ClinicianEvent } from '../../lib/index.js';
import { Secret } from '../../lib/sealing/sealer.js';
import { Revocations } from '../../lib/session/revocations.js';
import { vaultUnderTest } from '../token-vault/vault-under-test.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const LOGIN = { userID: 'me', grantID: 'grant' };

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

const down = () => Promise.reject(new ServiceUnavailableError('service_error', 'down'));

/** A service, and one process of a site. */
function revocationsUnderTest() {
  const { clock, server } = vaultUnderTest();
  const startedAt = Date.now();
  const service = { revoke: (_token: string): Promise<void> => down() };
  /** The tokens of all requests, and the seconds at which they arrived. */
  const requests: string[] = [];
  const times: number[] = [];
  const events: ClinicianEvent[] = [];
  const work = new PendingWork();
  let refused: (token: Secret) => Promise<void> = () => Promise.reject(new Error('not used'));
  const revocations = new Revocations({
    server: {
      async revoke(token) {
        requests.push(token.reveal());
        times.push((Date.now() - startedAt) / SECOND);
        await service.revoke(token.reveal());
      },
      revokeRefusedWith: (revoke) => {
        refused = revoke;
      },
    },
    events: new Events({ clock, flow: 'openid', onEvent: (event) => events.push(event) }),
    work,
  });
  const namesOf = () => events.map(({ name }) => name);
  const refuse = (token: string) => refused(new Secret(token));
  return { server, service, requests, times, events, revocations, work, refuse, namesOf };
}

describe('a revocation that fails', () => {
  test('is repeated after growing pauses, until the service confirms it', async () => {
    const { server, service, times, events, revocations } = revocationsUnderTest();
    await revocations.revoke(server.issue(), LOGIN);
    expect([revocations.waiting, events]).toEqual([1, []]);
    await jest.advanceTimersByTimeAsync(2 * MINUTE);
    service.revoke = () => Promise.resolve();
    await jest.advanceTimersByTimeAsync(10 * MINUTE);
    expect(times).toEqual([0, 10, 30, 70, 150]);
    expect([revocations.waiting, events]).toEqual([0, []]);
  });

  test('is repeated for ten minutes, and then reported with the grant of its login', async () => {
    const { server, times, events, revocations } = revocationsUnderTest();
    await revocations.revoke(server.issue(), LOGIN);
    await jest.advanceTimersByTimeAsync(60 * MINUTE);
    expect(times).toEqual([0, 10, 30, 70, 150, 310, 600]);
    const failed = { name: 'revocation_failed', level: 'warn', code: 'service_error', grantID: LOGIN.grantID };
    expect(events).toMatchObject([failed]);
    // The user may have been forgotten meanwhile.
    expect(events[0]?.userID).toBeUndefined();
    expect([revocations.waiting, jest.getTimerCount()]).toEqual([0, 0]);
  });

  test('with a response of the service is not repeated', async () => {
    const { server, service, requests, events, revocations } = revocationsUnderTest();
    service.revoke = () => Promise.reject(new ProtocolError('response_malformed', '404'));
    await revocations.revoke(server.issue(), LOGIN);
    expect(events).toMatchObject([{ name: 'revocation_failed', code: 'response_malformed', ...LOGIN }]);
    expect([requests.length, revocations.waiting]).toEqual([1, 0]);
  });

  test('because the service revokes no token is not repeated', async () => {
    const { server, service, requests, revocations, namesOf } = revocationsUnderTest();
    await revocations.revoke(server.issue(), LOGIN);
    service.revoke = () => Promise.reject(new ProtocolError('revocation_unsupported', 'no endpoint'));
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect([requests.length, namesOf()]).toEqual([2, []]);
  });

  test('of tokens from a response that was refused is repeated', async () => {
    const { service, requests, refuse, namesOf } = revocationsUnderTest();
    await refuse('refused');
    service.revoke = () => Promise.resolve();
    await jest.advanceTimersByTimeAsync(10 * SECOND);
    expect([requests, namesOf()]).toEqual([['refused', 'refused'], []]);
  });

  test('is repeated for a token of 8 kB, and not for a longer one', async () => {
    const { revocations, refuse, namesOf } = revocationsUnderTest();
    await refuse('a'.repeat(8_192));
    expect([revocations.waiting, namesOf()]).toEqual([1, []]);
    await refuse('a'.repeat(8_193));
    expect([revocations.waiting, namesOf()]).toEqual([1, ['revocation_failed']]);
  });

  test('does not fill the memory: 1,000 tokens wait at most', async () => {
    const { server, revocations, namesOf } = revocationsUnderTest();
    for (let count = 0; count < 1_003; count += 1) await revocations.revoke(server.issue(), LOGIN);
    expect(revocations.waiting).toBe(1_000);
    expect(namesOf()).toEqual(Array(3).fill('revocation_failed'));
  });
});

test('a caller waits two seconds where the service does not respond, and the request is repeated', async () => {
  const { server, service, requests, revocations } = revocationsUnderTest();
  service.revoke = () => new Promise(() => undefined);
  let hasEnded = false;
  const revoked = revocations.revoke(server.issue(), LOGIN).then(() => {
    hasEnded = true;
  });
  await jest.advanceTimersByTimeAsync(1_900);
  expect(hasEnded).toBe(false);
  await jest.advanceTimersByTimeAsync(100);
  await revoked;
  service.revoke = () => Promise.resolve();
  await jest.advanceTimersByTimeAsync(10 * SECOND);
  expect([requests.length, revocations.waiting]).toEqual([2, 0]);
});

describe('when the process stops', () => {
  test('each token that waits is tried once more, at the same time, and one that fails is reported', async () => {
    const { server, service, requests, revocations, work, namesOf } = revocationsUnderTest();
    for (let count = 0; count < 25; count += 1) await revocations.revoke(server.issue(), LOGIN);
    service.revoke = () => new Promise(() => undefined);
    const closed = work.close(10 * SECOND);
    await jest.advanceTimersByTimeAsync(2 * SECOND);
    expect(await closed).toBe(true);
    expect([requests.length, revocations.waiting, jest.getTimerCount()]).toEqual([50, 0, 0]);
    expect(namesOf()).toEqual(Array(25).fill('revocation_failed'));
  });

  test('a request that fails then is reported, also one that starts later', async () => {
    const { server, requests, revocations, work, namesOf } = revocationsUnderTest();
    await revocations.revoke(server.issue(), LOGIN);
    await work.close(SECOND);
    await revocations.revoke(server.issue(), LOGIN);
    expect([requests.length, namesOf()]).toEqual([3, ['revocation_failed', 'revocation_failed']]);
    expect([revocations.waiting, jest.getTimerCount()]).toEqual([0, 0]);
  });
});
