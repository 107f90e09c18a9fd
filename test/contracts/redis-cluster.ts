import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { freePort } from '../helpers.js';
import { type ServerProcess, serverProcess } from './redis-server.js';

/** A Redis Cluster of three masters, the first with a replica, which becomes master some time after its master is killed. */
export interface RedisCluster {
  /** The URLs of all nodes, for `createCluster()` and `new Cluster()`. */
  readonly urls: readonly string[];
  readonly nodes: readonly ServerProcess[];
  /** The master that has a replica. It serves the hash slots 0 to 5460. */
  readonly firstMaster: ServerProcess;
  dispose(): Promise<void>;
}

const SLOTS = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
];

/** @param failoverAfterMs how long a node may not respond: on a machine under load a node may take seconds */
export async function startRedisCluster(failoverAfterMs = 10_000): Promise<RedisCluster> {
  const nodes = await Promise.all(
    [...SLOTS, undefined].map(async () => {
      const busPort = await freePort();
      const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
      const data = ['--repl-diskless-sync-delay', '0', '--appendonly', 'yes'];
      const node = await serverProcess([...cluster, '--cluster-node-timeout', String(failoverAfterMs), ...data]);
      await node.start();
      return { ...node, busPort, run: commands(node) };
    }),
  );
  const [first, , , replica] = nodes as [Node, Node, Node, Node];
  for (const [index, range] of SLOTS.entries()) {
    await nodes[index]?.run('CLUSTER', 'ADDSLOTSRANGE', ...range.map(String));
    await nodes[index]?.run('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const node of nodes.slice(1)) {
    await node.run('CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(first.busPort));
  }
  const isReady = async (node: Node) => {
    const info = await node.run('CLUSTER', 'INFO');
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
  };
  await until(async () => (await Promise.all(nodes.map(isReady))).every(Boolean));
  await replica.run('CLUSTER', 'REPLICATE', await first.run('CLUSTER', 'MYID'));
  await until(async () => (await replica.run('INFO', 'replication')).includes('master_link_status:up'));
  return {
    urls: nodes.map(({ url }) => url),
    nodes,
    firstMaster: first,
    dispose: async () => void (await Promise.all(nodes.map((node) => node.dispose()))),
  };
}

type Node = ServerProcess & { busPort: number; run: (...command: string[]) => Promise<string> };

/** Its duplicates share its commands: createClient() compiles all of them, which takes 50 ms of processor time. */
const template = createClient({ RESP: 2 });

/** @returns a function that runs a command on one server, which may be a node of a Cluster or a Sentinel. */
export function commands({ url }: { url: string }): (...command: string[]) => Promise<string> {
  return async function run(...command) {
    const client = template.duplicate({ url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return String(await client.sendCommand(command));
    } finally {
      client.destroy();
    }
  };
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}
