import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { RESP_TYPES, type RedisClientType } from 'redis';
import type { StoredGrant, TokenStore } from '../../lib/token-vault/token-store.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { nextTurn } from './vault-under-test.js';

const unavailable = expect.objectContaining({ code: 'token_store_unavailable', status: 503, retryable: true });
const HOUR = 3_600_000;
const grant = (more: Partial<StoredGrant> = {}): StoredGrant => ({
  userKey: 'user',
  sealed: 'sealed',
  version: 1,
  expiresAt: Date.now() + HOUR,
  ...more,
});

let redis: RedisServer;
let client: RedisClientType;
let store: TokenStore;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  client = await redis.client();
  await client.flushAll();
  store = new RedisTokenStore({ client, timeout: 200 });
});
afterAll(() => redis.dispose());

describe('what is kept', () => {
  test('ends by itself, all of it: the grant, the index by user, the lock', async () => {
    await store.put('g', grant());
    await store.swap('g', 1, grant({ version: 2 }));
    await store.lock('g', 30_000);
    const keys = await client.keys('*');
    expect(keys.sort()).toEqual(['clinician:grant:g', 'clinician:lock:g', 'clinician:user:user']);
    for (const key of keys) expect(await client.pTTL(key)).toBeGreaterThan(0);
  });

  test('leaves no trace of a user whose grants are all deleted', async () => {
    for (const id of ['a', 'b']) await store.put(id, grant());
    for (const id of ['a', 'b']) await store.delete(id);
    expect(await client.keys('*')).toEqual([]);
  });

  test('of one site is not seen by another on the same Redis', async () => {
    const other = new RedisTokenStore({ client, prefix: '{other}:' });
    await other.put('g', grant());
    expect(await store.get('g')).toBeUndefined();
    expect(await store.grantsOf('user')).toEqual([]);
    expect(await client.keys('*')).toEqual(expect.arrayContaining(['{other}:grant:g', '{other}:user:user']));
  });

  test('about a user does not fill up with logins that have expired (attack 226)', async () => {
    await store.put('long', grant());
    for (let n = 0; n < 20; n += 1) await store.put(`short ${n}`, grant({ expiresAt: Date.now() + 1 }));
    while ((await client.dbSize()) > 2) await nextTurn();
    await store.put('g', grant({ expiresAt: Date.now() + 2 * HOUR }));
    expect(await client.zRange('clinician:user:user', 0, -1)).toEqual(['long', 'g']);
  });

  test('outlives nothing that lasts longer: the index ends with the last of the grants', async () => {
    await store.put('long', grant());
    await store.put('short', grant({ expiresAt: Date.now() + 1_000 }));
    await redis.pass(2_000);
    expect(await store.grantsOf('user')).toEqual(['long']);
  });

  test('comes back as text from a client that was told to give bytes', async () => {
    const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    const asText = new RedisTokenStore({ client: bytes });
    await asText.put('g', grant({ sealed: 'text' }));
    expect(await asText.get('g')).toMatchObject({ userKey: 'user', sealed: 'text', version: 1 });
    expect(await asText.grantsOf('user')).toEqual(['g']);
  });

  test('may have a life without end', async () => {
    await store.put('g', grant({ expiresAt: Number.POSITIVE_INFINITY }));
    expect(await store.get('g')).toMatchObject({ expiresAt: Number.POSITIVE_INFINITY });
    expect(await store.lock('g', Number.POSITIVE_INFINITY)).toBeDefined();
  });
});

describe('a Redis that is not there', () => {
  const verbs: [string, (store: TokenStore) => Promise<unknown>][] = [
    ['get', (store) => store.get('g')],
    ['put', (store) => store.put('g', grant())],
    ['swap', (store) => store.swap('g', 1, grant())],
    ['delete', (store) => store.delete('g')],
    ['grantsOf', (store) => store.grantsOf('user')],
    ['lock', (store) => store.lock('g', 1_000)],
  ];

  test('is a retryable error at once, for every verb; when it is back, everything is as it was', async () => {
    await store.put('g', grant());
    const lock = await store.lock('other', 30_000);
    await redis.stop();
    while (client.isReady) await nextTurn();
    const began = performance.now();
    for (const [, verb] of verbs) await expect(verb(store)).rejects.toEqual(unavailable);
    await expect(lock?.release()).rejects.toEqual(unavailable);
    expect(performance.now() - began).toBeLessThan(1_000);
    await redis.start();
    while (!client.isReady) await nextTurn();
    expect(await store.get('g')).toMatchObject({ sealed: 'sealed', version: 1 });
    expect(await store.grantsOf('user')).toEqual(['g']);
  });

  test('but whose connections are open is a retryable error within the time limit, for every verb', async () => {
    redis.freeze();
    try {
      const began = performance.now();
      await Promise.all(verbs.map(([, verb]) => expect(verb(store)).rejects.toEqual(unavailable)));
      expect(performance.now() - began).toBeGreaterThanOrEqual(190);
      expect(performance.now() - began).toBeLessThan(1_500);
    } finally {
      redis.thaw();
    }
  });

  test('and carries a lock out when nobody waits for it any more: the lock is given back', async () => {
    redis.freeze();
    await expect(store.lock('g', 30_000)).rejects.toEqual(unavailable);
    redis.thaw();
    let lock = await store.lock('g', 30_000);
    for (let tries = 0; lock === undefined && tries < 1_000; tries += 1) lock = await store.lock('g', 30_000);
    expect(lock).toBeDefined();
  });

  test('does not carry out later what waited in the queue of the client', async () => {
    const silent = new RedisTokenStore({ client: unready(client), timeout: 50 });
    await redis.stop();
    while (client.isReady) await nextTurn();
    await expect(silent.put('late', grant())).rejects.toEqual(unavailable);
    await redis.start();
    while (!client.isReady) await nextTurn();
    expect(await store.get('late')).toBeUndefined();
  });
});

/** The client, saying nothing of whether it has a connection, as a pool of clients does. */
function unready(client: RedisClientType): RedisClientType {
  return new Proxy(client, {
    get(target, name) {
      if (name === 'isReady') return undefined;
      const member = Reflect.get(target, name, target) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('the options', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'option_missing'],
    ['no client', {}, 'option_missing'],
    ['a URL instead of a client', { client: 'redis://127.0.0.1' }, 'option_missing'],
    ['a near miss', { client: { eval: () => undefined }, keyPrefix: 'x' }, 'option_unknown'],
    ['a time limit of nothing', { client: { eval: () => undefined }, timeout: 0 }, 'option_invalid'],
    ['a time limit that is none', { client: { eval: () => undefined }, timeout: Number.NaN }, 'option_invalid'],
  ])('that are wrong stop the start with a sentence: %s', (_, options, code) => {
    expect(() => new RedisTokenStore(options as never)).toThrow(expect.objectContaining({ code, remedy: 'fix_code' }));
  });
});
