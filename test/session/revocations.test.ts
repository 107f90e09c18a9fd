import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createPendingWork } from '../../lib/async/pending-work.js';
import { ProtocolError, ServiceUnavailableError } from '../../lib/errors/errors.js';
import { Events } from '../../lib/events/events.js';
import type { ClinicianEvent, TokenStore } from '../../lib/index.js';
import { Sealer } from '../../lib/sealing/sealer.js';
import { Secret } from '../../lib/sealing/secret.js';
import { Revocations } from '../../lib/session/revocations.js';
import { RevocationRecords } from '../../lib/token-vault/revocation-records.js';
import { wrapStoreErrors } from '../../lib/token-vault/token-store.js';
import { nextTurn, SECRET, vaultUnderTest } from '../token-vault/vault-under-test.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

afterEach(() => void jest.useRealTimers());

async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await nextTurn();
}

/** A service, a token store, and the processes of a site. */
function revocationsUnderTest() {
  const { store, clock, server } = vaultUnderTest();
  const startedAt = clock.now();
  const service = { isDown: true, revoke: (_token: string): Promise<void> => Promise.resolve() };
  /** The tokens of all requests, and the seconds at which they arrived. */
  const requests: string[] = [];
  const times: number[] = [];
  const events: ClinicianEvent[] = [];

  function start({ inMemory = false, secret = SECRET, tokenStore = store as TokenStore } = {}) {
    const work = createPendingWork();
    let refused: (token: Secret) => Promise<void> = () => Promise.reject(new Error('not used'));
    const revocations = new Revocations({
      server: {
        async revoke(token) {
          requests.push(token.reveal());
          times.push((clock.now() - startedAt) / SECOND);
          if (service.isDown) throw new ServiceUnavailableError('service_error', 'down');
          await service.revoke(token.reveal());
        },
        revokeRefusedWith: (revoke) => {
          refused = revoke;
        },
      },
      records: new RevocationRecords({
        store: wrapStoreErrors(tokenStore),
        sealer: new Sealer([secret], 'revocations'),
        instance: 'instance',
      }),
      inMemory,
      events: new Events({ clock, flow: 'openid', onEvent: (event) => events.push(event) }),
      clock,
      work,
    });
    return { revocations, work, refuse: (token: string) => refused(new Secret(token)) };
  }

  /** Lets the time pass in steps, in which these processes use their tokens. */
  async function pass(ms: number, processes: { revocations: Revocations }[], step = 10 * SECOND): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step);
      for (const { revocations } of processes) revocations.continue();
      await settle();
    }
  }
  const namesOf = () => events.map(({ name }) => name);
  const ids = () => store.grantsOf('revocation:instance');
  return { store, clock, server, service, requests, times, events, start, pass, namesOf, ids };
}

