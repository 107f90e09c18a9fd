import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands, until } from './redis-cluster.js';
import { type ServerProcess, serverProcess } from './redis-server.js';

/** A master with a replica and a Sentinel, which makes the replica the master some time after its master is killed. */
export interface RedisWithSentinel {
  /** The name of the master at the Sentinel. */
  readonly name: string;
  readonly sentinel: ServerProcess;
  readonly master: ServerProcess;
  readonly replica: ServerProcess;
  dispose(): Promise<void>;
}

const NAME = 'mymaster';

/** @param failoverAfterMs how long the master may not respond: on a machine under load it may take seconds */
export async function startRedisWithSentinel(failoverAfterMs = 10_000): Promise<RedisWithSentinel> {
  const folder = await mkdtemp(join(tmpdir(), 'sentinel-'));
  const data = ['--repl-diskless-sync-delay', '0', '--appendonly', 'yes'];
  const master = await serverProcess(data);
  await master.start();
  const replica = await serverProcess([...data, '--replicaof', `127.0.0.1 ${master.port}`]);
  await replica.start();
  await until(async () => (await commands(replica)('INFO', 'replication')).includes('master_link_status:up'));
  const file = join(folder, 'sentinel.conf');
  const settings = [
    `monitor ${NAME} 127.0.0.1 ${master.port} 1`,
    `down-after-milliseconds ${NAME} ${failoverAfterMs}`,
    `failover-timeout ${NAME} 5000`,
  ];
  writeFileSync(file, settings.map((setting) => `sentinel ${setting}\n`).join(''));
  const sentinel = await serverProcess([file, '--sentinel']);
  await sentinel.start();
  // The Sentinel learns of the replica from the master, and can fail over only when it is connected to the replica. Until then
  // the flags are `slave,disconnected`.
  await until(async () => (await commands(sentinel)('SENTINEL', 'REPLICAS', NAME)).includes(',flags,slave,link-'));
  return {
    name: NAME,
    sentinel,
    master,
    replica,
    async dispose() {
      await Promise.all([sentinel, replica, master].map((server) => server.dispose()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
