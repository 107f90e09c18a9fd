import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { systemClock } from '../../lib/async/clock.js';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS } from '../contracts/redis-clients.js';
import { commands, startRedisCluster, until } from '../contracts/redis-cluster.js';
import { startRedisWithSentinel } from '../contracts/redis-sentinel.js';
import type { ServerProcess } from '../contracts/redis-server.js';
import { type RotatingServer, rotatingServer } from './rotating-server.js';
import { loginOf, type VaultOfTokens, vaultWith } from './vault-under-test.js';

const USERS = 12;
/** In a slot of the first master of the Cluster, which is killed. */
const PREFIX = '{b}:';
/** No server takes over by itself: a master that only stops for some seconds, on a busy machine, remains the master. */
const NEVER_MS = 3_600_000;
/** How long a killed master is missing before the replica takes over. */
const OUTAGE_MS = 1_000;
/** A token is refreshed after half of its lifetime. */
const LIFETIME_MS = 500;
/** The pause between two requests of a user, and before a call is repeated. */
const PAUSE_MS = 100;
const EXPECTED_WHILE_UNAVAILABLE = ['token_store_unavailable', 'refresh_busy'];

interface Failover {
  /** The clients of two processes, one of each package. */
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

/**
 * Kills a master whose replica has all writes that it has confirmed. Redis replicates asynchronously: a write that is lost may end
 * a login (docs/operate/token-stores.md). The commands in progress get no reply.
 */
async function killReplicated(master: ServerProcess, replica: ServerProcess): Promise<void> {
  const offsetOf = async (server: ServerProcess, role: string) =>
    new RegExp(`${role}_repl_offset:(\\d+)`).exec(await commands(server)('INFO', 'replication'))?.[1];
  await commands(master)('CLIENT', 'PAUSE', String(NEVER_MS), 'WRITE');
  await until(async () => (await offsetOf(master, 'master')) === (await offsetOf(replica, 'slave')));
  await master.kill();
}

/** @param onUnsaved called when refreshed tokens are revoked, because they were not saved */
function vaultOn(client: ConnectedClient, server: RotatingServer, onUnsaved: () => void): VaultOfTokens {
  return vaultWith({
    store: new RedisTokenStore({ client: client.client, prefix: PREFIX, timeout: 1_000 }),
    refresh: async (tokens) => {
      await sleep(5);
      return await server.refresh(tokens);
    },
    refreshTimeoutMs: 20_000,
    revoke: async () => onUnsaved(),
  });
}

/** @returns the result, repeating the call while the store is unavailable. Any other error is thrown. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!EXPECTED_WHILE_UNAVAILABLE.includes(code)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Repeats a request with the token that replaces the refused one, as the resource API's client does. A refresh that takes longer than a
 * second ends after the current token was returned, and the server refuses that token then, as it does when the other process has
 * refreshed meanwhile.
 */
async function untilAccepted(vault: VaultOfTokens, grantID: string, server: RotatingServer): Promise<void> {
  let token: string | undefined;
  do {
    token = (await eventually(() => vault.fresh(grantID, token))).tokens.accessToken.reveal();
  } while (!server.accepts(token));
}

test.each([
  ['of a Cluster', clusterFailover],
  ['with a Sentinel', sentinelFailover],
])('SIGKILL of a master %s signs out only users whose refreshed tokens were not saved', async (_, start) => {
  const { clients, master, replica, promote, dispose } = await start();
  try {
    let isKilled = false;
    const hasRefreshed = new Set<number>();
    /** Signs a user in and refreshes the tokens. @returns once the login has ended, because refreshed tokens were not saved */
    const useLogin = async (user: number): Promise<void> => {
      // A separate server: a refresh token that is used twice ends the login.
      const server = rotatingServer({ ...systemClock, advance: () => undefined }, LIFETIME_MS);
      let isUnsaved = false;
      const onUnsaved = () => {
        isUnsaved = true;
      };
      const vaults = clients.map((client) => vaultOn(client, server, onUnsaved));
      const [one] = vaults as [VaultOfTokens];
      const { id: grantID } = await eventually(() => one.add(loginOf(`user ${user}`), server.issue()));
      while (hasRefreshed.size < USERS) {
        const isAfterwards = isKilled;
        const count = server.refreshCount;
        try {
          await Promise.all(vaults.map((vault) => untilAccepted(vault, grantID, server)));
        } catch (error) {
          if (isUnsaved) return;
          throw error;
        }
        if (isAfterwards && server.refreshCount > count) hasRefreshed.add(user);
        // Requests without a pause use the processor that the servers need.
        await sleep(PAUSE_MS);
      }
    };
    const use = async (user: number): Promise<void> => {
      while (hasRefreshed.size < USERS) await useLogin(user);
    };
    const users = Array.from({ length: USERS }, (__, user) => user);
    const running = users.slice(USERS / 2).map(use);
    await sleep(2 * LIFETIME_MS);
    await killReplicated(master, replica);
    isKilled = true;
    running.push(...users.slice(0, USERS / 2).map(use));
    await sleep(OUTAGE_MS);
    await promote();
    await Promise.all(running);
    expect(hasRefreshed.size).toBe(USERS);
  } finally {
    await Promise.all(clients.map(({ close }) => close()));
    await dispose();
  }
});
