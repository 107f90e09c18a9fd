import { describe, expect, jest, test } from '@jest/globals';
import type { TokenStore } from '../../lib/token-vault/token-store.js';
import { nextTurn, vaultUnderTest } from './vault-under-test.js';

const LIFETIME = 30 * 60_000;
const bound = (store: TokenStore): TokenStore => ({
  get: (id) => store.get(id),
  put: (id, grant) => store.put(id, grant),
  swap: (id, version, grant) => store.swap(id, version, grant),
  delete: (id) => store.delete(id),
  grantsOf: (user) => store.grantsOf(user),
  lock: (id, life) => store.lock(id, life),
});
const times = <R>(count: number, act: () => R): R[] => Array.from({ length: count }, act);

describe('many at once', () => {
  test('200 requests at expiry make one refresh, and all get its token (attack 190)', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const tokens = await Promise.all(times(200, () => vault.accessToken(grantID)));
    expect(new Set(tokens)).toEqual(new Set(['access-2']));
    expect(server.asked).toBe(1);
    expect(server.accepts('access-2')).toBe(true);
  });

  test('200 requests at expiry ask the store for one lock, not for two hundred', async () => {
    const { vault, server, clock, store, otherProcess } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const lock = jest.fn((id: string, life: number) => store.lock(id, life));
    const counting = otherProcess({ store: { ...bound(store), lock } });
    await Promise.all(times(200, () => counting.accessToken(grantID)));
    expect(lock).toHaveBeenCalledTimes(1);
  });

  test('a request that read the record before a refresh elsewhere, and comes to its turn after it, reads again', async () => {
    const { vault, server, clock, store, otherProcess } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const stale = await store.get(grantID);
    const answers = [stale];
    const get = async (id: string) => answers.shift() ?? store.get(id);
    const behind = otherProcess({ store: { ...bound(store), get } });
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(await behind.accessToken(grantID)).toBe('access-2');
    expect(server.asked).toBe(1);
  });

  test('200 requests in two processes on one store make one refresh (attack 190)', async () => {
    const { vault, server, clock, otherProcess } = vaultUnderTest();
    const other = otherProcess();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const tokens = await Promise.all(times(100, () => [vault.accessToken(grantID), other.accessToken(grantID)]).flat());
    expect(new Set(tokens)).toEqual(new Set(['access-2']));
    expect(server.asked).toBe(1);
  });

  test('requests that arrive while a refresh is under way wait for it', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const release = server.hold();
    const first = vault.accessToken(grantID);
    await nextTurn();
    const later = times(10, () => vault.accessToken(grantID, { refused: 'access-1' }));
    await nextTurn();
    release();
    expect(new Set(await Promise.all([first, ...later]))).toEqual(new Set(['access-2']));
    expect(server.asked).toBe(1);
  });

  test('two grants do not wait for each other', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const [one, two] = [await vault.put('a', server.issue()), await vault.put('b', server.issue(2 * LIFETIME))];
    clock.pass(LIFETIME);
    const release = server.hold();
    const waiting = vault.accessToken(one);
    expect(await vault.accessToken(two)).toBe('access-2');
    release();
    expect(await waiting).toBe('access-3');
  });
});

describe('a 401 from the resource API', () => {
  test('with a token that a refresh elsewhere has revoked: read again, no second refresh (attack 196, 209)', async () => {
    const { vault, server, otherProcess } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    const used = await vault.accessToken(grantID);
    expect(await otherProcess().accessToken(grantID, { refused: used })).toBe('access-2');
    expect(server.accepts(used)).toBe(false);
    expect(await vault.accessToken(grantID, { refused: used })).toBe('access-2');
    expect(server.asked).toBe(1);
  });

  test('to 200 requests with one token makes one refresh', async () => {
    const { vault, server } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    const tokens = await Promise.all(times(200, () => vault.accessToken(grantID, { refused: 'access-1' })));
    expect(new Set(tokens)).toEqual(new Set(['access-2']));
    expect(server.asked).toBe(1);
  });

  test('to the very token that a refresh under way brings: one more refresh, not the same token again', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const release = server.hold();
    const first = vault.accessToken(grantID);
    await nextTurn();
    const unhappy = vault.accessToken(grantID, { refused: 'access-2' });
    await nextTurn();
    release();
    expect(await first).toBe('access-2');
    expect(await unhappy).toBe('access-3');
  });
});

