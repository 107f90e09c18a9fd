import { hash } from 'node:crypto';
import { type Clock, systemClock } from '../async/clock.js';
import { anything, checkOptions, type OptionTable, text } from '../options/option-table.js';
import { clockRule } from '../options/options.js';
import { randomText } from '../sealing/secret.js';
import { decodeKey, encodeKey, limitedTTL, lockWith, timeoutRule } from './database-store.js';
import { assertRedisClient, type RedisClient, type RedisCommands, redisCommands } from './redis-client.js';
import { DELETE, GRANTS_OF, LOCK, PUT, RELEASE, SWAP } from './redis-scripts.js';
import type { StoredGrant, TokenStore, TokenStoreLock } from './token-store.js';

export type { RedisClient };

/** The options of {@link RedisTokenStore}. */
export interface RedisTokenStoreOptions {
  /**
   * A connected client of the package `redis` (version 5 or 6): `createClient()`, `createClientPool()`, `createCluster()` or
   * `createSentinel()`, or `createClient()` of version 4; or of `ioredis` (version 5 or 6): `new Redis()` or `new Cluster()`. The
   * store never closes it.
   */
  client: RedisClient;
  /**
   * The prefix of all keys. A prefix with a hash tag, such as `{site}:`, puts all keys into one hash slot of a Cluster.
   * @default 'clinician:' and a digest of issuer, client ID, flow and path of the callback, so that several sites can use one Redis
   */
  prefix?: string | undefined;
  /** The time limit of one command, in milliseconds. @default 2000 */
  timeout?: number | undefined;
  /** @default the system clock */
  clock?: Clock | undefined;
}

const redisTokenStoreOptions: OptionTable<RedisTokenStoreOptions> = {
  // assertRedisClient() checks it.
  client: anything,
  prefix: {
    ...text,
    // Redis hashes the whole key if its first braces are empty: then a grant and the index of its user are in different slots.
    check: (value) => (/^[^{]*\{\}/.test(value) ? { phrase: "must not contain '{}'." } : undefined),
  },
  timeout: timeoutRule,
  clock: { ...clockRule, default: systemClock },
};
const PREFIX = 'clinician:';
/**
 * Each key has one of this many hash tags, by its grant id, so that a Cluster spreads the keys of a site over its nodes. A grant,
 * its lock and its entry in the index of its user have the same one, so that one script can change them. Not one for each user: a
 * request reads a grant by its id, before its user is known.
 */
const HASH_TAGS = Array.from({ length: 16 }, (_, tag) => tag);

/**
 * Stores sealed tokens in Redis or Valkey, so that all processes of a site share them: one server, with Sentinel, or a Cluster.
 *
 * Each operation is one atomic command or script, and each key expires. If Redis is down or hangs, operations fail with a
 * retryable error within the time limit. If it refuses a command, they fail with `token_store_refused`. Configure Redis with
 * `maxmemory-policy noeviction`, and with `appendonly yes` so that users stay signed in after its restart. See the guide Redis.
 *
 * ```js
 * const client = createClient({ url: process.env.REDIS_URL });
 * client.on('error', (error) => log.warn(error));
 * await client.connect();
 * clinicianLogin({ tokenStore: new RedisTokenStore({ client }) });
 * ```
 */
export class RedisTokenStore implements TokenStore {
  readonly #redis: RedisCommands;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #options: RedisTokenStoreOptions;

  constructor(options: RedisTokenStoreOptions) {
    const checked = checkOptions(options, redisTokenStoreOptions, 'RedisTokenStore');
    assertRedisClient(checked.client);
    this.#options = checked;
    this.#redis = redisCommands(checked.client, checked.timeout as number);
    this.#clock = checked.clock as Clock;
    this.#prefix = checked.prefix ?? PREFIX;
  }

  /** @returns this store if it has the option `prefix`. */
  forInstance(instance: string): TokenStore {
    const { prefix } = this.#options;
    return prefix === undefined ? new RedisTokenStore({ ...this.#options, prefix: `${PREFIX}${instance}:` }) : this;
  }

  async get(grantID: string): Promise<StoredGrant | undefined> {
    const { tag, grant } = this.#keys(grantID);
    const fields = ['userKey', 'version', 'sealed', 'expiresAt'];
    const [userKey, version, sealed, expiresAt] = await this.#redis.readHash(tag, grant, fields);
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
    const { tag, id, grant } = this.#keys(grantID);
    await this.#redis.run(tag, DELETE, [grant], [id]);
  }

  async grantsOf(userKey: string): Promise<string[]> {
    const user = encodeKey(userKey);
    const replies = HASH_TAGS.map((tag) => this.#redis.run(tag, GRANTS_OF, [this.#key(tag, 'user', user)], [user]));
    const found = ((await Promise.all(replies)) as string[][]).flatMap(pairs);
    return found.sort(([, one], [, other]) => Number(one) - Number(other)).map(([id]) => decodeKey(id));
  }

  async lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined> {
    const { tag, id } = this.#keys(grantID);
    const keys = [this.#key(tag, 'lock', id)];
    const owner = randomText(16);
    const acquire = async () => isOne(await this.#redis.run(tag, LOCK, keys, [owner, String(limitedTTL(ttlMs))]));
    return await lockWith(acquire, async () => {
      await this.#redis.run(tag, RELEASE, keys, [owner]);
    });
  }

  #key(tag: number, kind: 'grant' | 'user' | 'lock', id: string): string {
    return `${this.#prefix}{${tag}}:${kind}:${id}`;
  }

  #keys(grantID: string) {
    const id = encodeKey(grantID);
    const tag = hash('sha256', id, 'buffer').readUInt8(0) % HASH_TAGS.length;
    return { tag, id, grant: this.#key(tag, 'grant', id) };
  }

  #write(script: string, grantID: string, stored: StoredGrant, ...more: string[]): Promise<unknown> {
    const { version, sealed, expiresAt } = stored;
    const { tag, id, grant } = this.#keys(grantID);
    const user = encodeKey(stored.userKey);
    const ttl = limitedTTL(expiresAt - this.#clock.now());
    const args = [id, user, String(version), sealed, String(expiresAt), String(ttl), ...more];
    return this.#redis.run(tag, script, [grant, this.#key(tag, 'user', user)], args);
  }
}

/** ioredis returns numbers as strings with the option `stringNumbers`. */
function isOne(reply: unknown): boolean {
  return Number(reply) === 1;
}

/** @returns the elements of a list in pairs. */
function pairs(list: readonly string[]): [string, string][] {
  return list.flatMap((first, index) => (index % 2 === 0 ? [[first, list[index + 1] ?? ''] as [string, string]] : []));
}
