import { startRedisCluster } from '../contracts/redis-cluster.js';
import { startRedisWithSentinel } from '../contracts/redis-sentinel.js';
import { type ServerProcess, startRedis } from '../contracts/redis-server.js';

/** How long a killed master is missing before the replica takes over. */
const FAILOVER_AFTER_MS = 2_000;

/** The Redis of a deployment. */
export interface RedisUnderTest {
  kind: string;
  /** The REDIS_URL of the site. */
  url: string;
  /** The only server, or a master that has a replica. */
  master: Pick<ServerProcess, 'kill' | 'start'>;
  /** Suspends every server, or resumes it. */
  freeze(): void;
  thaw(): void;
  dispose(): Promise<void>;
}

export async function oneServer(): Promise<RedisUnderTest> {
  const redis = await startRedis();
  return { kind: 'one server', master: redis, ...redis };
}

/** Starts a Cluster. */
export async function clusterUnderTest(): Promise<RedisUnderTest> {
  const { urls, firstMaster: master, nodes, dispose } = await startRedisCluster(FAILOVER_AFTER_MS);
  return { kind: 'Cluster', url: urls.join(','), master, ...together(nodes), dispose };
}

/** Starts a master with a replica and a Sentinel. */
export async function sentinelUnderTest(): Promise<RedisUnderTest> {
  const { name, sentinel, master, replica, dispose } = await startRedisWithSentinel(FAILOVER_AFTER_MS);
  const url = `${sentinel.url}?sentinel=${name}`;
  return { kind: 'Sentinel', url, master, ...together([sentinel, master, replica]), dispose };
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
