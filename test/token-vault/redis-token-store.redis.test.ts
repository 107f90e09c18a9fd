import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type RedisClient, RedisTokenStore } from 'passport-clinician/redis';
import { RESP_TYPES, type RedisClientType } from 'redis';
import type { StoredGrant, TokenStore } from '../../lib/token-vault/token-store.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { nextTurn } from './vault-under-test.js';

const unavailable = expect.objectContaining({ code: 'token_store_unavailable', status: 503, retryable: true });
const HOUR = 3_600_000;
/** A store that waits for its time limit exceeds that of the test. */
const LONG_MS = 150_000;
/** For a Redis that is suspended. */
const SHORT_MS = 1_000;
/** For what takes a second at most, also on a slow machine. */
const SOON_MS = 20_000;
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
  store = new RedisTokenStore({ client, timeout: LONG_MS });
});
afterAll(() => redis.dispose());

describe('stored data', () => {
  test('expires: the grant, the index of the user and the lock', async () => {
    await store.put('g', grant());
    await store.swap('g', 1, grant({ version: 2 }));
    await store.lock('g', 30_000);
    const keys = await client.keys('*');
    expect(keys.sort()).toEqual([
      'clinician:{tokens}:grant:g',
      'clinician:{tokens}:lock:g',
      'clinician:{tokens}:user:user',
    ]);
    for (const key of keys) expect(await client.pTTL(key)).toBeGreaterThan(0);
  });

  test('is the same when the client sends each command twice', async () => {
    const twice = new RedisTokenStore({ client: repeating(client), timeout: LONG_MS });
    await twice.put('g', grant());
    expect(await twice.swap('g', 1, grant({ version: 2, sealed: 'new' }))).toBe(true);
    expect(await twice.swap('g', 1, grant({ version: 2, sealed: 'other' }))).toBe(false);
    const lock = await twice.lock('g', 30_000);
    expect(lock).toBeDefined();
    expect(await twice.lock('g', 30_000)).toBeUndefined();
    await lock?.release();
    expect(await store.get('g')).toMatchObject({ version: 2, sealed: 'new' });
    expect(await store.lock('g', 30_000)).toBeDefined();
    await twice.delete('g');
    expect(await store.grantsOf('user')).toEqual([]);
  });

  test('of one prefix is not visible to a store with another prefix', async () => {
    const other = new RedisTokenStore({ client, prefix: '{other}:', timeout: LONG_MS });
    await other.put('g', grant());
    expect(await store.get('g')).toBeUndefined();
    expect(await store.grantsOf('user')).toEqual([]);
    expect((await client.keys('*')).sort()).toEqual(['{other}:{tokens}:grant:g', '{other}:{tokens}:user:user']);
  });

  test('of an instance has its own hash tag', async () => {
    const one = store.forInstance?.('one') as TokenStore;
    await one.put('g', grant());
    await one.lock('g', 30_000);
    expect((await client.keys('*')).sort()).toEqual([
      'clinician:{one}:grant:g',
      'clinician:{one}:lock:g',
      'clinician:{one}:user:user',
    ]);
  });

  test('of an instance keeps the time limit and the clock of its store', async () => {
    const silent = { eval: () => new Promise<never>(() => undefined), isOpen: true, isReady: true };
    const slow = new RedisTokenStore({ client: silent, timeout: 50 }).forInstance('one');
    await expect(slow.get('g')).rejects.toEqual(unavailable);
    const past = new RedisTokenStore({ client, timeout: LONG_MS, clock: { now: () => 4e12 } }).forInstance('one');
    await past.put('g', grant());
    expect(await past.get('g')).toBeUndefined();
  });

  test('of a user does not grow with expired logins', async () => {
    const live = Array.from({ length: 100 }, (_, n) => `live ${n}`);
    for (const id of live) await store.put(`short ${id}`, grant({ expiresAt: Date.now() + 1 }));
    while ((await client.keys('*:grant:*')).length > 0) await nextTurn();
    for (const id of live) await store.put(id, grant());
    expect((await store.grantsOf('user')).sort()).toEqual(live.sort());
    expect(await client.zCard('clinician:{tokens}:user:user')).toBe(live.length);
  });

  test('includes the index of a user until the last grant expires', async () => {
    await store.put('long', grant());
    await store.put('short', grant({ expiresAt: Date.now() + 60_000 }));
    await redis.advance(60_000);
    expect(await store.grantsOf('user')).toEqual(['long']);
  });

  test('is returned as strings by a client with a Buffer type mapping', async () => {
    const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    const asText = new RedisTokenStore({ client: bytes, timeout: LONG_MS });
    await asText.put('g', grant({ sealed: 'text' }));
    expect(await asText.get('g')).toMatchObject({ userKey: 'user', sealed: 'text', version: 1 });
    expect(await asText.grantsOf('user')).toEqual(['g']);
  });
});

