import { errorMonitor } from 'node:events';
import { ConfigurationError } from '../errors/errors.js';
import { REDIS } from './redis-errors.js';
import { READ_HASH, RELEASE } from './redis-scripts.js';
import { ServerReplies } from './server-replies.js';
import { storeError } from './store-errors.js';

/** Identifies a client of the package `redis`, whichever of its functions created it. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  readonly isOpen: boolean;
}

/** Identifies a client of the package `ioredis`: a `Redis`, with or without Sentinels, or a `Cluster`. */
export interface IORedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  readonly status: string;
}

/** A client of the package `redis` (version 4 to 6) or `ioredis` (version 5 or 6). */
export type RedisClient = NodeRedisClient | IORedisClient;

/**
 * Sends commands, each of which settles within the time limit. Keys with the same hash tag have the same number `group`: one node
 * of a Cluster has them.
 */
export interface RedisCommands {
  /** Runs one script. */
  run(group: number, script: string, keys: string[], args: string[]): Promise<unknown>;
  /** Reads fields of a hash from the master, all at the same moment. */
  readHash(group: number, key: string, fields: string[]): Promise<HashValues>;
}

type HashValues = (string | null)[];

const CLIENTS =
  "createClient(), createClientPool(), createCluster() or createSentinel() of the package 'redis' (version 4: only createClient()), or new Redis() or new Cluster() of the package 'ioredis'";

/** @throws ConfigurationError for any other client */
export function assertRedisClient(client: unknown): asserts client is RedisClient {
  const members = (client ?? {}) as Record<string, unknown>;
  const { eval: run, isOpen, isReady, withCommandOptions, status, defineCommand } = members;
  // The client of createCluster() of version 4 has neither, and does not follow all redirections of a Cluster.
  const isCurrent = typeof isReady === 'boolean' || typeof withCommandOptions === 'function';
  const isNodeRedis = typeof isOpen === 'boolean' && isCurrent;
  const isIORedis = typeof status === 'string' && typeof defineCommand === 'function';
  if (typeof run === 'function' && (isNodeRedis || isIORedis)) return;
  throw new ConfigurationError(
    'option_invalid',
    `RedisTokenStore: option 'client' must be a connected client: ${CLIENTS}.`,
    { option: 'client' },
  );
}

/** @returns the commands of a client, each with the time limit. */
export function redisCommands(client: RedisClient, timeoutMs: number): RedisCommands {
  const { evaluate, hmget, isReady } = 'isOpen' in client ? nodeRedis(client) : ioredis(client);
  const isOneServer = hasOneServer(client);
  const connection = connectionOf(client);
  const replies = new ServerReplies(REDIS);

  function assertConnected(): void {
    if (isReady()) return;
    replies.reset();
    throw storeError(REDIS, connection.lastError);
  }

  return {
    async run(group, script, keys, args) {
      assertConnected();
      // A release is always sent: Redis may still execute the lock command, when it replies again.
      if (script !== RELEASE) replies.assertResponsive(group);
      const timeout = new AbortController();
      const reply = replies.wait(timeoutMs, evaluate(script, keys, args, timeout.signal), group);
      return await reply.catch((error) => {
        timeout.abort();
        throw error;
      });
    },
    async readHash(group, key, fields) {
      assertConnected();
      replies.assertResponsive(group);
      // A read that is sent too late changes nothing, so it needs no signal, which takes longer than the command.
      const reply = isOneServer ? hmget(key, fields) : evaluate(READ_HASH, [key], fields);
      return (await replies.wait(timeoutMs, reply, group)) as HashValues;
    },
  };
}

interface Driver {
  /** Sends a script. A command that the client still has when the signal is aborted must not be sent later. */
  evaluate(script: string, keys: string[], args: string[], signal?: AbortSignal): Promise<unknown>;
  hmget(key: string, fields: string[]): Promise<unknown>;
  /** @returns false while there is no connection: then calls fail at once, instead of waiting in the client's queue. */
  isReady(): boolean;
}

/**
 * A plain read takes Redis two thirds of the time of a script. A client with Sentinel or of a Cluster sends scripts to the master, but
 * can be configured to send plain reads to replicas, which may lack the last writes.
 *
 * @returns true for a client that sends all commands to one server.
 */
function hasOneServer(client: RedisClient): boolean {
  const { select, isCluster } = client as { select?: unknown; isCluster?: boolean };
  return typeof select === 'function' && isCluster !== true;
}

/**
 * An empty `typeMapping` makes replies strings, whatever type mapping the site has configured. Without `timeout`, a client of
 * version 6 creates no further signal for each command.
 */
interface CommandOptions {
  abortSignal: AbortSignal | undefined;
  timeout: undefined;
  typeMapping: Record<string, never>;
}

function nodeRedis(client: NodeRedisClient): Driver {
  type Configurable = NodeRedisClient & {
    withCommandOptions?(options: CommandOptions): Configurable;
    hmGet(key: string, fields: string[]): Promise<unknown>;
    readonly isReady?: boolean;
  };
  const configurable = client as Configurable;
  const withOptions = (abortSignal?: AbortSignal) =>
    configurable.withCommandOptions?.({ abortSignal, timeout: undefined, typeMapping: {} }) ?? configurable;
  const reader = withOptions();
  return {
    evaluate: (script, keys, args, signal) => withOptions(signal).eval(script, { keys, arguments: args }),
    hmget: (key, fields) => reader.hmGet(key, fields),
    isReady: () => configurable.isReady !== false,
  };
}

function ioredis(client: IORedisClient): Driver {
  const { hmget } = client as IORedisClient & { hmget(key: string, ...fields: string[]): Promise<unknown> };
  return {
    evaluate: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    hmget: (key, fields) => hmget.call(client, key, ...fields),
    // With `lazyConnect` the first command opens the connection.
    isReady: () => client.status === 'ready' || client.status === 'wait',
  };
}

/** A client reports a wrong password, for example, only as an event, and then tries to connect again. */
interface Connection {
  lastError: unknown;
}

const connections = new WeakMap<RedisClient, Connection>();

/** One listener for each client, however many stores use it. `errorMonitor` leaves unhandled errors unhandled. */
function connectionOf(client: RedisClient): Connection {
  const known = connections.get(client);
  if (known !== undefined) return known;
  const connection: Connection = { lastError: undefined };
  connections.set(client, connection);
  const { on } = client as { on?: (event: symbol, listener: (error: unknown) => void) => unknown };
  on?.call(client, errorMonitor, (error) => {
    connection.lastError = error;
  });
  return connection;
}
