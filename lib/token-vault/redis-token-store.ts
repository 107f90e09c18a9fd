import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import {
  boundedScripts,
  DELETE,
  GET,
  GRANTS_OF,
  LOCK,
  PUT,
  RELEASE,
  type RedisClient,
  type RunScript,
  SWAP,
} from './redis-scripts.js';
import type { StoredGrant, TokenStore, TokenStoreLock } from './token-store.js';

export type { RedisClient };

/** Holds the options of {@link RedisTokenStore}. */
export interface RedisTokenStoreOptions {
  /** A connected client of the package `redis`, version 5 or 6. The store never closes it. */
  client: RedisClient;
  /**
   * The prefix of all keys. On a Redis Cluster it needs a hash tag, such as `{clinician}:`, because one script changes a grant
   * and the index of its user.
   * @default 'clinician:' and a digest of issuer, client ID and flow, so that several sites can use one Redis
   */
  prefix?: string;
  /** The time limit of one command, in milliseconds. @default 2000 */
  timeout?: number;
  /** @default the system clock */
  clock?: Clock;
}

const OPTIONS = { client: true, prefix: true, timeout: true, clock: true } satisfies Record<
  keyof RedisTokenStoreOptions,
  true
>;
const PREFIX = 'clinician:';
/** Redis accepts 64-bit integers only, not an infinite TTL. */
const MAX_TTL_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/**
 * Stores sealed tokens in Redis, so that all processes of a site share them.
 *
 * Each operation is one atomic script, and each key expires. Where Redis is down or hangs, operations fail with a retryable
 * error within the time limit. Configure Redis with `maxmemory-policy noeviction`, and with `appendonly yes` so that users stay
 * signed in after its restart.
 *
 * ```js
 * const client = createClient({ url: process.env.REDIS_URL });
 * client.on('error', (error) => log.warn(error));
 * await client.connect();
 * clinicianLogin({ tokenStore: new RedisTokenStore({ client }) });
 * ```
 */
export class RedisTokenStore implements TokenStore {
  readonly #run: RunScript;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #options: RedisTokenStoreOptions;

  constructor(options: RedisTokenStoreOptions) {
    checkOptions(options);
    this.#options = options;
    this.#run = boundedScripts(options.client, options.timeout ?? 2_000);
    this.#clock = options.clock ?? systemClock;
    this.#prefix = options.prefix ?? PREFIX;
  }

  /** @returns this store where it has the option `prefix`. */
  forInstance(instance: string): TokenStore {
    const { prefix } = this.#options;
    return prefix === undefined ? new RedisTokenStore({ ...this.#options, prefix: `${PREFIX}${instance}:` }) : this;
  }

  async get(grantID: string): Promise<StoredGrant | undefined> {
    const values = (await this.#run(GET, [this.#grant(grantID)], [])) as (string | null)[];
    const [userKey, version, sealed, expiresAt] = values.map((value) => value ?? undefined);
    if (userKey === undefined || sealed === undefined) return undefined;
    return { userKey, sealed, version: Number(version), expiresAt: Number(expiresAt) };
  }

  async put(grantID: string, grant: StoredGrant): Promise<void> {
    await this.#run(PUT, this.#keysOf(grantID, grant), this.#argumentsOf(grantID, grant));
  }

  async swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean> {
    const args = [...this.#argumentsOf(grantID, grant), String(expectedVersion)];
    return (await this.#run(SWAP, this.#keysOf(grantID, grant), args)) === 1;
  }

  async delete(grantID: string): Promise<void> {
    await this.#run(DELETE, [this.#grant(grantID)], [grantID, this.#index('')]);
  }

  async grantsOf(userKey: string): Promise<string[]> {
    return (await this.#run(GRANTS_OF, [this.#index(userKey)], [this.#grant('')])) as string[];
  }

  async lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined> {
    const key = `${this.#prefix}lock:${grantID}`;
    const owner = randomBytes(16).toString('base64url');
    const release = async () => {
      await this.#run(RELEASE, [key], [owner]);
    };
    try {
      return (await this.#run(LOCK, [key], [owner, milliseconds(ttlMs)])) === 1 ? { release } : undefined;
    } catch (error) {
      // The lock may be held although the reply was lost: release it, so that other processes do not wait until it expires.
      release().catch(() => undefined);
      throw error;
    }
  }

  #grant(grantID: string): string {
    return `${this.#prefix}grant:${grantID}`;
  }

  #index(userKey: string): string {
    return `${this.#prefix}user:${userKey}`;
  }

  #keysOf(grantID: string, grant: StoredGrant): string[] {
    return [this.#grant(grantID), this.#index(grant.userKey)];
  }

  #argumentsOf(grantID: string, { userKey, version, sealed, expiresAt }: StoredGrant): string[] {
    const ttl = milliseconds(expiresAt - this.#clock.now());
    return [grantID, this.#index(''), userKey, String(version), sealed, String(expiresAt), ttl];
  }
}

function milliseconds(ms: number): string {
  return String(Math.ceil(Math.min(ms, MAX_TTL_MS)) || 0);
}

function checkOptions(options: RedisTokenStoreOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    const known = Object.keys(OPTIONS).join(', ');
    throw new ConfigurationError(
      'option_unknown',
      `RedisTokenStore: unknown option '${unknown}'. The options are: ${known}.`,
      { option: unknown },
    );
  }
  if (typeof options?.client?.eval !== 'function') {
    throw new ConfigurationError(
      'option_missing',
      "RedisTokenStore: option 'client' is missing. Pass a connected client of the package 'redis': createClient().",
      { option: 'client' },
    );
  }
  if (options.timeout !== undefined && !(options.timeout > 0)) {
    throw new ConfigurationError(
      'option_invalid',
      "RedisTokenStore: option 'timeout' must be a number of milliseconds above 0.",
      { option: 'timeout' },
    );
  }
}
