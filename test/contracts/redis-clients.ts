import IORedis from 'ioredis';
import type { RedisClient } from 'passport-clinician/redis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import type { RedisCluster } from './redis-cluster.js';
import type { RedisWithSentinel } from './redis-sentinel.js';

/** A connected client. `close` ends its connections. */
export interface ConnectedClient {
  client: RedisClient;
  close(): unknown;
}

type Connect<S> = (server: S) => Promise<ConnectedClient>;

// The earlier versions are imported where they are used: most tests use the latest ones.
const ioredis5 = async () => (await import('ioredis-5')).default;

/** Connects each client of one server. */
export const STANDALONE_CLIENTS: Readonly<Record<string, Connect<{ url: string }>>> = {
  'createClient() of redis 6': ({ url }) => nodeRedis(createClient({ url })),
  'createClient() of redis 6 with a key prefix': ({ url }) => nodeRedis(createClient({ url, keyPrefix: 'site:' })),
  'createClientPool() of redis 6': ({ url }) => nodeRedis(createClientPool({ url })),
  'createClient() of redis 5': async ({ url }) => nodeRedis((await import('redis-5')).createClient({ url })),
  'createClient() of redis 4': async ({ url }) => {
    const client = (await import('redis-4')).createClient({ url });
    await client.on('error', () => undefined).connect();
    return { client: client as RedisClient, close: () => client.disconnect() };
  },
  'new Redis() of ioredis 6': ({ url }) => ioredis(new IORedis.Redis(url)),
  'new Redis() of ioredis 6 with a key prefix': ({ url }) => ioredis(new IORedis.Redis(url, { keyPrefix: 'site:' })),
  'new Redis() of ioredis 6 with automatic pipelines and strings as numbers': ({ url }) =>
    ioredis(new IORedis.Redis(url, { enableAutoPipelining: true, stringNumbers: true })),
  'new Redis() of ioredis 5': async ({ url }) => ioredis(new (await ioredis5()).Redis(url)),
};

/** Connects each client of a Cluster. */
export const CLUSTER_CLIENTS: Readonly<Record<string, Connect<RedisCluster>>> = {
  'createCluster() of redis 6': ({ urls }) => nodeRedis(createCluster({ rootNodes: urls.map((url) => ({ url })) })),
  'createCluster() of redis 5': async ({ urls }) =>
    nodeRedis((await import('redis-5')).createCluster({ rootNodes: urls.map((url) => ({ url })) })),
  'new Cluster() of ioredis 6': ({ urls }) => ioredis(new IORedis.Cluster([...urls])),
  'new Cluster() of ioredis 6 with a key prefix and automatic pipelines': ({ urls }) =>
    ioredis(new IORedis.Cluster([...urls], { keyPrefix: 'site:', enableAutoPipelining: true })),
  'new Cluster() of ioredis 5': async ({ urls }) => ioredis(new (await ioredis5()).Cluster([...urls])),
};

/** Connects each client of a master with Sentinels. */
export const SENTINEL_CLIENTS: Readonly<Record<string, Connect<RedisWithSentinel>>> = {
  'createSentinel() of redis 6': ({ name, sentinel }) =>
    nodeRedis(createSentinel({ name, sentinelRootNodes: [{ host: '127.0.0.1', port: sentinel.port }] })),
  'createSentinel() of redis 5': async ({ name, sentinel }) =>
    nodeRedis(
      (await import('redis-5')).createSentinel({
        name,
        sentinelRootNodes: [{ host: '127.0.0.1', port: sentinel.port }],
      }),
    ),
  'new Redis({ sentinels }) of ioredis 6': ({ name, sentinel }) =>
    ioredis(new IORedis.Redis({ name, sentinels: [{ host: '127.0.0.1', port: sentinel.port }] })),
  'new Redis({ sentinels }) of ioredis 5': async ({ name, sentinel }) =>
    ioredis(new (await ioredis5()).Redis({ name, sentinels: [{ host: '127.0.0.1', port: sentinel.port }] })),
};

type NodeRedisClient = RedisClient & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): unknown;
};

/** Connects a client of the package `redis`, version 5 or 6. */
export async function nodeRedis(client: NodeRedisClient): Promise<ConnectedClient> {
  client.on('error', () => undefined);
  await client.connect();
  return { client, close: () => client.destroy() };
}

/** Waits until a client of the package `ioredis` is connected. After an error it connects again, so `events.once()` is not used. */
export async function ioredis(
  client: RedisClient & NodeJS.EventEmitter & { disconnect(): void },
): Promise<ConnectedClient> {
  client.on('error', () => undefined);
  await new Promise<void>((resolve) => client.once('ready', () => resolve()));
  return { client, close: () => client.disconnect() };
}
