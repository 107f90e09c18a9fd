import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { ProtocolError } from '../../lib/errors.js';
import { Secret } from '../../lib/secret.js';
import { createSealer } from '../../lib/token-vault/sealer.js';
import type { StoredGrant } from '../../lib/token-vault/token-store.js';
import { invalidGrant, serviceDown } from './rotating-server.js';
import { SECRET, vaultUnderTest } from './vault-under-test.js';

const MINUTE = 60_000;
const ended = expect.objectContaining({ code: 'grant_ended', status: 401, remedy: 'sign_in' });
const unreadable = expect.objectContaining({ code: 'grant_unreadable', status: 401, remedy: 'sign_in' });

describe('keeping', () => {
  test('what is put under a grant id comes back by it; each login has a grant of its own', async () => {
    const { vault, server } = vaultUnderTest();
    const [one, two] = [await vault.put('user', server.issue()), await vault.put('user', server.issue())];
    expect(one).toMatch(/^[\w-]{32}$/);
    expect(await vault.accessToken(one)).toBe('access-1');
    expect(await vault.accessToken(two)).toBe('access-2');
    expect((await vault.tokens(one))?.refreshToken?.reveal()).toBe('refresh-1');
    expect(server.asked).toBe(0);
  });

  test('what a store holds names the user and nothing of the tokens (attack 102, 197)', async () => {
    const { vault, server, store } = vaultUnderTest();
    const record = await store.get(await vault.put('user-7', server.issue()));
    expect(record).toMatchObject({ userKey: 'user-7', version: 1 });
    const clear = `${JSON.stringify(record)}${Buffer.from(record?.sealed ?? '', 'base64url').toString('latin1')}`;
    expect(clear).not.toMatch(/access-1|refresh-1|accessToken/);
  });

  test.each<[string, (record: StoredGrant, other: StoredGrant) => StoredGrant]>([
    [
      'changed',
      (record) => ({ ...record, sealed: `${record.sealed.slice(0, -1)}${record.sealed.endsWith('A') ? 'B' : 'A'}` }),
    ],
    ['junk', (record) => ({ ...record, sealed: 'junk' })],
    ["given another user's name", (record) => ({ ...record, userKey: 'mallory' })],
    ["another grant's", (_, other) => other],
  ])('a record that was %s is nobody: sign in again (attack 197)', async (_, tamper) => {
    const { vault, server, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    const other = await store.get(await vault.put('user', server.issue()));
    const record = await store.get(grantID);
    await store.put(grantID, tamper(record as StoredGrant, other as StoredGrant));
    await expect(vault.accessToken(grantID)).rejects.toEqual(unreadable);
    expect(await vault.tokens(grantID)).toBeUndefined();
    expect(await vault.forget(grantID)).toBeUndefined();
    expect(await store.get(grantID)).toBeUndefined();
  });

  test('after a change of the secret the old one still opens, and is not needed a second time (attack 197)', async () => {
    const newer = new Secret('another secret of more than thirty-two bytes');
    const { vault, server, otherProcess } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    const newerOnly = otherProcess({ sealer: createSealer([newer], 'tokens') });
    await expect(newerOnly.accessToken(grantID)).rejects.toEqual(unreadable);
    expect(await otherProcess({ sealer: createSealer([newer, SECRET], 'tokens') }).accessToken(grantID)).toBe(
      'access-1',
    );
    expect(await newerOnly.accessToken(grantID)).toBe('access-1');
  });

  test('tokens that nobody uses for thirty days are gone', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(30 * 24 * 60 * MINUTE);
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
  });

  test('an unknown grant is an ended one', async () => {
    await expect(vaultUnderTest().vault.accessToken('nobody')).rejects.toEqual(ended);
  });
});

