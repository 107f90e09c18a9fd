import { type Clock, systemClock } from '../async/clock.js';
import { withTimeout } from '../async/timers.js';
import { checkOptions, type WithDefaults } from '../options/option-table.js';
import { clockRule } from '../options/options.js';
import { type OptionTable, text } from '../schema.js';
import { randomText } from '../sealing/sealer.js';
import {
  type Database,
  decodeKey,
  encodeKey,
  limitedTTL,
  lockWith,
  storeError,
  timeoutRule,
} from './database-store.js';
import { MAX_LISTED, type StoredGrant, type TokenStore, type TokenStoreLock } from './token-store.js';

/** Identifies a client of the package `redis`, whichever of its functions created it. */
interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  readonly isOpen: boolean;
}

/** Identifies a client of the package `ioredis`: a `Redis`, with or without Sentinels, or a `Cluster`. */
interface IORedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  readonly status: string;
}

/** A client of the package `redis` (version 4 to 6) or `ioredis` (version 5 or 6). */
export type RedisClient = NodeRedisClient | IORedisClient;

/** The options of {@link RedisTokenStore}. */
export interface RedisTokenStoreOptions {
  /**
   * A connected client of the package `redis` (version 5 or 6): `createClient()`, `createClientPool()`, `createCluster()` or
   * `createSentinel()`, or `createClient()` of version 4; or of `ioredis` (version 5 or 6): `new Redis()` or `new Cluster()`. The
   * store never closes it.
   */
  client: RedisClient;
  /**
   * The prefix of all keys. A digest of issuer, client ID, flow and callback path follows it, so that several sites can use one
   * Redis.
   * @default 'clinician:'
   */
  prefix?: string | undefined;
  /** How long one command may take, in milliseconds. @default 2000 */
  timeout?: number | undefined;
  /** @default the system clock */
  clock?: Clock | undefined;
}

const CLIENTS =
  "a connected client: createClient(), createClientPool(), createCluster() or createSentinel() of the package 'redis' (version 4: only createClient()), or new Redis() or new Cluster() of the package 'ioredis'";