describe('a revocation that fails', () => {
  test('is repeated after growing pauses, until the service confirms it', async () => {
    const { server, service, times, start, pass, events, ids } = revocationsUnderTest();
    const site = start();
    await site.revocations.revoke(server.issue(), 'me');
    expect(site.revocations.waiting).toBe(1);
    await pass(20 * MINUTE, [site]);
    service.isDown = false;
    await pass(20 * MINUTE, [site]);
    expect(times).toEqual([0, 10, 30, 70, 150, 310, 610, 910, 1210]);
    expect(events).toMatchObject([
      { name: 'revocation_failed', level: 'warn', userID: 'me', code: 'service_error' },
      { name: 'revoked_late', level: 'info', failures: 8, durationMs: 1210 * SECOND },
    ]);
    expect(events[1]).not.toHaveProperty('userID');
    expect([await ids(), site.revocations.waiting]).toEqual([[], 0]);
  });

  test('is repeated by a process that starts later, also where the one before was killed', async () => {
    const { server, clock, service, requests, start, pass, ids } = revocationsUnderTest();
    await start().revocations.revoke(server.issue(), 'me');
    clock.advance(DAY);
    service.isDown = false;
    const next = start();
    await pass(10 * SECOND, [next]);
    expect(requests).toEqual(['refresh-1', 'refresh-1']);
    expect(await ids()).toEqual([]);
  });

  test('is repeated by a process that receives no requests', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const { server, clock, service, requests, start } = revocationsUnderTest();
    await start().revocations.revoke(server.issue(), 'me');
    service.isDown = false;
    clock.advance(10 * SECOND);
    jest.advanceTimersByTime(10 * SECOND);
    await settle();
    expect(requests).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is repeated by one of several processes', async () => {
    const { server, service, requests, start, pass } = revocationsUnderTest();
    const processes = [start(), start(), start()];
    for (let count = 0; count < 5; count += 1) await processes[0]?.revocations.revoke(server.issue(), 'me');
    service.isDown = false;
    await pass(10 * MINUTE, processes);
    expect(requests).toHaveLength(10);
    expect(processes.map(({ revocations }) => revocations.waiting)).toEqual([0, 0, 0]);
  });

  test('is not sent again at once where the process stops during the request', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const { server, service, requests, start, pass } = revocationsUnderTest();
    const killed = start();
    await killed.revocations.revoke(server.issue(), 'me');
    service.isDown = false;
    service.revoke = () => new Promise(() => undefined);
    await pass(10 * SECOND, [killed]);
    const next = start();
    next.revocations.continue();
    await settle();
    expect(requests).toHaveLength(2);
    service.revoke = async () => undefined;
    await pass(MINUTE, [next]);
    expect(requests).toHaveLength(3);
  });

  test('saves neither the user nor the token in plain text', async () => {
    const { store, server, start, ids } = revocationsUnderTest();
    await start().revocations.revoke(server.issue(), 'planted-user');
    const records = await Promise.all((await ids()).map((id) => store.get(id)));
    expect(records).toHaveLength(1);
    expect(JSON.stringify([await ids(), records])).not.toMatch(/planted-user|refresh-1|access-1/);
    expect(await store.grantsOf('planted-user')).toEqual([]);
  });

  test('is repeated after a change of the clock to an earlier time', async () => {
    const { server, clock, service, requests, start, pass, ids } = revocationsUnderTest();
    const site = start();
    await site.revocations.revoke(server.issue(), 'me');
    clock.advance(-DAY);
    service.isDown = false;
    await pass(10 * SECOND, [site]);
    expect([requests.length, await ids()]).toEqual([2, []]);
  });

  test('is saved for a token of 8 kB, and not for a longer one', async () => {
    const { start, namesOf, ids } = revocationsUnderTest();
    const site = start();
    await site.refuse('a'.repeat(8_192));
    expect([await ids(), namesOf()]).toEqual([[expect.any(String)], ['revocation_failed']]);
    await site.refuse('a'.repeat(8_193));
    expect(await ids()).toHaveLength(1);
    expect(namesOf().slice(1)).toEqual(['revocation_failed', 'revocation_abandoned']);
  });

  test('is not mixed up with a login of a user whose id is that of the list', async () => {
    const { store, clock, server, start, pass } = revocationsUnderTest();
    const userKey = 'revocation:instance';
    await store.put('login', { userKey, version: 1, sealed: 'sealed', expiresAt: clock.now() + DAY });
    const site = start();
    await site.revocations.revoke(server.issue(), 'me');
    await pass(10 * SECOND, [site]);
    expect(site.revocations.waiting).toBe(1);
  });

  test('of tokens from a response that was refused is repeated', async () => {
    const { service, requests, start, pass, namesOf } = revocationsUnderTest();
    const site = start();
    await site.refuse('refused');
    service.isDown = false;
    await pass(10 * SECOND, [site]);
    expect(requests).toEqual(['refused', 'refused']);
    expect(namesOf()).toEqual(['revocation_failed', 'revoked_late']);
  });

  test('because the service revokes no token is not repeated', async () => {
    const { server, service, requests, start, pass, namesOf, ids } = revocationsUnderTest();
    const site = start();
    await site.revocations.revoke(server.issue(), 'me');
    service.isDown = false;
    service.revoke = () => Promise.reject(new ProtocolError('revocation_unsupported', 'no endpoint'));
    await pass(MINUTE, [site]);
    expect(requests).toHaveLength(2);
    expect(namesOf()).toEqual(['revocation_failed', 'revocation_unsupported']);
    expect(await ids()).toEqual([]);
  });

  test('counts in a process that starts in the outage', async () => {
    const { server, start, pass } = revocationsUnderTest();
    const before = start();
    for (let count = 0; count < 25; count += 1) await before.revocations.revoke(server.issue(), 'me');
    const next = start();
    await pass(10 * SECOND, [next]);
    expect(next.revocations.waiting).toBe(25);
  });

  test('is left to the processes that have its secret', async () => {
    const { store, server, service, requests, start, pass, ids } = revocationsUnderTest();
    const old = start();
    await old.revocations.revoke(server.issue(), 'me');
    service.isDown = false;
    let reads = 0;
    const tokenStore = new Proxy(store, {
      get(target, name) {
        if (name === 'get') reads += 1;
        return Reflect.get(target, name);
      },
    });
    const other = start({ secret: new Secret('another secret of more than thirty-two bytes'), tokenStore });
    await pass(9 * MINUTE, [other]);
    expect([requests.length, (await ids()).length, other.revocations.waiting]).toEqual([1, 1, 1]);
    expect(reads).toBe(2);
    await pass(10 * SECOND, [old]);
    expect([requests.length, (await ids()).length]).toEqual([2, 0]);
  });
});