describe('refreshing', () => {
  test('happens a minute before the access token ends, not sooner', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue(30 * MINUTE));
    clock.pass(29 * MINUTE - 1);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    clock.pass(1);
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(server.asked).toBe(1);
  });

  test('of a token that lives shorter than that minute does not happen at every use (attack 194)', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue(20_000));
    clock.pass(9_999);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    clock.pass(1);
    expect(await vault.accessToken(grantID)).toBe('access-2');
  });

  test('of a token that was born expired happens once for each use, and ends (attack 194)', async () => {
    const { vault, server } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue(-5 * MINUTE));
    expect(await vault.accessToken(grantID)).toBe('access-2');
    expect(server.asked).toBe(1);
  });

  test('without a refresh token: the access token serves to its end, then the sign-in is over', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const { accessToken, expiresAt } = server.issue(30 * MINUTE);
    const grantID = await vault.put('user', { accessToken, expiresAt });
    clock.pass(30 * MINUTE - 1);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    clock.pass(1);
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
    expect(await store.get(grantID)).toBeUndefined();
    expect(server.asked).toBe(0);
  });

  test('refused as invalid_grant: the sign-in ends and nothing of it is kept (attack 191)', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(30 * MINUTE);
    server.failWith(invalidGrant());
    const error = await vault.accessToken(grantID).catch((error) => error);
    expect(error).toEqual(ended);
    expect(error.cause).toMatchObject({ code: 'invalid_grant' });
    expect(await store.get(grantID)).toBeUndefined();
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
    expect(server.asked).toBe(1);
  });

  test("that brings another person's tokens: refused as such, and the sign-in is over (attack 38)", async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(30 * MINUTE);
    server.failWith(new ProtocolError('id_token_subject_changed', 'another person'));
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'id_token_subject_changed', status: 502 });
    expect(await store.get(grantID)).toBeUndefined();
  });

  test('that fails for now: passed on, everything kept, and the next one works (attack 191)', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(30 * MINUTE);
    server.failWith(serviceDown(), new ProtocolError('token_response_malformed', 'HTML'));
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'service_unreachable', retryable: true });
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'token_response_malformed' });
    clock.pass(1_000);
    expect(await vault.accessToken(grantID)).toBe('access-2');
  });

  test('that fails again and again is not tried with every request: it backs off up to 30 s (attack 191)', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(30 * MINUTE);
    server.failWith(...Array.from({ length: 1_000 }, serviceDown));
    for (let second = 0; second < 120; second += 1) {
      await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'service_unreachable' });
      clock.pass(1_000);
    }
    expect(server.asked).toBe(9); // at 0, 1, 2, 4, 8, 16, 32, 62 and 92 seconds
  });

  test('that fails while the access token still has its last minute: that token serves', async () => {
    const { vault, server, clock } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue(30 * MINUTE));
    clock.pass(29 * MINUTE + 1);
    server.failWith(serviceDown());
    expect(await vault.accessToken(grantID)).toBe('access-1');
    server.failWith(serviceDown());
    await expect(vault.accessToken(grantID, { refused: 'access-1' })).rejects.toMatchObject({ retryable: true });
  });

  test('nothing that is thrown or kept prints a token (attack 198)', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    clock.pass(30 * MINUTE);
    server.failWith(serviceDown(), invalidGrant());
    const errors = [await vault.accessToken(grantID).catch((e) => e), await vault.accessToken(grantID).catch((e) => e)];
    const printed = inspect([vault, store, errors, await vault.tokens(grantID)], { depth: 9, showHidden: true });
    expect(printed).toContain('grant_ended');
    expect(printed).not.toMatch(/(?:access|refresh)-\d/);
  });
});

describe('forgetting', () => {
  test('gives back what was kept, so that it can be revoked, and is safe to repeat', async () => {
    const { vault, server, store } = vaultUnderTest();
    const grantID = await vault.put('user', server.issue());
    expect((await vault.forget(grantID))?.refreshToken?.reveal()).toBe('refresh-1');
    expect(await vault.forget(grantID)).toBeUndefined();
    expect(await store.get(grantID)).toBeUndefined();
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
  });

  test('finds everything that is kept about one user, and nothing of another', async () => {
    const { vault, server } = vaultUnderTest();
    const [one, two, other] = [
      await vault.put('a', server.issue()),
      await vault.put('a', server.issue()),
      await vault.put('b', server.issue()),
    ];
    expect((await vault.grantsOf('a')).sort()).toEqual([one, two].sort());
    await vault.forget(one);
    expect(await vault.grantsOf('a')).toEqual([two]);
    expect(await vault.grantsOf('b')).toEqual([other]);
  });
});
