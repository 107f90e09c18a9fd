import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RedisClient, RedisTokenStore } from 'passport-clinician/redis';
import { testTokenStore } from 'passport-clinician/testing';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS, STANDALONE_CLIENTS } from './redis-clients.js';
import { startRedisCluster, until } from './redis-cluster.js';
import { startRedisWithSentinel } from './redis-sentinel.js';
import { type ServerProcess, startRedis } from './redis-server.js';

/** All clients are tested at the same time, also on a slow machine. */
const TIMEOUT_MS = 15_000;
const SHORT_MS = 1_000;
/** For calls that end after `SHORT_MS`, also on a slow machine. */
const SOON_MS = 20_000;

interface Deployment<S> {
  clients: Readonly<Record<string, (servers: S) => Promise<ConnectedClient>>>;
  start: () => Promise<S>;
  /** The servers that are suspended. */
  processes: (servers: S) => readonly ServerProcess[];
}

const codeOf = (error: { code?: string }) => error.code;

function describeStores<S extends { dispose(): Promise<void> }>(name: string, deployment: Deployment<S>): void {
  const { clients, start, processes } = deployment;

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

    test('each client, and fails within the time limit while all servers are paused', async () => {
      const stores = Object.values(connected).map(({ client }) => new RedisTokenStore({ client, timeout: SHORT_MS }));
      const grant = { userKey: 'user', sealed: 'sealed', version: 1, expiresAt: Date.now() + 60_000 };
      const calls = (store: RedisTokenStore) => [
        store.get('g'),
        store.put('g', grant),
        store.swap('g', 1, grant),
        store.delete('g'),
        store.grantsOf('user'),
        store.lock('g', 1_000),
      ];
      for (const server of processes(servers)) server.freeze();
      try {
        const began = performance.now();
        const results = await Promise.all(stores.flatMap((store) => calls(store).map((call) => call.catch(codeOf))));
        expect(new Set(results)).toEqual(new Set(['token_store_unavailable']));
        expect(performance.now() - began).toBeLessThan(SOON_MS);
      } finally {
        for (const server of processes(servers)) server.thaw();
      }
      for (const store of stores) await until(async () => Array.isArray(await store.grantsOf('user').catch(codeOf)));
    });
  });
}

describeStores('on one server', {
  clients: STANDALONE_CLIENTS,
  start: () => startRedis(),
  processes: (server) => [server],
});

describeStores('on a Cluster', {
  clients: CLUSTER_CLIENTS,
  start: () => startRedisCluster(),
  processes: ({ nodes }) => nodes,
});

describeStores('with Sentinel', {
  clients: SENTINEL_CLIENTS,
  start: () => startRedisWithSentinel(),
  processes: ({ master, replica, sentinel }) => [master, replica, sentinel],
});
