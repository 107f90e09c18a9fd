import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { ProtocolError } from '../../lib/errors/errors.js';
import { Sealer, Secret } from '../../lib/sealing/sealer.js';
import type { StoredGrant } from '../../lib/token-vault/token-store.js';
import { invalidGrant, serviceDown } from './rotating-server.js';
import { grantAt, LIFETIME_MS, SECRET, vaultUnderTest } from './vault-under-test.js';

const MINUTE = 60_000;
const ended = expect.objectContaining({ code: 'grant_ended', status: 401, remedy: 'sign_in' });
const unreadable = expect.objectContaining({ code: 'grant_unreadable', status: 401, remedy: 'sign_in' });
const secretUnknown = expect.objectContaining({ code: 'grant_secret_unknown', status: 401, remedy: 'sign_in' });

describe('add', () => {
  test('stores each token set under its own grant id', async () => {
    const { vault, server } = vaultUnderTest();
    const [one, two] = [(await vault.add('user', server.issue())).id, (await vault.add('user', server.issue())).id];
    expect(one).toMatch(/^[\w-]{32}$/);
    expect(await vault.accessToken(one)).toBe('access-1');
    expect(await vault.accessToken(two)).toBe('access-2');
    expect((await vault.find(one))?.tokens.refreshToken?.reveal()).toBe('refresh-1');
    expect(server.refreshCount).toBe(0);
  });

  test('passes the user to the store, and no token in plain text', async () => {
    const { vault, server, store } = vaultUnderTest();
    const record = await store.get((await vault.add('user-7', server.issue())).id);
    expect(record).toMatchObject({ userKey: 'user-7', version: 1 });
    const clear = `${JSON.stringify(record)}${Buffer.from(record?.sealed ?? '', 'base64url').toString('latin1')}`;
    expect(clear).not.toMatch(/access-1|refresh-1|accessToken/);
  });

  test.each<[string, (record: StoredGrant, other: StoredGrant) => StoredGrant]>([
    [
      'changed',
      (record) => ({ ...record, sealed: `${record.sealed.slice(0, -1)}${record.sealed.endsWith('A') ? 'B' : 'A'}` }),
    ],
    ['replaced by invalid text', (record) => ({ ...record, sealed: 'junk' })],
    ['moved to another user', (record) => ({ ...record, userKey: 'mallory' })],
    ['exchanged with another grant', (_, other) => other],
  ])('a record that was %s is unreadable', async (_, tamper) => {
    const { vault, server, store, grantID } = await grantAt(0);
    const other = await store.get((await vault.add('user', server.issue())).id);
    const record = await store.get(grantID);
    await store.put(grantID, tamper(record as StoredGrant, other as StoredGrant));
    await expect(vault.accessToken(grantID)).rejects.toEqual(unreadable);
    expect(await vault.find(grantID)).toBeUndefined();
    await expect(vault.forget(grantID)).rejects.toEqual(unreadable);
    expect(await store.get(grantID)).toBeDefined();
  });

  test('a record of another instance is unreadable, and is not erased', async () => {
    const { vault, otherProcess, grantID } = await grantAt(0);
    const other = otherProcess({ instance: 'other' });
    await expect(other.accessToken(grantID)).rejects.toEqual(unreadable);
    expect(await other.find(grantID)).toBeUndefined();
    await expect(other.forget(grantID)).rejects.toEqual(unreadable);
    expect(await vault.accessToken(grantID)).toBe('access-1');
  });

  test('a grant of an older secret is sealed with the new one by a refresh, not by a read', async () => {
    const newer = new Secret('another secret of more than thirty-two bytes');
    const { vault, clock, otherProcess, store, grantID } = await grantAt(0);
    const record = await store.get(grantID);
    const newerOnly = otherProcess({ sealer: new Sealer([newer], 'tokens') });
    const rotated = otherProcess({ sealer: new Sealer([newer, SECRET], 'tokens') });
    await expect(newerOnly.accessToken(grantID)).rejects.toEqual(secretUnknown);
    expect(await rotated.accessToken(grantID)).toBe('access-1');
    await rotated.records.require(grantID);
    expect(await store.get(grantID)).toEqual(record);

    clock.advance(60 * MINUTE);
    expect(await rotated.accessToken(grantID)).toBe('access-2');
    expect(await newerOnly.accessToken(grantID)).toBe('access-2');
    await expect(vault.accessToken(grantID)).rejects.toEqual(secretUnknown);
  });

  test('a grant of an unknown secret is neither used, changed nor erased', async () => {
    const newer = new Secret('another secret of more than thirty-two bytes');
    const { vault, otherProcess, store, grantID } = await grantAt(0);
    const record = await store.get(grantID);
    const other = otherProcess({ sealer: new Sealer([newer], 'tokens') });
    await expect(other.records.require(grantID)).rejects.toEqual(secretUnknown);
    await expect(other.forget(grantID)).rejects.toEqual(secretUnknown);
    expect(await other.find(grantID)).toBeUndefined();
    expect(await store.get(grantID)).toEqual(record);
    expect(await vault.accessToken(grantID)).toBe('access-1');
  });

  test('unused tokens expire after 30 days', async () => {
    const { vault, clock, grantID } = await grantAt(0);
    clock.advance(30 * 24 * 60 * MINUTE);
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
  });

  test('an unknown grant has ended', async () => {
    await expect(vaultUnderTest().vault.accessToken('unknown')).rejects.toEqual(ended);
  });
});

