import { describe, expect, test } from '@jest/globals';
import type { TokenStore } from '../../lib/token-vault/token-store.js';
import { grantAt, LIFETIME_MS, nextTurn, vaultUnderTest } from './vault-under-test.js';

const methodsOf = (store: TokenStore): TokenStore => ({
  get: (id) => store.get(id),
  put: (id, grant) => store.put(id, grant),
  swap: (id, version, grant) => store.swap(id, version, grant),
  delete: (id) => store.delete(id),
  grantsOf: (user) => store.grantsOf(user),
  lock: (id, ttlMs) => store.lock(id, ttlMs),
});
const repeat = <R>(count: number, call: () => R): R[] => Array.from({ length: count }, call);

describe('concurrent requests', () => {
  test('read the record again when another process has refreshed it since', async () => {
    const { vault, server, store, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    const stale = await store.get(grantID);
    const responses = [stale];
    const get = async (id: string) => responses.shift() ?? store.get(id);
    const late = otherProcess({ store: { ...methodsOf(store), get } });
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(await late.accessToken(grantID)).toBe('access-2');
    expect(server.refreshCount).toBe(1);
  });

  test('in two processes on one store cause one refresh', async () => {
    const { vault, server, clock, otherProcess } = vaultUnderTest();
    const other = otherProcess();
    const grantID = (await vault.add('user', server.issue())).id;
    clock.advance(LIFETIME_MS);
    const tokens = await Promise.all(
      repeat(100, () => [vault.accessToken(grantID), other.accessToken(grantID)]).flat(),
    );
    expect(new Set(tokens)).toEqual(new Set(['access-2']));
    expect(server.refreshCount).toBe(1);
  });

  test('for two grants do not wait for each other', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const [one, two] = [
      (await vault.add('a', server.issue())).id,
      (await vault.add('b', server.issue(2 * LIFETIME_MS))).id,
    ];
    clock.advance(LIFETIME_MS);
    const release = server.hold();
    const waiting = vault.accessToken(one);
    expect(await vault.accessToken(two)).toBe('access-2');
    release();
    expect(await waiting).toBe('access-3');
  });
});

test('a 401 from the resource API for a token that another process has replaced causes no second refresh', async () => {
  const { vault, server, otherProcess, grantID } = await grantAt(0);
  const used = await vault.accessToken(grantID);
  expect(await otherProcess().accessToken(grantID, { refusedToken: used })).toBe('access-2');
  expect(server.accepts(used)).toBe(false);
  expect(await vault.accessToken(grantID, { refusedToken: used })).toBe('access-2');
  expect(server.refreshCount).toBe(1);
});

describe('a lock of a stopped process', () => {
  test('whose refresh the service has executed ends the grant', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const pair = server.issue();
    const grantID = (await vault.add('user', pair)).id;
    clock.advance(LIFETIME_MS);
    await store.lock(grantID, 30_000);
    await server.refresh(pair);
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
  });

  test('that has saved its tokens makes a later refused refresh use the record', async () => {
    const { vault, server, clock, otherProcess, grantID } = await grantAt(LIFETIME_MS);
    const release = server.hold();
    const slow = vault.accessToken(grantID);
    await nextTurn();
    clock.advance(31_000); // the lock of `slow` has expired
    const quick = otherProcess().accessToken(grantID);
    await nextTurn();
    release();
    const [one, two] = await Promise.allSettled([slow, quick]);
    expect(one).toEqual({ status: 'fulfilled', value: 'access-2' });
    expect(two).toEqual({ status: 'fulfilled', value: 'access-2' });
    expect(server.refreshCount).toBe(2);
  });
});

describe('forget during a refresh', () => {
  test('waits for it and returns the new tokens to be revoked', async () => {
    const { vault, server, store, grantID } = await grantAt(LIFETIME_MS);
    const release = server.hold();
    const refreshing = vault.accessToken(grantID);
    await nextTurn();
    const forgetting = vault.forget(grantID);
    await nextTurn();
    release();
    await refreshing;
    expect((await forgetting)?.tokens.accessToken.reveal()).toBe('access-2');
    expect(await store.get(grantID)).toBeUndefined();
  });

  test('in another process continues after two seconds, and the refreshed tokens are revoked', async () => {
    const revoked: string[] = [];
    const { vault, server, clock, store, otherProcess, grantID } = await grantAt(LIFETIME_MS, {
      revoke: async (tokens) => void revoked.push(tokens.accessToken.reveal()),
    });
    const release = server.hold();
    const refreshing = otherProcess().accessToken(grantID);
    await nextTurn();
    const calledAt = clock.now();
    expect((await vault.forget(grantID))?.tokens.accessToken.reveal()).toBe('access-1');
    expect(clock.now() - calledAt).toBe(2_000);
    release();
    await expect(refreshing).rejects.toMatchObject({ code: 'grant_ended' });
    expect(revoked).toEqual(['access-2']);
    expect(await store.get(grantID)).toBeUndefined();
  });
});

describe('an unreachable store', () => {
  const unavailable = expect.objectContaining({ code: 'token_store_unavailable', status: 503, retryable: true });

  test('makes every method fail with a retryable 503, without a refresh', async () => {
    const { vault, server, store, grantID } = await grantAt(LIFETIME_MS);
    store.down = true;
    const calls = [
      vault.accessToken(grantID),
      vault.find(grantID),
      vault.forget(grantID),
      vault.records.store.grantsOf('user'),
    ];
    for (const call of [...calls, vault.add('user', server.issue())]) await expect(call).rejects.toEqual(unavailable);
    store.down = 'lock';
    await expect(vault.accessToken(grantID)).rejects.toEqual(unavailable);
    expect(server.refreshCount).toBe(0);
    store.down = false;
    expect(await vault.accessToken(grantID)).toMatch(/^access-/);
  });

  test('at the release of a lock: the refreshed tokens are used, and the lock expires', async () => {
    const { server, clock, store, otherProcess } = vaultUnderTest();
    const lock: TokenStore['lock'] = async (id, ttlMs) => {
      const acquired = await store.lock(id, ttlMs);
      return acquired && { release: () => Promise.reject(new Error('down')) };
    };
    const vault = otherProcess({ store: { ...methodsOf(store), lock } });
    const grantID = (await vault.add('user', server.issue(60_000))).id;
    clock.advance(60_000);
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(await store.lock(grantID, 1)).toBeUndefined();
    expect(await vault.accessToken(grantID, { refusedToken: 'access-2' })).toBe('access-3');
  });
});
