import { expect, test } from '@jest/globals';
import IORedis from 'ioredis';
import { RedisTokenStore } from 'passport-clinician/redis';
import { createCluster } from 'redis';
import { type ConnectedClient, ioredis, nodeRedis } from '../contracts/redis-clients.js';
import { commands, startRedisCluster, until } from '../contracts/redis-cluster.js';
import type { ServerProcess } from '../contracts/redis-server.js';

const TIMEOUT_MS = 60_000;
/** In a slot of the first master of the Cluster, which has the replica. */
const PREFIX = '{b}:';

type Get = (key: string) => Promise<unknown>;

/** Reads other keys until the client has sent one of the reads to the replica. Then it reads grants. */
async function expectNoGrantsFrom(replica: ServerProcess, { client, close }: ConnectedClient): Promise<void> {
  const run = commands(replica);
  const statistics = () => run('INFO', 'commandstats');
  const { get } = client as unknown as { get: Get };
  const keys = Array.from({ length: 100 }, (_, n) => `key ${n}`);
  await run('CONFIG', 'RESETSTAT');
  await until(async () => {
    await Promise.all(keys.map((key) => get.call(client, key)));
    return (await statistics()).includes('cmdstat_get:');
  });
  const store = new RedisTokenStore({ client, prefix: PREFIX, timeout: TIMEOUT_MS });
  const grant = { userKey: 'user', sealed: 'sealed', version: 1, expiresAt: Date.now() + 3_600_000 };
  await Promise.all(keys.map((key) => store.put(key, grant)));
  const read = await Promise.all(keys.map((key) => store.get(key)));
  expect(read).toEqual(keys.map(() => expect.objectContaining({ sealed: 'sealed' })));
  expect(await statistics()).not.toMatch(/cmdstat_(?:hmget|eval):/);
  await close();
}

test('a client that sends plain reads to the replicas of a Cluster reads grants from the masters', async () => {
  const { firstMaster, nodes, dispose } = await startRedisCluster();
  const replica = nodes.at(-1) as ServerProcess;
  try {
    // CLUSTER SLOTS lists a replica after its first write.
    await commands(firstMaster)('SET', `${PREFIX}key`, '1');
    await until(async () => (await commands(firstMaster)('CLUSTER', 'SLOTS')).includes(String(replica.port)));
    const rootNodes = [{ url: firstMaster.url }];
    await expectNoGrantsFrom(replica, await nodeRedis(createCluster({ rootNodes, useReplicas: true })));
    await expectNoGrantsFrom(replica, await ioredis(new IORedis.Cluster([firstMaster.url], { scaleReads: 'slave' })));
  } finally {
    await dispose();
  }
});