describe('a lock whose holder is gone', () => {
  test('ends with its life, and the next one refreshes', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    await store.lock(grantID, 30_000);
    const died = clock.now();
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(clock.now() - died).toBeGreaterThanOrEqual(30_000);
    expect(clock.now() - died).toBeLessThan(31_000);
  });

  test('and whose refresh had reached the service: sign in again, nothing hangs (attack 192)', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const pair = server.issue();
    const grantID = await vault.put('user', pair);
    clock.pass(LIFETIME);
    await store.lock(grantID, 30_000);
    await server.refresh(pair);
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'grant_ended' });
  });

  test('that never ends: a retryable error after a bounded time', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    await store.lock(grantID, Number.POSITIVE_INFINITY);
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'refresh_busy', retryable: true });
    expect(server.asked).toBe(0);
  });

  test('but that had written already: its late successor goes by the record, not by the refusal', async () => {
    const { vault, server, clock, otherProcess } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const release = server.hold();
    const slow = vault.accessToken(grantID);
    await nextTurn();
    clock.pass(31_000); // the lock of the slow one has ended
    const quick = otherProcess().accessToken(grantID);
    await nextTurn();
    release();
    const [one, two] = await Promise.allSettled([slow, quick]);
    expect(one).toEqual({ status: 'fulfilled', value: 'access-2' });
    expect(two).toEqual({ status: 'fulfilled', value: 'access-2' });
    expect(server.asked).toBe(2);
  });
});

describe('a sign-out while a refresh is under way', () => {
  test('waits for it and gives back the newest tokens, so that nothing lives on at the service', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const release = server.hold();
    const refreshing = vault.accessToken(grantID);
    await nextTurn();
    const forgetting = vault.forget(grantID);
    await nextTurn();
    release();
    await refreshing;
    expect((await forgetting)?.accessToken.reveal()).toBe('access-2');
    expect(await store.get(grantID)).toBeUndefined();
  });

  test('in another process: after two seconds it goes ahead, and what the refresh brings is revoked', async () => {
    const revoked: string[] = [];
    const { vault, server, clock, store, otherProcess } = vaultUnderTest({
      revoke: async (tokens) => void revoked.push(tokens.accessToken.reveal()),
    });
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    const release = server.hold();
    const refreshing = otherProcess().accessToken(grantID);
    await nextTurn();
    const asked = clock.now();
    expect((await vault.forget(grantID))?.accessToken.reveal()).toBe('access-1');
    expect(clock.now() - asked).toBe(2_000);
    release();
    await expect(refreshing).rejects.toMatchObject({ code: 'grant_ended' });
    expect(revoked).toEqual(['access-2']);
    expect(await store.get(grantID)).toBeUndefined();
  });
});

describe('a store that is down', () => {
  const unavailable = expect.objectContaining({ code: 'token_store_unavailable', status: 503, retryable: true });

  test('is a retryable 503 for every verb, never a refresh, never a sign-out', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    store.down = true;
    const verbs = [vault.accessToken(grantID), vault.tokens(grantID), vault.forget(grantID), vault.grantsOf('user')];
    for (const verb of [...verbs, vault.put('user', server.issue())]) await expect(verb).rejects.toEqual(unavailable);
    store.down = 'lock';
    await expect(vault.accessToken(grantID)).rejects.toEqual(unavailable);
    expect(server.asked).toBe(0);
    store.down = false;
    expect(await vault.accessToken(grantID)).toMatch(/^access-/);
  });

  test('just when the new tokens are to be written: they are kept here and written later, with no second refresh', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    store.down = 'swap';
    await expect(vault.accessToken(grantID)).rejects.toEqual(unavailable);
    await expect(vault.accessToken(grantID)).rejects.toEqual(unavailable);
    store.down = false;
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect((await vault.tokens(grantID))?.accessToken.reveal()).toBe('access-2');
    expect(server.asked).toBe(1);
  });

  test('and a sign-out after that gives the unwritten tokens back to be revoked', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(LIFETIME);
    store.down = 'swap';
    await expect(vault.accessToken(grantID)).rejects.toEqual(unavailable);
    store.down = false;
    expect((await vault.forget(grantID))?.accessToken.reveal()).toBe('access-2');
  });
});
