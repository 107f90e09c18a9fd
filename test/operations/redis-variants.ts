import { startRedisCluster } from '../contracts/redis-cluster.js';
import { startRedisWithSentinel } from '../contracts/redis-sentinel.js';
import type { ServerProcess } from '../contracts/redis-server.js';
import type { RedisUnderTest } from './scenarios.js';

/** Starts a Cluster. `kill` ends the master that has a replica. */
export async function clusterUnderTest(): Promise<RedisUnderTest> {
  const cluster = await startRedisCluster();
  const { firstMaster, nodes } = cluster;
  return {
    url: cluster.urls.join(','),
    kill: () => firstMaster.kill(),
    start: () => firstMaster.start(),
    ...together(nodes),
    dispose: () => cluster.dispose(),
  };
}

/** Starts a master with a replica and a Sentinel. */
export async function sentinelUnderTest(): Promise<RedisUnderTest> {
  const servers = await startRedisWithSentinel();
  const { name, sentinel, master, replica } = servers;
  return {
    url: `${sentinel.url}?sentinel=${name}`,
    kill: () => master.kill(),
    start: () => master.start(),
    ...together([sentinel, master, replica]),
    dispose: () => servers.dispose(),
  };
}

function together(servers: readonly ServerProcess[]): Pick<RedisUnderTest, 'freeze' | 'thaw'> {
  return {
    freeze() {
      for (const server of servers) server.freeze();
    },
    thaw() {
      for (const server of servers) server.thaw();
    },
  };
}
