import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import { boundedScripts, type RedisClient, type RunScript } from './redis-client.js';
import { DELETE, GET, GRANTS_OF, LOCK, PUT, RELEASE, SWAP } from './redis-scripts.js';
import type { StoredGrant, TokenStore, TokenStoreLock } from './token-store.js';

export type { RedisClient };

export interface RedisTokenStoreOptions {
  /** A connected client of the package `redis`, 5 or 6. It stays the site's: it is never closed here. */
  client: RedisClient;
  /**
   * What the names of all keys begin with. On a Redis Cluster it needs a hash tag, such as `{clinician}:`, because a grant and
   * the index by user change together.
   * @default 'clinician:'
   */
  prefix?: string;
  /** How long one command may take, in milliseconds, before it counts as failed. @default 2000 */
  timeout?: number;
  /** @default the machine's clock */
  clock?: Clock;
}

const KNOWN: ReadonlySet<string> = new Set(['client', 'prefix', 'timeout', 'clock']);
/** Redis counts in 64-bit integers; a life without an end is as good as this one. */
const LONGEST_LIFE = 100 * 365 * 24 * 60 * 60 * 1000;

/**
 * Keeps sealed tokens in Redis, so that all processes of a site share them.
 *
 * Every act is one atomic script, everything expires by itself, and a Redis that is down or hangs is a retryable error within
 * the time limit. Redis should be told to keep what it has: `maxmemory-policy noeviction`, and `appendonly yes` where people
 * should not have to sign in again after it was restarted.
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

  constructor(options: RedisTokenStoreOptions) {
    checkOptions(options);
    this.#run = boundedScripts(options.client, options.timeout ?? 2_000);
    this.#clock = options.clock ?? systemClock;
    this.#prefix = options.prefix ?? 'clinician:';
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

  async lock(grantID: string, lifeMs: number): Promise<TokenStoreLock | undefined> {
    const key = `${this.#prefix}lock:${grantID}`;
    const owner = randomBytes(16).toString('base64url');
    const release = async () => {
      await this.#run(RELEASE, [key], [owner]);
    };
    try {
      return (await this.#run(LOCK, [key], [owner, life(lifeMs)])) === 1 ? { release } : undefined;
    } catch (error) {
      // It may have been got all the same, with only the answer lost on the way; then nobody else should wait for its end.
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
    const left = life(expiresAt - this.#clock.now());
    return [grantID, this.#index(''), userKey, String(version), sealed, String(expiresAt), left];
  }
}

function life(ms: number): string {
  return String(Math.ceil(Math.min(ms, LONGEST_LIFE)) || 0);
}

function checkOptions(options: RedisTokenStoreOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    const known = [...KNOWN].join(', ');
    throw new ConfigurationError(
      'option_unknown',
      `RedisTokenStore: unknown option '${unknown}'. There are: ${known}.`,
    );
  }
  if (typeof options?.client?.eval !== 'function') {
    throw new ConfigurationError(
      'option_missing',
      "RedisTokenStore: option 'client' is missing. Pass a connected client of the package 'redis': createClient().",
    );
  }
  if (options.timeout !== undefined && !(options.timeout > 0)) {
    throw new ConfigurationError('option_invalid', "RedisTokenStore: option 'timeout' must be milliseconds above 0.");
  }
}
