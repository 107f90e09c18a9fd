import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type RedisClient, RedisTokenStore } from 'passport-clinician/redis';
import { testTokenStore } from 'passport-clinician/testing';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS, STANDALONE_CLIENTS } from './redis-clients.js';
import { startRedisCluster } from './redis-cluster.js';
import { startRedisWithSentinel } from './redis-sentinel.js';
import { startRedis } from './redis-server.js';

/** All clients are tested at the same time, also on a slow machine. */
const TIMEOUT_MS = 15_000;

interface Deployment<S> {
  clients: Readonly<Record<string, (servers: S) => Promise<ConnectedClient>>>;
  start: () => Promise<S>;
}

function describeStores<S extends { dispose(): Promise<void> }>(name: string, deployment: Deployment<S>): void {
  const { clients, start } = deployment;

  describe(`${name}, RedisTokenStore complies with the rules of a token store, with`, () => {
    let servers: S;
    /** Connected once: a client of node-redis takes 50 ms of processor time. */
    let connected: Record<string, ConnectedClient>;
    beforeAll(async () => {
      servers = await start();
      const all = Object.entries(clients).map(async ([client, connect]) => [client, await connect(servers)]);
      connected = Object.fromEntries(await Promise.all(all));
    });
    afterAll(async () => {
      for (const { close } of Object.values(connected)) await close();
      await servers.dispose();
    });

    test.concurrent.each(Object.keys(clients))('%s', async (client) => {
      await testTokenStore(
        new RedisTokenStore({ client: connected[client]?.client as RedisClient, timeout: TIMEOUT_MS }),
      );
    });

    test('the option prefix', async () => {
      const [{ client }] = Object.values(connected) as [ConnectedClient];
      await testTokenStore(new RedisTokenStore({ client, prefix: '{site}:', timeout: TIMEOUT_MS }));
    });
  });
}

describeStores('on one server', {
  clients: STANDALONE_CLIENTS,
  start: () => startRedis(),
});

describeStores('on a Cluster', {
  clients: CLUSTER_CLIENTS,
  start: () => startRedisCluster(),
});

describeStores('with Sentinel', {
  clients: SENTINEL_CLIENTS,
  start: () => startRedisWithSentinel(),
});
