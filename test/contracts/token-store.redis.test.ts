import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { testTokenStore } from 'passport-clinician/testing';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS, STANDALONE_CLIENTS } from './redis-clients.js';
import { type RedisCluster, startRedisCluster } from './redis-cluster.js';
import { type RedisWithSentinel, startRedisWithSentinel } from './redis-sentinel.js';
import { type RedisServer, startRedis } from './redis-server.js';

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
