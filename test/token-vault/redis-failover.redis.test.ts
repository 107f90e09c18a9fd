import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS } from '../contracts/redis-clients.js';
import { commands, startRedisCluster, until } from '../contracts/redis-cluster.js';
import { startRedisWithSentinel } from '../contracts/redis-sentinel.js';
import type { ServerProcess } from '../contracts/redis-server.js';

/** In a slot of the first master of the Cluster, which is killed. */
const PREFIX = '{b}:';
/** No server takes over by itself: a master that only stops for some seconds, on a busy machine, remains the master. */
const NEVER_MS = 3_600_000;

interface Failover {
  /** One of each package. */
  clients: readonly ConnectedClient[];
  master: ServerProcess;
  replica: ServerProcess;
  /** Makes the replica the master. */
  promote(): Promise<void>;
  dispose(): Promise<void>;
}

async function clusterFailover(): Promise<Failover> {
  const cluster = await startRedisCluster(NEVER_MS);
  const { firstMaster: master, nodes } = cluster;
  const replica = nodes.at(-1) as ServerProcess;
  const names = ['createCluster() of redis 6', 'new Cluster() of ioredis 6'];
  const clients = await Promise.all(names.map((name) => CLUSTER_CLIENTS[name]?.(cluster) as Promise<ConnectedClient>));
  const promote = async () => void (await commands(replica)('CLUSTER', 'FAILOVER', 'TAKEOVER'));
  return { clients, master, replica, promote, dispose: () => cluster.dispose() };
}

async function sentinelFailover(): Promise<Failover> {
  const servers = await startRedisWithSentinel(NEVER_MS);
  const { master, replica, sentinel } = servers;
  const names = ['createSentinel() of redis 6', 'new Redis({ sentinels }) of ioredis 6'];
  const clients = await Promise.all(names.map((name) => SENTINEL_CLIENTS[name]?.(servers) as Promise<ConnectedClient>));
  const run = (command: string) => commands(sentinel)('SENTINEL', command, servers.name);
  // The Sentinel refuses while a failover is in progress, and without a recent reply of the replica.
  const isPromoted = async () => {
    await run('FAILOVER').catch(() => undefined);
    return (await run('GET-MASTER-ADDR-BY-NAME')).includes(String(replica.port));
  };
  return { clients, master, replica, promote: () => until(isPromoted), dispose: () => servers.dispose() };
}

/** @returns the result, repeating the call while the store is unavailable. Any other error is thrown. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      expect(error).toMatchObject({ code: 'token_store_unavailable', retryable: true });
      await sleep(50);
    }
  }
}

test.each([
  ['of a Cluster', clusterFailover],
  ['with a Sentinel', sentinelFailover],
])('after SIGKILL of a master %s each client uses the replica that takes over', async (_, start) => {
  const { clients, master, replica, promote, dispose } = await start();
  const grant = (version: number) => ({ userKey: 'user', sealed: 's', version, expiresAt: Date.now() + NEVER_MS });
  try {
    const stores = clients.map(({ client }) => new RedisTokenStore({ client, prefix: PREFIX, timeout: 1_000 }));
    await stores[0]?.put('g', grant(1));
    await until(async () => Number(await commands(replica)('DBSIZE')) === Number(await commands(master)('DBSIZE')));
    await master.kill();
    for (const store of stores) await expect(store.get('g')).rejects.toMatchObject({ code: 'token_store_unavailable' });
    await promote();
    for (const [index, store] of stores.entries()) {
      expect(await eventually(() => store.swap('g', index + 1, grant(index + 2)))).toBe(true);
      expect(await eventually(() => store.get('g'))).toMatchObject({ version: index + 2 });
    }
  } finally {
    await Promise.all(clients.map(({ close }) => close()));
    await dispose();
  }
});
