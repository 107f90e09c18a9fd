import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RedisClient, RedisTokenStore } from 'passport-clinician/redis';
import { testTokenStore } from 'passport-clinician/testing';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS, STANDALONE_CLIENTS } from './redis-clients.js';
import { type RedisCluster, startRedisCluster, until } from './redis-cluster.js';
import { type RedisWithSentinel, startRedisWithSentinel } from './redis-sentinel.js';
import { type RedisServer, type ServerProcess, startRedis } from './redis-server.js';

/** Set where valkey-server is installed. */
const { VALKEY_SERVER } = process.env;

/** All clients are tested at the same time, also on a slow machine. */
const TIMEOUT_MS = 15_000;
const SHORT_MS = 1_000;
/** For calls that end after `SHORT_MS`, also on a slow machine. */
const SOON_MS = 20_000;

type Clients<S> = Readonly<Record<string, (servers: S) => Promise<ConnectedClient>>>;

/** Connects each client once: a client of node-redis takes 50 ms of processor time. */
async function connectAll<S>(clients: Clients<S>, servers: S): Promise<Map<string, ConnectedClient>> {
  const connected = Object.entries(clients).map(async ([name, connect]) => [name, await connect(servers)] as const);
  return new Map(await Promise.all(connected));
}

async function testClient(connected: ConnectedClient | undefined): Promise<void> {
  await testTokenStore(new RedisTokenStore({ client: connected?.client as RedisClient, timeout: TIMEOUT_MS }));
}

/** Suspends the servers, and expects each method to fail soon. Then the servers reply again. */
async function expectTimeLimits(
  connected: Iterable<ConnectedClient>,
  processes: readonly ServerProcess[],
): Promise<void> {
  const stores = [...connected].map(({ client }) => new RedisTokenStore({ client, timeout: SHORT_MS }));
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
    const began = performance.now();
    const results = await Promise.all(stores.flatMap((store) => calls(store).map((call) => call.catch(codeOf))));
    expect(new Set(results)).toEqual(new Set(['token_store_unavailable']));
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  } finally {
    for (const server of processes) server.thaw();
  }
  for (const store of stores) await until(async () => Array.isArray(await store.grantsOf('user').catch(codeOf)));
}

const codeOf = (error: { code?: string }) => error.code;

describe('RedisTokenStore complies with the rules of a token store, with', () => {
  let server: RedisServer;
  let connected: Map<string, ConnectedClient>;
  beforeAll(async () => {
    server = await startRedis();
    connected = await connectAll(STANDALONE_CLIENTS, server);
  });
  afterAll(async () => {
    for (const { close } of connected.values()) await close();
    await server.dispose();
  });

  test.concurrent.each(Object.keys(STANDALONE_CLIENTS))('%s', async (name) => {
    await testClient(connected.get(name));
  });

  test.concurrent('the option prefix', async () => {
    const client = await server.client();
    await testTokenStore(new RedisTokenStore({ client, prefix: '{site}:', timeout: TIMEOUT_MS }));
  });

  test('each client, and fails within the time limit while the server is paused', async () => {
    await expectTimeLimits(connected.values(), [server]);
  });
});

describe('on a Cluster, RedisTokenStore complies with the rules of a token store, with', () => {
  let cluster: RedisCluster;
  let connected: Map<string, ConnectedClient>;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    connected = await connectAll(CLUSTER_CLIENTS, cluster);
  });
  afterAll(async () => {
    for (const { close } of connected.values()) await close();
    await cluster.dispose();
  });

  test.concurrent.each(Object.keys(CLUSTER_CLIENTS))('%s', async (name) => {
    await testClient(connected.get(name));
  });

  test('each client, and fails within the time limit while all nodes are paused', async () => {
    await expectTimeLimits(connected.values(), cluster.nodes);
  });
});

describe('with Sentinel, RedisTokenStore complies with the rules of a token store, with', () => {
  let servers: RedisWithSentinel;
  let connected: Map<string, ConnectedClient>;
  beforeAll(async () => {
    servers = await startRedisWithSentinel();
    connected = await connectAll(SENTINEL_CLIENTS, servers);
  });
  afterAll(async () => {
    for (const { close } of connected.values()) await close();
    await servers.dispose();
  });

  test.concurrent.each(Object.keys(SENTINEL_CLIENTS))('%s', async (name) => {
    await testClient(connected.get(name));
  });

  test('each client, and fails within the time limit while all servers are paused', async () => {
    await expectTimeLimits(connected.values(), [servers.master, servers.replica, servers.sentinel]);
  });
});

if (VALKEY_SERVER) {
  describe('on Valkey, RedisTokenStore complies with the rules of a token store, with', () => {
    let server: RedisServer;
    let connected: Map<string, ConnectedClient>;
    beforeAll(async () => {
      server = await startRedis([], VALKEY_SERVER);
      connected = await connectAll(STANDALONE_CLIENTS, server);
    });
    afterAll(async () => {
      for (const { close } of connected.values()) await close();
      await server.dispose();
    });

    test.concurrent.each(Object.keys(STANDALONE_CLIENTS))('%s', async (name) => {
      await testClient(connected.get(name));
    });
  });
}
