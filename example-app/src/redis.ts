import type { EventEmitter } from 'node:events';
import { RedisStore } from 'connect-redis';
import type { Store } from 'express-session';
import type { TokenStore } from 'passport-clinician';
import { RedisTokenStore } from 'passport-clinician/redis';
import { createClient, createCluster, createSentinel } from 'redis';
import { InvalidConfig } from './config.js';
import { createOutageLog, type OutageLog } from './log.js';

/** The stores of sessions and tokens, if this site runs as several processes. */
export interface Stores {
  sessions: Store;
  tokens: TokenStore;
  outages: OutageLog;
  close(): void;
}

/** A lost connection is restored, and commands fail immediately until then. */
const OPTIONS = { disableOfflineQueue: true, pingInterval: 1000 };
/** With pings, a connection without traffic is lost: commands that wait for a response then fail. */
const SOCKET = {
  reconnectStrategy: (tries: number) => Math.min(50 * 2 ** Math.min(tries, 5), 1000),
  socketTimeout: 3000,
};
const CONNECT_TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 5_000;

/**
 * Connects to one server, to the nodes of a Cluster (several URLs), or to Sentinels (`?sentinel=` and the name of the master). User,
 * password and TLS of the first URL are those of all servers with data.
 */
export async function connectRedis(urls: readonly URL[]): Promise<Stores> {
  const client = createRedisClient(urls);
  let isConnected = false;
  const outages = createOutageLog('Redis');
  const connected = new Promise<void>((resolve, reject) => {
    // While it connects to several servers, the client tries the next one after an error.
    const isOneServer = urls.length === 1 && sentinelName(urls) === undefined;
    client.on('error', (error: NodeJS.ErrnoException) => {
      if (isConnected) outages.failed(error);
      else if (isOneServer) reject(error);
    });
    (client as EventEmitter).on('ready', outages.succeeded);
    client.connect().then(() => resolve(), reject);
    setTimeout(() => reject(new Error('timeout')), CONNECT_TIMEOUT_MS).unref();
  });
  try {
    await connected;
    isConnected = true;
  } catch (error) {
    await client.destroy();
    throw new InvalidConfig(
      `REDIS_URL: cannot connect to Redis (${(error as NodeJS.ErrnoException).code ?? 'error'}).`,
    );
  }
  return {
    sessions: new RedisStore({ client: withTimeLimits(client), prefix: 'rounds:session:' }),
    tokens: new RedisTokenStore({ client, prefix: 'rounds:tokens:' }),
    outages,
    close: () => void client.destroy(),
  };
}

type RedisClient = ReturnType<typeof createRedisClient>;

function createRedisClient(urls: readonly URL[]) {
  const [{ protocol, username, password } = new URL('redis://127.0.0.1')] = urls;
  const socket = { ...SOCKET, ...(protocol === 'rediss:' && { tls: true as const }) };
  const defaults = {
    ...OPTIONS,
    socket,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  const name = sentinelName(urls);
  if (name !== undefined) {
    const sentinelRootNodes = urls.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 26379) }));
    return createSentinel({ name, sentinelRootNodes, nodeClientOptions: defaults });
  }
  if (urls.length > 1) {
    const rootNodes = urls.map(({ href }) => ({ url: href }));
    return createCluster({ rootNodes, defaults, topologyRefreshOnReconnectionAttemptStrategy: 1000 });
  }
  return createClient({ ...OPTIONS, socket: SOCKET, url: urls[0]?.href as string });
}

function sentinelName(urls: readonly URL[]): string | undefined {
  return urls.map((url) => url.searchParams.get('sentinel')).find((name) => name !== null) ?? undefined;
}

/** Returns the commands of the session store with a time limit: with Sentinels the client waits for a new master without one. */
function withTimeLimits(client: RedisClient) {
  const commands = client as ReturnType<typeof createClient>;
  async function limited<T>(result: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Redis does not respond.')), COMMAND_TIMEOUT_MS);
    });
    return await Promise.race([result, timedOut]).finally(() => clearTimeout(timer));
  }
  return {
    get: (key: string) => limited(commands.get(key)),
    set: (...args: Parameters<typeof commands.set>) => limited(commands.set(...args)),
    expire: (key: string, seconds: number) => limited(commands.expire(key, seconds)),
    del: (keys: string[]) => limited(commands.del(keys)),
  };
}