describe('a service that never revokes', () => {
  test('gets requests until the tokens expire, 30 days later, which an event reports', async () => {
    const { server, start, pass, namesOf, ids } = revocationsUnderTest();
    const site = start();
    await site.revocations.revoke(server.issue(), 'me');
    await pass(30 * DAY - 6 * 60 * MINUTE, [site], 6 * 60 * MINUTE);
    expect(await ids()).toHaveLength(1);
    await pass(6 * 60 * MINUTE, [site], 6 * 60 * MINUTE);
    expect(namesOf()).toEqual(['revocation_failed', 'revocation_abandoned']);
    expect([await ids(), site.revocations.waiting]).toEqual([[], 0]);
  });

  test('gets them for an access token without a refresh token until that expires', async () => {
    const { server, start, pass, requests, namesOf } = revocationsUnderTest();
    const site = start();
    const { refreshToken: _, ...tokens } = server.issue(15 * SECOND);
    await site.revocations.revoke(tokens, 'me');
    await pass(MINUTE, [site]);
    expect(requests).toEqual(['access-1', 'access-1']);
    expect(namesOf()).toEqual(['revocation_failed', 'revocation_abandoned']);
  });

  test('gets ten requests in ten seconds at most, however many tokens wait', async () => {
    const { server, requests, start, pass } = revocationsUnderTest();
    const site = start();
    for (let count = 0; count < 100; count += 1) await site.revocations.revoke(server.issue(), 'me');
    const before = requests.length;
    await pass(5 * MINUTE, [site]);
    expect(requests.length - before).toBeLessThanOrEqual(300);
    // None is left out.
    expect(new Set(requests.slice(before)).size).toBe(100);
  });

  test('fills neither the memory nor the store: 10,000 tokens wait at most', async () => {
    const { server, start, events, ids } = revocationsUnderTest();
    const site = start();
    for (let count = 0; count < 10_003; count += 1) await site.revocations.revoke(server.issue(), 'me');
    expect(await ids()).toHaveLength(10_000);
    expect(site.revocations.waiting).toBe(10_000);
    expect(events.filter(({ name }) => name === 'revocation_abandoned')).toHaveLength(3);
  });

  test('of which one token is refused does not prevent the others', async () => {
    const { server, service, requests, start, pass, ids } = revocationsUnderTest();
    const site = start();
    for (let count = 0; count < 30; count += 1) await site.revocations.revoke(server.issue(), 'me');
    service.isDown = false;
    service.revoke = async (token) => {
      if (Number(token.slice('refresh-'.length)) <= 12) throw new ServiceUnavailableError('service_error', 'no');
    };
    await pass(MINUTE, [site]);
    expect(await ids()).toHaveLength(12);
    expect(new Set(requests.slice(30)).size).toBe(30);
  });
});

describe('the wait of the caller', () => {
  test.each(['the service', 'the service, and then the store,'])(
    'is two seconds where %s does not respond',
    async (what) => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      const { store, server, service, start, ids } = revocationsUnderTest();
      service.isDown = false;
      service.revoke = () => new Promise(() => undefined);
      const slow = new Proxy(store, {
        get: (target, name) => (name === 'put' ? () => new Promise(() => undefined) : Reflect.get(target, name)),
      });
      const site = start({ tokenStore: what === 'the service' ? store : slow });
      let hasEnded = false;
      const revoked = site.revocations.revoke(server.issue(), 'me').then(() => {
        hasEnded = true;
      });
      await jest.advanceTimersByTimeAsync(1_900);
      expect(hasEnded).toBe(false);
      await jest.advanceTimersByTimeAsync(100);
      await revoked;
      await settle();
      expect(await ids()).toHaveLength(what === 'the service' ? 1 : 0);
    },
  );

  test('has no error while the store is down, and an event reports that the request is not repeated', async () => {
    const { store, server, start, namesOf } = revocationsUnderTest();
    store.down = true;
    await start().revocations.revoke(server.issue(), 'me');
    expect(namesOf()).toEqual(['revocation_failed', 'revocation_abandoned']);
  });
});
