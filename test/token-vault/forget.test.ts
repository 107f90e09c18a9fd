import { describe, expect, test } from '@jest/globals';
import { createForget, type ForgetOptions } from '../../lib/token-vault/forget.js';
import { createProfileStore } from '../../lib/token-vault/profile-store.js';
import { createSealer } from '../../lib/token-vault/sealer.js';
import type { Pair } from './rotating-server.js';
import { SECRET, vaultUnderTest } from './vault-under-test.js';

function forgetUnderTest(more: Partial<ForgetOptions<Pair>> = {}) {
  const revoked: string[] = [];
  const erased: string[] = [];
  const under = vaultUnderTest();
  const forget = createForget<Pair>({
    vault: under.vault,
    revoke: async (tokens) => void revoked.push(tokens.refreshToken?.reveal() ?? ''),
    onErase: (grantID) => void erased.push(grantID),
    ...more,
  });
  return { ...under, forget, revoked, erased };
}

describe('forget', () => {
  test('revokes and erases every login of the user, and of no other', async () => {
    const { vault, server, store, forget, revoked, erased } = forgetUnderTest();
    const mine = [await vault.put('me', server.issue()), await vault.put('me', server.issue())];
    const other = await vault.put('other', server.issue());
    expect(await forget('me')).toEqual({ logins: 2, revoked: 2 });
    expect(revoked.sort()).toEqual(['refresh-1', 'refresh-2']);
    expect(erased.sort()).toEqual(mine.sort());
    for (const grantID of mine) expect(await store.get(grantID)).toBeUndefined();
    expect(await store.grantsOf('me')).toEqual([]);
    expect(await vault.accessToken(other)).toBe('access-3');
  });

  test('can be repeated, and does nothing for an unknown user', async () => {
    const { vault, server, forget, revoked } = forgetUnderTest();
    await vault.put('me', server.issue());
    await forget('me');
    expect(await forget('me')).toEqual({ logins: 0, revoked: 0 });
    expect(await forget('unknown')).toEqual({ logins: 0, revoked: 0 });
    expect(revoked).toEqual(['refresh-1']);
  });

  test('erases a stored profile and the agreement', async () => {
    const { vault, server, store, clock, forget } = forgetUnderTest();
    const profiles = createProfileStore({ store, clock, sealer: createSealer([SECRET], 'profiles') });
    await vault.put('me', server.issue());
    await profiles.recordAgreement('me', 'v1');
    await profiles.save('me', { id: '7', verified: true, raw: {} });
    expect(await forget('me')).toEqual({ logins: 1, revoked: 1 });
    expect(await profiles.get('me')).toBeUndefined();
    expect(await store.grantsOf('me')).toEqual([]);
  });

  test('erases the profile of a user without a login', async () => {
    const { store, clock, forget } = forgetUnderTest();
    const profiles = createProfileStore({ store, clock, sealer: createSealer([SECRET], 'profiles') });
    await profiles.recordAgreement('me', 'v1');
    expect(await forget('me')).toEqual({ logins: 0, revoked: 0 });
    expect(await profiles.get('me')).toBeUndefined();
  });

  test.each<[string, ForgetOptions<Pair>['revoke']]>([
    ['fails', () => Promise.reject(new Error('down'))],
    ['never settles', () => new Promise(() => undefined)],
  ])('erases the tokens when the revocation %s, and counts them as not revoked', async (_, revoke) => {
    const { vault, server, store, forget } = forgetUnderTest({ revoke, timeoutMs: 20 });
    const grantID = await vault.put('me', server.issue());
    expect(await forget('me')).toEqual({ logins: 1, revoked: 0 });
    expect(await store.get(grantID)).toBeUndefined();
  });

  test('fails with a retryable error while the store is down, and works afterwards', async () => {
    const { vault, server, store, forget, revoked } = forgetUnderTest();
    await vault.put('me', server.issue());
    for (const down of [true, 'delete', 'grantsOf'] as const) {
      store.down = down;
      await expect(forget('me')).rejects.toMatchObject({ code: 'token_store_unavailable', retryable: true });
    }
    expect(revoked).toEqual([]);
    store.down = false;
    expect(await forget('me')).toEqual({ logins: 1, revoked: 1 });
  });

  test('revokes what it has erased before the store fails, and the rest when it is repeated', async () => {
    const { vault, server, store, revoked } = forgetUnderTest();
    const [first] = [await vault.put('me', server.issue()), await vault.put('me', server.issue())];
    const forget = createForget<Pair>({
      vault: { ...vault, forget: (id) => (id === first ? vault.forget(id) : Promise.reject(new Error('down'))) },
      revoke: async (tokens) => void revoked.push(tokens.refreshToken?.reveal() ?? ''),
    });
    await expect(forget('me')).rejects.toThrow('down');
    expect(revoked).toEqual(['refresh-1']);
    expect(await store.get(first)).toBeUndefined();
    const again = createForget<Pair>({ vault, revoke: async () => undefined });
    expect(await again('me')).toEqual({ logins: 1, revoked: 1 });
  });
});
