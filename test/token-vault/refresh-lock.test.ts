import { describe, expect, jest, test } from '@jest/globals';
import { PendingWork } from '../../lib/async/work.js';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { grantEnded, ProtocolError } from '../../lib/errors/errors.js';
import type { TokenStore } from '../../lib/token-vault/token-store.js';
import { serviceDown } from './rotating-server.js';
import { grantAt, LIFETIME_MS, LOCK_TTL_MS, nextTurn } from './vault-under-test.js';

/** From then on a token is refreshed before use, and is still valid. */
const REFRESH_AT_MS = LIFETIME_MS - 60_000;

/** A store whose method takes some time by the clock. */
function slowStore(store: TokenStore, method: 'lock' | 'get', delay: () => void): TokenStore {
  return new Proxy(store, {
    get(target, name) {
      const original = Reflect.get(target, name);
      if (name !== method) return original;
      return (...args: unknown[]) => {
        delay();
        return original(...args);
      };
    },
  });
}

describe('while another process has the lock', () => {
  test('a request with a valid token waits for a second, then uses that token', async () => {
    const { vault, store, server, grantID, elapsedMs } = await grantAt(REFRESH_AT_MS);
    await store.lock(grantID, LOCK_TTL_MS);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    expect(elapsedMs()).toBe(1_000);
    expect(server.refreshCount).toBe(0);
  });

  test('a request with a valid token uses the refreshed token when it arrives within a second', async () => {
    const { vault, server, otherProcess, grantID, elapsedMs } = await grantAt(REFRESH_AT_MS);
    const release = server.hold();
    const refreshing = otherProcess().accessToken(grantID, { refusedToken: 'access-1' });
    await nextTurn();
    const waiting = vault.accessToken(grantID);
    while (elapsedMs() < 300) await nextTurn();
    release();
    expect(await waiting).toBe('access-2');
    expect(elapsedMs()).toBeLessThan(1_000);
    expect(await refreshing).toBe('access-2');
    expect(server.refreshCount).toBe(1);
  });

  test.each([null, false])('no request is sent if the store returns %s instead of undefined', async (locked) => {
    const { store, server, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    const lock = async (id: string, ttlMs: number) => (await store.lock(id, ttlMs)) ?? locked;
    const other = new Proxy(store, { get: (target, name) => (name === 'lock' ? lock : Reflect.get(target, name)) });
    const release = server.hold();
    const refreshing = [1, 2].map(() => otherProcess({ store: other }).accessToken(grantID));
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    release();
    expect(await Promise.all(refreshing)).toEqual(['access-2', 'access-2']);
    expect(server.refreshCount).toBe(1);
  });

  test('a token that expires during that second is not used', async () => {
    const { vault, store, server, grantID } = await grantAt(LIFETIME_MS - 500);
    const lock = await store.lock(grantID, LOCK_TTL_MS);
    const waiting = vault.accessToken(grantID);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    await lock?.release();
    expect(await waiting).toBe('access-2');
    expect(server.refreshCount).toBe(1);
  });

  test.each([
    ['that has expired', LIFETIME_MS, undefined],
    ['that the resource API has refused', REFRESH_AT_MS, 'access-1'],
  ])('a request with a token %s waits until the lock expires, and then refreshes', async (_, ms, refusedToken) => {
    const { vault, store, grantID, elapsedMs } = await grantAt(ms);
    await store.lock(grantID, LOCK_TTL_MS);
    expect(await vault.accessToken(grantID, { refusedToken })).toBe('access-2');
    expect(elapsedMs()).toBeGreaterThanOrEqual(LOCK_TTL_MS);
    expect(elapsedMs()).toBeLessThanOrEqual(LOCK_TTL_MS + 250);
  });

  test('a request with a refused token does not get that token, although others do', async () => {
    const { vault, store, grantID } = await grantAt(REFRESH_AT_MS);
    await store.lock(grantID, LOCK_TTL_MS);
    const [valid, refused] = await Promise.all([
      vault.accessToken(grantID),
      vault.accessToken(grantID, { refusedToken: 'access-1' }),
    ]);
    expect([valid, refused]).toEqual(['access-1', 'access-2']);
  });

  test('with a long time limit, a request with an expired token waits for 45 seconds', async () => {
    const { vault, store, grantID, elapsedMs } = await grantAt(LIFETIME_MS, { refreshTimeoutMs: 600_000 });
    await store.lock(grantID, 606_000);
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'refresh_busy', retryable: true });
    expect(elapsedMs()).toBeLessThanOrEqual(45_250);
  });

  test('the wait ends, with a store whose commands take seconds', async () => {
    const { store, clock, otherProcess, grantID, elapsedMs } = await grantAt(LIFETIME_MS);
    await store.lock(grantID, Number.POSITIVE_INFINITY);
    const slow = otherProcess({ store: slowStore(store, 'get', () => clock.advance(2_000)) });
    await expect(slow.accessToken(grantID)).rejects.toMatchObject({ code: 'refresh_busy', retryable: true });
    expect(elapsedMs()).toBeLessThan(LOCK_TTL_MS + 5_000);
  });
});