describe('a refresh', () => {
  test('without a refresh token: the access token is used until it expires, then the grant ends', async () => {
    const { vault, server, clock, store } = vaultUnderTest();
    const { refreshToken: _, ...tokens } = server.issue(30 * MINUTE);
    const grantID = (await vault.add('user', tokens)).id;
    clock.advance(30 * MINUTE - 1);
    expect(await vault.accessToken(grantID)).toBe('access-1');
    clock.advance(1);
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
    expect(await store.get(grantID)).toBeUndefined();
    expect(server.refreshCount).toBe(0);
  });

  test('that fails with invalid_grant ends the grant and erases it', async () => {
    const { vault, server, store, grantID } = await grantAt(LIFETIME_MS);
    server.failWith(invalidGrant());
    const error = await vault.accessToken(grantID).catch((error) => error);
    expect(error).toEqual(ended);
    expect(error.cause).toMatchObject({ code: 'invalid_grant' });
    expect(await store.get(grantID)).toBeUndefined();
    await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
    expect(server.refreshCount).toBe(1);
  });

  test('that fails temporarily rejects, erases nothing, and can be repeated', async () => {
    const { vault, server, clock, grantID } = await grantAt(LIFETIME_MS);
    server.failWith(serviceDown(), new ProtocolError('response_malformed', 'HTML'));
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'service_unreachable', retryable: true });
    await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'response_malformed' });
    clock.advance(1_000);
    expect(await vault.accessToken(grantID)).toBe('access-2');
  });

  test('that fails repeatedly is delayed by up to 30 seconds', async () => {
    const { vault, server, clock, grantID } = await grantAt(LIFETIME_MS);
    server.failWith(...Array.from({ length: 1_000 }, serviceDown));
    for (let second = 0; second < 120; second += 1) {
      await expect(vault.accessToken(grantID)).rejects.toMatchObject({ code: 'service_unreachable' });
      clock.advance(1_000);
    }
    expect(server.refreshCount).toBe(9); // at 0, 1, 2, 4, 8, 16, 32, 62 and 92 seconds
  });

  test('that fails before the access token has expired returns that token', async () => {
    const { vault, server, clock, grantID } = await grantAt(0);
    clock.advance(29 * MINUTE + 1);
    server.failWith(serviceDown());
    expect(await vault.accessToken(grantID)).toBe('access-1');
    server.failWith(serviceDown());
    await expect(vault.accessToken(grantID, { refusedToken: 'access-1' })).rejects.toMatchObject({ retryable: true });
  });

  test('never prints a token, in errors as in the store', async () => {
    const { vault, server, store, grantID } = await grantAt(LIFETIME_MS);
    server.failWith(serviceDown(), invalidGrant());
    const errors = [await vault.accessToken(grantID).catch((e) => e), await vault.accessToken(grantID).catch((e) => e)];
    const printed = inspect([vault, store, errors, await vault.find(grantID)], { depth: 9, showHidden: true });
    expect(printed).toContain('grant_ended');
    expect(printed).not.toMatch(/(?:access|refresh)-\d/);
  });
});

test('the id of a session is sealed, and a refresh keeps it', async () => {
  const { vault, server, clock, store } = vaultUnderTest();
  const { id } = await vault.add({ grantID: 'g', userKey: 'user', sessionID: 'session-1' }, server.issue());
  clock.advance(60 * MINUTE);
  expect(await vault.accessToken(id)).toBe('access-2');
  expect((await vault.find('g'))?.sessionID).toBe('session-1');
  expect(JSON.stringify(await store.get('g'))).not.toContain('session-1');
});

test('forget returns the tokens to be revoked, erases them, and can be repeated', async () => {
  const { vault, store, grantID } = await grantAt(0);
  expect((await vault.forget(grantID))?.tokens.refreshToken?.reveal()).toBe('refresh-1');
  expect(await vault.forget(grantID)).toBeUndefined();
  expect(await store.get(grantID)).toBeUndefined();
  await expect(vault.accessToken(grantID)).rejects.toEqual(ended);
});
