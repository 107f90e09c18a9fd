import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import IORedis from 'ioredis';
import { RedisTokenStore } from 'passport-clinician/redis';
import { testTokenStore } from 'passport-clinician/testing';
import { createClient, createCluster, type RedisClientType } from 'redis';
import { root } from '../architecture/imports.js';
import { type ConnectedClient, ioredis, nodeRedis } from '../contracts/redis-clients.js';
import { commands, type RedisCluster, startRedisCluster } from '../contracts/redis-cluster.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';

const DOCUMENTED_USER = /^ACL SETUSER site on >PASSWORD (.*)$/m.exec(
  readFileSync(join(root, 'docs', 'operate', 'token-stores.md'), 'utf8'),
)?.[1];
const grant = { userKey: 'user', sealed: 'sealed', version: 1, expiresAt: Number.POSITIVE_INFINITY };
const refused = (code: string) =>
  expect.objectContaining({
    code: 'token_store_refused',
    status: 500,
    retryable: false,
    message: expect.stringMatching(new RegExp(`^Redis replied ${code}\\. \\S`)),
  });
let master: RedisServer;
let admin: RedisClientType;
const open: ConnectedClient[] = [];
beforeAll(async () => {
  master = await startRedis();
  admin = await master.client();
});
afterAll(async () => {
  await Promise.all(open.map(({ close }) => close()));
  await master.dispose();
});

/** Each package connects to a server. */
const PACKAGES: readonly [name: string, connect: (url: string, username?: string) => Promise<ConnectedClient>][] = [
  ['redis', (url, username) => nodeRedis(createClient({ url, ...credentials(username) }))],
  ['ioredis', (url, username) => ioredis(new IORedis.Redis(url, credentials(username)))],
];

function credentials(username: string | undefined): { username?: string; password?: string } {
  return username === undefined ? {} : { username, password: 'PASSWORD' };
}

async function storeOf(connecting: Promise<ConnectedClient>): Promise<RedisTokenStore> {
  const connected = await connecting;
  open.push(connected);
  return new RedisTokenStore({ client: connected.client, timeout: 15_000 });
}

describe.each(PACKAGES)('with a client of the package %s', (_, connect) => {
  test('the permissions in docs/operate/token-stores.md are enough', async () => {
    await commands(master)('ACL', 'SETUSER', 'site', 'on', '>PASSWORD', ...(DOCUMENTED_USER ?? '').split(' '));
    await testTokenStore(await storeOf(connect(master.url, 'site')));
  });

  test('a missing permission for a command or a key is a refusal', async () => {
    await admin.aclSetUser('reader', ['on', '>PASSWORD', '~clinician:*', '+@all', '-hset']);
    const reader = await storeOf(connect(master.url, 'reader'));
    expect(await reader.get('g')).toBeUndefined();
    await expect(reader.put('g', grant)).rejects.toEqual(refused('NOPERM'));
    await admin.aclSetUser('other', ['on', '>PASSWORD', '~other:*', '+@all']);
    const other = await storeOf(connect(master.url, 'other'));
    await expect(other.get('g')).rejects.toEqual(refused('NOPERM'));
  });
});

describe('a Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.dispose());

  test.each(PACKAGES)('refuses the client of one node of the package %s', async (_, connect) => {
    const store = await storeOf(connect(cluster.urls[0] ?? ''));
    await expect(store.grantsOf('user')).rejects.toEqual(refused('MOVED'));
  });

  test.each<[string, (options: { keyPrefix?: string; user?: string }) => Promise<ConnectedClient>]>([
    [
      'createCluster()',
      ({ keyPrefix, user }) =>
        nodeRedis(
          createCluster({
            rootNodes: cluster.urls.map((url) => ({ url, ...credentials(user) })),
            defaults: credentials(user),
            ...(keyPrefix !== undefined && { keyPrefix }),
          }),
        ),
    ],
    [
      'new Cluster()',
      ({ keyPrefix, user }) =>
        ioredis(
          new IORedis.Cluster([...cluster.urls], {
            redisOptions: credentials(user),
            ...(keyPrefix !== undefined && { keyPrefix }),
          }),
        ),
    ],
  ])('with a key prefix that prevents hash tags, and with the documented user: %s', async (_, connect) => {
    const store = await storeOf(connect({ keyPrefix: '{}' }));
    await expect(store.put('g', grant)).rejects.toEqual(refused('CROSSSLOT'));
    for (const url of cluster.urls) {
      await commands({ url })('ACL', 'SETUSER', 'site', 'on', '>PASSWORD', ...(DOCUMENTED_USER ?? '').split(' '));
    }
    await testTokenStore(await storeOf(connect({ user: 'site' })));
  });
});