describe('an explicit refresh', () => {
  test('of a valid token behind the lock of a killed process fails after a second, and the token is still used', async () => {
    const { vault, store, server, grantID, elapsedMs } = await grantAt(0);
    await store.lock(grantID, LOCK_TTL_MS);
    await expect(vault.refresh(grantID)).rejects.toMatchObject({ code: 'refresh_busy', retryable: true });
    expect(elapsedMs()).toBeGreaterThanOrEqual(1_000);
    expect(elapsedMs()).toBeLessThanOrEqual(1_250);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    expect(server.refreshCount).toBe(0);
  });

  test('of a valid token does not wait for a request that waits for longer', async () => {
    const { vault, store, grantID, elapsedMs } = await grantAt(REFRESH_AT_MS);
    await store.lock(grantID, LOCK_TTL_MS);
    const refused = vault.accessToken(grantID, { refusedToken: 'access-1' });
    await expect(vault.refresh(grantID)).rejects.toMatchObject({ code: 'refresh_busy' });
    expect(elapsedMs()).toBeLessThanOrEqual(1_250);
    expect(await refused).toBe('access-2');
  });

  test('of an expired token waits until the lock expires', async () => {
    const { vault, store, grantID, elapsedMs } = await grantAt(LIFETIME_MS);
    await store.lock(grantID, LOCK_TTL_MS);
    await vault.refresh(grantID);
    expect(elapsedMs()).toBeGreaterThanOrEqual(LOCK_TTL_MS);
    expect(await vault.accessToken(grantID)).toBe('access-2');
  });
});

describe('a slow refresh of the same process', () => {
  test.each([
    ['of a token that expires soon', REFRESH_AT_MS, undefined],
    ['of a token that the resource API has refused', 0, 'access-1'],
  ])('%s is joined by an explicit refresh', async (_, ms, refusedToken) => {
    const { vault, server, clock, grantID } = await grantAt(ms);
    const release = server.hold();
    const first = vault.accessToken(grantID, { refusedToken });
    await nextTurn();
    const second = vault.refresh(grantID);
    clock.advance(3_000);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    release();
    await Promise.all([first, second]);
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(server.refreshCount).toBe(1);
  });

  test('is followed by another one for a request whose refused token it returns', async () => {
    const { vault, server, grantID } = await grantAt(REFRESH_AT_MS);
    const release = server.hold();
    const first = vault.accessToken(grantID);
    await nextTurn();
    const second = vault.accessToken(grantID, { refusedToken: 'access-2' });
    await nextTurn();
    release();
    expect(await second).toBe('access-3');
    await first;
  });

  test('that fails is the error of an explicit refresh', async () => {
    const { vault, server, grantID } = await grantAt(REFRESH_AT_MS);
    const release = server.hold();
    server.failWith(serviceDown());
    const first = vault.accessToken(grantID);
    await nextTurn();
    const second = vault.refresh(grantID);
    await nextTurn();
    release();
    await expect(second).rejects.toMatchObject({ code: 'service_unreachable' });
    expect(await first).toBe('access-1');
    expect(server.refreshCount).toBe(1);
  });
});