const redisTokenStoreOptions: OptionTable<RedisTokenStoreOptions> = {
  client: { type: CLIENTS, isValid: isRedisClient, whenMissing: `Pass ${CLIENTS}.` },
  prefix: {
    ...text,
    // Redis hashes the whole key if its first braces are empty: then the keys of one script are in different slots.
    check: (value) => (/^[^{]*\{\}/.test(value) ? "must not contain '{}'." : undefined),
    default: 'clinician:',
  },
  timeout: timeoutRule,
  clock: { ...clockRule, default: systemClock },
};

// Each script is one atomic operation, and has the same result when a client sends it twice, because the connection was lost before
// the reply. A grant is a hash. The list of a user is a sorted set of grant ids, by expiry.

const GET = "return redis.call('HMGET', KEYS[1], 'userKey', 'version', 'sealed', 'expiresAt')";

/** Writes a grant. KEYS: grant, list of its user. ARGV: grant id, user key, version, sealed, expiresAt, TTL in ms. */
// HSET is the first command that writes: Redis checks its memory limit only there.
const PUT = `
redis.call('HSET', KEYS[1], 'userKey', ARGV[2], 'version', ARGV[3], 'sealed', ARGV[4], 'expiresAt', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[6]) then redis.call('PEXPIRE', KEYS[2], ARGV[6]) end
return 1
`;

/** As {@link PUT}, with the expected version as seventh argument. */
const SWAP = `
local stored = redis.call('HMGET', KEYS[1], 'version', 'sealed')
if stored[1] == ARGV[3] and stored[2] == ARGV[4] then return 1 end
if stored[1] ~= ARGV[7] then return 0 end
${PUT}`;

/** Erases a grant. KEYS: grant, prefix of the lists. ARGV: grant id. */
const DELETE = `
local userKey = redis.call('HGET', KEYS[1], 'userKey')
if userKey then redis.call('ZREM', KEYS[2] .. userKey, ARGV[1]) end
return redis.call('DEL', KEYS[1])
`;

/** Returns the first ids of one user, and removes those of other grants from the list. KEYS: list, prefix of the grants. ARGV: user key. */
const GRANTS_OF = `
local found = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, ${MAX_LISTED - 1})) do
  if redis.call('HGET', KEYS[2] .. id, 'userKey') == ARGV[1] then
    found[#found + 1] = id
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
return found
`;

/** KEYS: lock. ARGV: owner, TTL in ms. */
const LOCK = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0
`;

/** KEYS: lock. ARGV: owner. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/**
 * Stores sealed tokens in Redis or Valkey, so that all processes of a site share them: one server, with Sentinel, or a Cluster.
 *
 * Each operation is one atomic script, and each key expires. If Redis is down or hangs, operations fail with a retryable error
 * within the time limit. If it refuses a command, they fail with `token_store_refused`. Configure Redis with
 * `maxmemory-policy noeviction`, and with `appendonly yes` so that users stay signed in after its restart. See the guide Token stores.
 *
 * ```js
 * const client = createClient({ url: process.env.REDIS_URL });
 * client.on('error', (error) => log.warn(error));
 * await client.connect();
 * clinicianLogin({ tokenStore: new RedisTokenStore({ client }) });
 * ```
 */
export class RedisTokenStore implements TokenStore {
  readonly #options: WithDefaults<RedisTokenStoreOptions>;
  /** All keys of an instance have the same hash tag: one node of a Cluster has them, so that one script can change them. */
  #hashTag = 'tokens';

  constructor(options: RedisTokenStoreOptions) {
    const checked = checkOptions(options, redisTokenStoreOptions, 'RedisTokenStore');
    this.#options = checked as WithDefaults<RedisTokenStoreOptions>;
  }

  /** @returns a store on the same client, whose keys are separate. */
  forInstance(instance: string): TokenStore {
    const store = new RedisTokenStore(this.#options);
    store.#hashTag = instance;
    return store;
  }

  async get(grantID: string): Promise<StoredGrant | undefined> {
    const reply = await this.#run(GET, [this.#key('grant', grantID)], []);
    const [userKey, version, sealed, expiresAt] = reply as (string | null)[];
    if (typeof userKey !== 'string' || typeof sealed !== 'string') return undefined;
    return { userKey: decodeKey(userKey), sealed, version: Number(version), expiresAt: Number(expiresAt) };
  }

  async put(grantID: string, grant: StoredGrant): Promise<void> {
    await this.#write(PUT, grantID, grant);
  }

  async swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean> {
    return isOne(await this.#write(SWAP, grantID, grant, String(expectedVersion)));
  }

  async delete(grantID: string): Promise<void> {
    await this.#run(DELETE, [this.#key('grant', grantID), this.#key('user')], [encodeKey(grantID)]);
  }

  async grantsOf(userKey: string): Promise<string[]> {
    const keys = [this.#key('user', userKey), this.#key('grant')];
    return ((await this.#run(GRANTS_OF, keys, [encodeKey(userKey)])) as string[]).map(decodeKey);
  }

  async lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined> {
    const keys = [this.#key('lock', grantID)];
    const owner = randomText(16);
    const acquire = async () => isOne(await this.#run(LOCK, keys, [owner, String(limitedTTL(ttlMs))]));
    return await lockWith(acquire, async () => {
      await this.#run(RELEASE, keys, [owner]);
    });
  }

  #key(kind: 'grant' | 'user' | 'lock', id = ''): string {
    return `${this.#options.prefix}{${this.#hashTag}}:${kind}:${encodeKey(id)}`;
  }

  #write(script: string, grantID: string, stored: StoredGrant, ...more: string[]): Promise<unknown> {
    const { userKey, version, sealed, expiresAt } = stored;
    const keys = [this.#key('grant', grantID), this.#key('user', userKey)];
    const ttl = String(limitedTTL(expiresAt - this.#options.clock.now()));
    const args = [encodeKey(grantID), encodeKey(userKey), String(version), sealed, String(expiresAt), ttl, ...more];
    return this.#run(script, keys, args);
  }

  /** Runs one script within the time limit. Without a connection it fails at once, instead of waiting in the client's queue. */
  async #run(script: string, keys: string[], args: string[]): Promise<unknown> {
    const { client, timeout } = this.#options;
    if (!isConnected(client)) throw storeError(REDIS, undefined);
    const ended = new AbortController();
    try {
      return await withTimeout(timeout, evaluate(client, script, keys, args, ended.signal));
    } catch (error) {
      ended.abort();
      throw storeError(REDIS, error);
    }
  }
}

/** ioredis returns numbers as strings with the option `stringNumbers`. */
function isOne(reply: unknown): boolean {
  return Number(reply) === 1;
}

/** @returns true for a client of both packages only */
function isRedisClient(client: unknown): boolean {
  const members = (client ?? {}) as Record<string, unknown>;
  const { eval: run, isOpen, isReady, withCommandOptions, status, defineCommand } = members;
  // The client of createCluster() of version 4 has neither, and does not follow all redirections of a Cluster.
  const isCurrent = typeof isReady === 'boolean' || typeof withCommandOptions === 'function';
  const isNodeRedis = typeof isOpen === 'boolean' && isCurrent;
  const isIORedis = typeof status === 'string' && typeof defineCommand === 'function';
  return typeof run === 'function' && (isNodeRedis || isIORedis);
}

function isConnected(client: RedisClient): boolean {
  if ('isOpen' in client) return (client as { isReady?: boolean }).isReady !== false;
  // With `lazyConnect` the first command opens the connection.
  return client.status === 'ready' || client.status === 'wait';
}

/** @param signal when it is aborted, a command that a client of `redis` still has is not sent later */
function evaluate(client: RedisClient, script: string, keys: string[], args: string[], signal: AbortSignal) {
  if (!('isOpen' in client)) return client.eval(script, keys.length, ...keys, ...args);
  const { withCommandOptions } = client as { withCommandOptions?: (options: object) => NodeRedisClient };
  // An empty `typeMapping` makes replies strings, whatever type mapping the site has configured.
  const options = { abortSignal: signal, timeout: undefined, typeMapping: {} };
  return (withCommandOptions?.call(client, options) ?? client).eval(script, { keys, arguments: args });
}

const CLUSTER = 'This Redis is a Cluster: pass the client of createCluster(), or new Cluster() of ioredis.';

const REDIS: Database = {
  name: 'Redis',
  unreachable: "Redis cannot be reached: the event 'error' of the client has the reason.",
  temporary: /^(?:LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|READONLY|OOM|MISCONF|WRONGPASS)$/,
  fixes: {
    NOAUTH: 'It requires a password: set username and password of the client.',
    WRONGPASS: 'Username or password of the client is wrong, or the user is disabled.',
    NOPERM: 'Allow its user the commands and keys that the guide Token stores lists.',
    READONLY: 'The client is connected to a replica: connect it to the master, or to the Sentinels.',
    OOM: 'It has reached its maxmemory: raise it, or store other data elsewhere.',
    WRONGTYPE: 'Another application uses the same keys: set option prefix.',
    MISCONF: 'It cannot save its data: see its log, and free disk space.',
    DENIED: 'It is in protected mode: set a password, and the option bind.',
    MOVED: CLUSTER,
    ASK: CLUSTER,
    CROSSSLOT: 'A prefix of the client prevents a hash tag: remove "{}" from it.',
  },
  codeOf(error) {
    if (!(error instanceof Error) || TEMPORARY_TEXT.test(error.message)) return undefined;
    // How Redis 7.0 reports `NOPERM` of a command in a script.
    if (error.message.startsWith('ERR The user executing the script')) return 'NOPERM';
    return (CODE_IN_SCRIPT.exec(error.message) ?? CODE.exec(error.message))?.[1];
  },
};

/** The first word of an error reply, in capitals. Errors of the clients start with other words. */
const CODE = /^([A-Z][A-Z0-9]{2,}) /;
/** How Redis 6 reports an error of a command in a script. Redis 7 starts with the code. */
const CODE_IN_SCRIPT = /^ERR .*@user_script: ?\d+: -?([A-Z][A-Z0-9]{2,}) /;
/** Errors with the code `ERR` that end by themselves. */
const TEMPORARY_TEXT = /^ERR (?:max number of clients|.*non local key)/;