describe('an unreachable Redis', () => {
  const methods: [string, (store: TokenStore) => Promise<unknown>][] = [
    ['get', (store) => store.get('g')],
    ['put', (store) => store.put('g', grant())],
    ['swap', (store) => store.swap('g', 1, grant())],
    ['delete', (store) => store.delete('g')],
    ['grantsOf', (store) => store.grantsOf('user')],
    ['lock', (store) => store.lock('g', 1_000)],
  ];

  test('makes every method fail at once with a retryable error, and loses no data', async () => {
    await store.put('g', grant());
    const lock = await store.lock('other', 30_000);
    await redis.stop();
    while (client.isReady) await nextTurn();
    const began = performance.now();
    for (const [, method] of methods) await expect(method(store)).rejects.toEqual(unavailable);
    await expect(lock?.release()).rejects.toEqual(unavailable);
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    await redis.start();
    while (!client.isReady) await nextTurn();
    expect(await store.get('g')).toMatchObject({ sealed: 'sealed', version: 1 });
    expect(await store.grantsOf('user')).toEqual(['g']);
  });

  test('with open connections makes every method fail within the time limit', async () => {
    const limited = new RedisTokenStore({ client, timeout: SHORT_MS });
    redis.freeze();
    try {
      const began = performance.now();
      await Promise.all(methods.map(([, method]) => expect(method(limited)).rejects.toEqual(unavailable)));
      expect(performance.now() - began).toBeGreaterThanOrEqual(SHORT_MS - 10);
      expect(performance.now() - began).toBeLessThan(SOON_MS);
    } finally {
      redis.thaw();
    }
  });

  test('that executes a lock command after its time limit has that lock released', async () => {
    const limited = new RedisTokenStore({ client, timeout: SHORT_MS });
    redis.freeze();
    await expect(limited.lock('g', 30_000)).rejects.toEqual(unavailable);
    redis.thaw();
    let lock = await store.lock('g', 30_000);
    for (let attempt = 0; lock === undefined && attempt < 1_000; attempt += 1) lock = await store.lock('g', 30_000);
    expect(lock).toBeDefined();
  });

  test('does not execute a queued command after the time limit', async () => {
    const pool = new RedisTokenStore({ client: unready(client), timeout: 50 });
    await redis.stop();
    while (client.isReady) await nextTurn();
    await expect(pool.put('late', grant())).rejects.toEqual(unavailable);
    await redis.start();
    while (!client.isReady) await nextTurn();
    expect(await store.get('late')).toBeUndefined();
  });
});

/** @returns the client, sending each command twice: so does a client that has lost the connection before the reply. */
function repeating(client: RedisClientType): RedisClient {
  return {
    isOpen: true,
    isReady: true,
    async eval(script: string, options: { keys: string[]; arguments: string[] }) {
      await client.eval(script, options);
      return await client.eval(script, options);
    },
  } as RedisClient;
}

/** @returns the client without `isReady`, as a client pool has none. */
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
  const client = { eval: () => undefined, isOpen: true, isReady: true };
  test.each<[string, unknown, string]>([
    ['a URL instead of a client', { client: 'redis://127.0.0.1' }, 'option_invalid'],
    ['a client of another package', { client: { eval: () => undefined, get: () => undefined } }, 'option_invalid'],
    ['the client of createCluster() of version 4', { client: { eval() {}, isOpen: true } }, 'option_invalid'],
    ['a pipeline of ioredis', { client: { eval() {}, defineCommand() {}, isPipeline: true } }, 'option_invalid'],
    ['a time limit that is not a number', { client, timeout: Number.NaN }, 'option_invalid'],
    ['a prefix that prevents hash tags', { client, prefix: 'site{}:' }, 'option_invalid'],
  ])('that are wrong throw a ConfigurationError: %s', (_, options, code) => {
    expect(() => new RedisTokenStore(options as never)).toThrow(expect.objectContaining({ code, remedy: 'fix_code' }));
  });

  test('with another client throw an error that names the functions of both packages', () => {
    const other = { client: { eval: () => undefined } };
    expect(() => new RedisTokenStore(other as never)).toThrow(
      /createClient\(\), createClientPool\(\), createCluster\(\) or createSentinel\(\).* new Redis\(\) or new Cluster\(\)/,
    );
  });
});