test('a refresh that returns the same access token is requested once, also where the resource API has refused that token', async () => {
  let requests = 0;
  const refresh = async (tokens: TokenSet) => {
    requests += 1;
    return { ...tokens };
  };
  const { vault, grantID } = await grantAt(0, { refresh });
  expect(await vault.accessToken(grantID, { refusedToken: 'access-1' })).toBe('access-1');
  expect(requests).toBe(1);
  await vault.refresh(grantID);
  expect(requests).toBe(2);
});

describe('a refresh after which the old refresh token is used up, and no new one is stored,', () => {
  const refused = () => grantEnded(new ProtocolError('id_token_invalid', 'another issuer'));
  const ended = { code: 'grant_ended', status: 401, cause: { code: 'id_token_invalid' } };

  test('ends the grant in each process, although the access token has not expired', async () => {
    const { vault, server, store, otherProcess, grantID } = await grantAt(0);
    const release = server.hold();
    server.failWith(refused());
    const refreshing = vault.refresh(grantID);
    await nextTurn();
    release();
    await expect(refreshing).rejects.toMatchObject(ended);
    for (const process of [vault, otherProcess()]) {
      await expect(process.accessToken(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
      await expect(process.refresh(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
    }
    expect([await store.get(grantID), server.refreshCount]).toEqual([undefined, 1]);
  });

  test('ends it where the store fails, and revokes the new tokens', async () => {
    const revoke = jest.fn(async () => undefined);
    const { vault, server, store, otherProcess, grantID } = await grantAt(0, { revoke });
    const release = server.hold();
    const refreshing = vault.refresh(grantID);
    await nextTurn();
    store.down = 'swap';
    release();
    await expect(refreshing).rejects.toMatchObject({
      code: 'grant_ended',
      cause: { code: 'token_store_unavailable' },
    });
    expect(revoke.mock.calls).toMatchObject([[{ scope: ['openid'] }, { grantID, userID: 'user' }]]);
    store.down = false;
    await expect(otherProcess().accessToken(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
    expect(server.refreshCount).toBe(1);
  });

  test.each([true, false])('is remembered while the store fails (refused: %s)', async (isRefused) => {
    const { vault, server, store, otherProcess, grantID } = await grantAt(0);
    const other = await vault.add('user', server.issue(LIFETIME_MS));
    const release = server.hold();
    if (isRefused) server.failWith(refused());
    const refreshing = vault.refresh(grantID);
    await nextTurn();
    store.down = true;
    release();
    await expect(refreshing).rejects.toMatchObject({ code: 'grant_ended' });
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
    store.down = false;
    await expect(vault.refresh(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
    // Any use of the store erases the record for the other processes.
    await vault.accessToken(other.id);
    await nextTurn();
    await expect(otherProcess().accessToken(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
    expect(server.refreshCount).toBe(1);
  });
});

describe('the lock of a refresh', () => {
  test.each([1_000, 24_000, 600_000])('lives six seconds longer than a refresh of at most %d ms', async (timeoutMs) => {
    const { store, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    const lock = jest.fn((id: string, ttlMs: number) => store.lock(id, ttlMs));
    const counting = new Proxy(store, { get: (target, name) => (name === 'lock' ? lock : Reflect.get(target, name)) });
    await otherProcess({ store: counting, refreshTimeoutMs: timeoutMs }).accessToken(grantID);
    expect(lock.mock.calls).toEqual([[grantID, timeoutMs + 6_000]]);
  });

  test('is acquired after the preparation of the refresh', async () => {
    const steps: string[] = [];
    const { store, server, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    const vault = otherProcess({
      prepare: async (validForMs) => void steps.push(`prepare for ${validForMs} ms`),
      store: slowStore(store, 'lock', () => steps.push('lock')),
      refresh: (tokens) => {
        steps.push('refresh');
        return server.refresh(tokens);
      },
    });
    await vault.accessToken(grantID);
    expect(steps).toEqual([`prepare for ${2 * LOCK_TTL_MS + 250} ms`, 'lock', 'refresh']);
  });

  test.each(['lock', 'get'] as const)('that a slow store acquired too late is not used (%s)', async (method) => {
    const { store, clock, server, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    let delayMs = 4_001;
    const vault = otherProcess({ store: slowStore(store, method, () => clock.advance(delayMs)) });
    const failure = { code: 'token_store_unavailable', retryable: true };
    await expect(vault.accessToken(grantID)).rejects.toMatchObject(failure);
    expect(server.refreshCount).toBe(0);
    delayMs = 1_000;
    expect(await vault.accessToken(grantID)).toBe('access-2');
  });
});

describe('a failed preparation', () => {
  const failing = { prepare: () => Promise.reject(serviceDown()) };

  test('sends no refresh, and is delayed as a failed refresh is', async () => {
    const prepare = jest.fn(failing.prepare);
    const { vault, server, grantID } = await grantAt(LIFETIME_MS, { prepare });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'service_unreachable' });
    }
    expect([server.refreshCount, prepare.mock.calls.length]).toEqual([0, 2]);
  });

  test('does not prevent the use of the tokens that another process has refreshed', async () => {
    const { vault, server, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    const release = server.hold();
    const refreshing = vault.accessToken(grantID);
    await nextTurn();
    const waiting = otherProcess(failing).accessToken(grantID);
    await nextTurn();
    release();
    expect(await Promise.all([refreshing, waiting])).toEqual(['access-2', 'access-2']);
  });
});

describe('a valid token', () => {
  test('is used after a second while this process refreshes it, and then the refreshed one', async () => {
    const { vault, server, grantID, elapsedMs } = await grantAt(REFRESH_AT_MS);
    const release = server.hold();
    expect(await vault.accessToken(grantID)).toBe('access-1');
    expect(elapsedMs()).toBe(1_000);
    release();
    await nextTurn();
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(server.refreshCount).toBe(1);
  });

  test('is used when the store cannot lock it', async () => {
    const { vault, store, grantID } = await grantAt(REFRESH_AT_MS);
    store.down = 'lock';
    expect(await vault.accessToken(grantID)).toBe('access-1');
  });
});

describe('after the close', () => {
  test('a refresh that waits for another process ends, and the lock is not acquired', async () => {
    const work = new PendingWork();
    const { vault, store, server, grantID } = await grantAt(LIFETIME_MS, { work });
    const lock = await store.lock(grantID, LOCK_TTL_MS);
    const waiting = vault.accessToken(grantID);
    await nextTurn();
    expect(await work.close(60_000)).toBe(true);
    await lock?.release();
    await expect(waiting).rejects.toMatchObject({ code: 'closed', status: 503, retryable: true });
    expect(server.refreshCount).toBe(0);
    expect(await store.lock(grantID, LOCK_TTL_MS)).toBeDefined();
  });

  test('a valid token is used without a wait', async () => {
    const work = new PendingWork();
    const { vault, grantID, elapsedMs } = await grantAt(REFRESH_AT_MS, { work });
    await work.close(60_000);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    expect(elapsedMs()).toBe(0);
  });

  test('the close waits for a refresh in progress, until its tokens are saved', async () => {
    const work = new PendingWork();
    const { vault, server, grantID } = await grantAt(REFRESH_AT_MS, { work });
    const release = server.hold();
    expect(await vault.accessToken(grantID)).toBe('access-1');
    let isClosed = false;
    const closing = work.close(60_000).then((isComplete) => {
      isClosed = true;
      return isComplete;
    });
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(isClosed).toBe(false);
    release();
    expect(await closing).toBe(true);
    expect((await vault.find(grantID))?.tokens.accessToken.reveal()).toBe('access-2');
  });
});
