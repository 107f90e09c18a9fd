import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { systemClock } from '../../lib/clock.js';
import { createSealer } from '../../lib/sealer.js';
import { createTokenVault, type TokenVault } from '../../lib/token-vault/token-vault.js';
import { CLUSTER_CLIENTS, type ConnectedClient, SENTINEL_CLIENTS } from '../contracts/redis-clients.js';
import { startRedisCluster } from '../contracts/redis-cluster.js';
import { startRedisWithSentinel } from '../contracts/redis-sentinel.js';
import type { ServerProcess } from '../contracts/redis-server.js';
import {
  deserialize,
  type Pair,
  type RotatingServer,
  rotatingServer,
  type SerializedPair,
  serialize,
} from './rotating-server.js';
import { SECRET } from './vault-under-test.js';

const USERS = 32;
/** How long a killed master is missing before the replica takes over. */
const FAILOVER_AFTER_MS = 2_000;
/** A token that is valid for less than a minute is refreshed. */
const LIFETIME_MS = 500;
/** The pause between two requests of a user, and before a call is repeated. */
const PAUSE_MS = 100;
const EXPECTED_WHILE_UNAVAILABLE = ['token_store_unavailable', 'refresh_busy'];

interface Failover {
  /** The clients of two processes, one of each package. */
  clients: readonly ConnectedClient[];
  master: ServerProcess;
  dispose(): Promise<void>;
}

async function clusterFailover(): Promise<Failover> {
  const cluster = await startRedisCluster(FAILOVER_AFTER_MS);
  const names = ['createCluster() of redis 6', 'new Cluster() of ioredis 6'];
  const clients = await Promise.all(names.map((name) => CLUSTER_CLIENTS[name]?.(cluster) as Promise<ConnectedClient>));
  return { clients, master: cluster.firstMaster, dispose: () => cluster.dispose() };
}

async function sentinelFailover(): Promise<Failover> {
  const servers = await startRedisWithSentinel(FAILOVER_AFTER_MS);
  const names = ['createSentinel() of redis 6', 'new Redis({ sentinels }) of ioredis 6'];
  const clients = await Promise.all(names.map((name) => SENTINEL_CLIENTS[name]?.(servers) as Promise<ConnectedClient>));
  return { clients, master: servers.master, dispose: () => servers.dispose() };
}

function vaultOn(client: ConnectedClient, server: RotatingServer): TokenVault<Pair> {
  return createTokenVault<Pair, SerializedPair>({
    store: new RedisTokenStore({ client: client.client, timeout: 1_000 }),
    sealer: createSealer([SECRET], 'tokens'),
    instance: 'instance',
    clock: systemClock,
    refresh: async (tokens) => {
      await sleep(5);
      return await server.refresh(tokens);
    },
    serialize,
    deserialize,
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
 * second ends after the current token was returned, and the server refuses that token then.
 */
async function untilAccepted(vault: TokenVault<Pair>, grantID: string, server: RotatingServer): Promise<void> {
  let refusedToken: string | undefined;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const token = await eventually(() => vault.accessToken(grantID, { refusedToken }));
    if (server.accepts(token)) return;
    refusedToken = token;
  }
  throw new Error(`The server refused the token of ${grantID} five times.`);
}

test.each([
  ['of a Cluster', clusterFailover],
  ['with a Sentinel', sentinelFailover],
])('SIGKILL of a master %s during sign-ins and refreshes signs no user out', async (_, start) => {
  const { clients, master, dispose } = await start();
  try {
    let isKilled = false;
    const hasRefreshed = new Set<number>();
    // Each user has a separate server: a refresh token that is used twice ends the login of this user.
    const use = async (user: number): Promise<void> => {
      const server = rotatingServer({ ...systemClock, advance: () => undefined }, LIFETIME_MS);
      const vaults = clients.map((client) => vaultOn(client, server));
      const [one] = vaults as [TokenVault<Pair>];
      const grantID = await eventually(() => one.put(`user ${user}`, server.issue()));
      while (hasRefreshed.size < USERS) {
        const isAfterwards = isKilled;
        const count = server.refreshCount;
        await Promise.all(vaults.map((vault) => untilAccepted(vault, grantID, server)));
        if (isAfterwards && server.refreshCount > count) hasRefreshed.add(user);
        // The other master needs seconds to take over: requests without a pause need the processor that it needs.
        await sleep(PAUSE_MS);
      }
    };
    const users = Array.from({ length: USERS }, (__, user) => user);
    const running = users.slice(USERS / 2).map(use);
    await sleep(2 * LIFETIME_MS);
    await master.kill();
    isKilled = true;
    await Promise.all([...running, ...users.slice(0, USERS / 2).map(use)]);
    expect(hasRefreshed.size).toBe(USERS);
  } finally {
    await Promise.all(clients.map(({ close }) => close()));
    await dispose();
  }
});
