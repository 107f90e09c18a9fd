import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { testTokenStore } from 'passport-clinician/testing';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS, STANDALONE_CLIENTS } from './redis-clients.js';
import { type RedisCluster, startRedisCluster, until } from './redis-cluster.js';
import { type RedisWithSentinel, startRedisWithSentinel } from './redis-sentinel.js';
import { type RedisServer, type ServerProcess, startRedis } from './redis-server.js';

/** Set where valkey-server is installed. */
const { VALKEY_SERVER } = process.env;

/** All clients are tested at the same time, also on a slow machine. */
const TIMEOUT_MS = 15_000;

async function testClient({ client, close }: ConnectedClient): Promise<void> {
  try {
    await testTokenStore(new RedisTokenStore({ client, timeout: TIMEOUT_MS }));
  } finally {
    await close();
  }
}

/** Connects each client, suspends the servers, and expects each method to fail. Then the servers reply again. */
async function expectTimeLimits<S>(
  clients: Readonly<Record<string, (servers: S) => Promise<ConnectedClient>>>,
  servers: S,
  processes: readonly ServerProcess[],
): Promise<void> {
  const connected = await Promise.all(Object.values(clients).map((connect) => connect(servers)));
  const stores = connected.map(({ client }) => new RedisTokenStore({ client, timeout: 1_000 }));
  const grant = { userKey: 'user', sealed: 'sealed', version: 1, expiresAt: Date.now() + 60_000 };
  const calls = (store: RedisTokenStore) => [
    store.get('g'),
    store.put('g', grant),
    store.swap('g', 1, grant),
    store.delete('g'),
    store.grantsOf('user'),
    store.lock('g', 1_000),
  ];
  for (const server of processes) server.freeze();
  try {
    const results = await Promise.all(stores.flatMap((store) => calls(store).map((call) => call.catch(codeOf))));
    expect(new Set(results)).toEqual(new Set(['token_store_unavailable']));
  } finally {
    for (const server of processes) server.thaw();
  }
  for (const store of stores) await until(async () => Array.isArray(await store.grantsOf('user').catch(codeOf)));
  await Promise.all(connected.map(({ close }) => close()));
}

const codeOf = (error: { code?: string }) => error.code;

describe('RedisTokenStore complies with the rules of a token store, with', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  test.concurrent.each(Object.entries(STANDALONE_CLIENTS))('%s', async (_, connect) => {
    await testClient(await connect(server));
  });

  test.concurrent('the option prefix', async () => {
    const client = await server.client();
    await testTokenStore(new RedisTokenStore({ client, prefix: '{site}:', timeout: TIMEOUT_MS }));
  });

  test('each client, and fails within the time limit while the server is paused', async () => {
    await expectTimeLimits(STANDALONE_CLIENTS, server, [server]);
  });
});

describe('on a Cluster, RedisTokenStore complies with the rules of a token store, with', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.dispose());

  test.concurrent.each(Object.entries(CLUSTER_CLIENTS))('%s', async (_, connect) => {
    await testClient(await connect(cluster));
  });

  test('each client, and fails within the time limit while all nodes are paused', async () => {
    await expectTimeLimits(CLUSTER_CLIENTS, cluster, cluster.nodes);
  });
});

describe('with Sentinel, RedisTokenStore complies with the rules of a token store, with', () => {
  let servers: RedisWithSentinel;
  beforeAll(async () => {
    servers = await startRedisWithSentinel();
  });
  afterAll(() => servers.dispose());

  test.concurrent.each(Object.entries(SENTINEL_CLIENTS))('%s', async (_, connect) => {
    await testClient(await connect(servers));
  });

  test('each client, and fails within the time limit while all servers are paused', async () => {
    await expectTimeLimits(SENTINEL_CLIENTS, servers, [servers.master, servers.replica, servers.sentinel]);
  });
});

if (VALKEY_SERVER) {
  describe('on Valkey, RedisTokenStore complies with the rules of a token store, with', () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis([], VALKEY_SERVER);
    });
    afterAll(() => server.dispose());

    test.concurrent.each(Object.entries(STANDALONE_CLIENTS))('%s', async (_, connect) => {
      await testClient(await connect(server));
    });
  });
}
