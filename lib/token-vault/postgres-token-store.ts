import { type Clock, systemClock } from '../async/clock.js';
import { anything, checkOptions, type OptionTable, text } from '../options/option-table.js';
import { clockRule } from '../options/options.js';
import { randomText } from '../sealing/secret.js';
import { decodeKey, encodeKey, limitedTTL, lockWith, timeoutRule } from './database-store.js';
import { assertPostgresPool, type PostgresPool, PostgresStatements } from './postgres-client.js';
import { MAX_REMOVED, type StatementTexts, statementsFor } from './postgres-statements.js';
import type { StoredGrant, TokenStore, TokenStoreLock } from './token-store.js';

export type { PostgresClient, PostgresPool } from './postgres-client.js';

/** Options of {@link PostgresTokenStore}. */
export interface PostgresTokenStoreOptions {
  /** `new Pool()` of the package `pg` (version 8), connected to the primary. The store never ends it. */
  pool: PostgresPool;
  /** The table, which several sites can use: `table`, or `schema.table`. @default 'clinician_tokens' */
  table?: string | undefined;
  /**
   * The time limit of one operation, in milliseconds, including the wait for a connection of the pool. The statement has at
   * least a quarter of it. @default 2000
   */
  timeout?: number | undefined;
  /** @default the system clock */
  clock?: Clock | undefined;
}

/** An index has the name of its table and a suffix, and PostgreSQL cuts names after 63 characters. */
const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/;

const postgresTokenStoreOptions: OptionTable<PostgresTokenStoreOptions> = {
  // assertPostgresPool() checks it.
  pool: anything,
  table: {
    type: "a name of lower-case letters, digits and '_', 50 at most: table, or schema.table",
    isValid: (value) => text.isValid(value) && TABLE_NAME.test(value as string),
    default: 'clinician_tokens',
  },
  timeout: timeoutRule,
  clock: { ...clockRule, default: systemClock },
};

const CLEANUP_INTERVAL_MS = 60_000;

/**
 * Stores sealed tokens in one table of PostgreSQL, so that all processes of a site share them.
 *
 * Each operation is one statement, so it works behind PgBouncer in each mode. Locks are rows that expire by the clock of the
 * server. If PostgreSQL is down or hangs, operations fail with a retryable error within the time limit. If it refuses a
 * statement, they fail with `token_store_refused`. Expired rows are erased, at most once a minute, when a user signs in. See the
 * guide PostgreSQL.
 *
 * ```js
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 2000 });
 * pool.on('error', (error) => log.warn(error));
 * const tokenStore = new PostgresTokenStore({ pool });
 * await tokenStore.createTable();
 * clinicianLogin({ tokenStore });
 * ```
 */
export class PostgresTokenStore implements TokenStore {
  readonly #options: PostgresTokenStoreOptions;
  readonly #clock: Clock;
  readonly #table: string;
  readonly #texts: StatementTexts;
  readonly #statements: PostgresStatements;
  #instance = '';
  /** By `performance.now()`. */
  #nextCleanup = 0;

  constructor(options: PostgresTokenStoreOptions) {
    const checked = checkOptions(options, postgresTokenStoreOptions, 'PostgresTokenStore');
    assertPostgresPool(checked.pool);
    this.#options = checked;
    this.#clock = checked.clock as Clock;
    this.#table = checked.table as string;
    this.#texts = statementsFor(this.#table);
    this.#statements = new PostgresStatements(checked.pool, checked.timeout as number);
  }

  /** Creates the table and its indexes, unless the table exists. Several processes may call it at the same time. */
  async createTable(): Promise<void> {
    const exists = async () => (await this.#statements.run(this.#texts.exists, [this.#table])).length === 1;
    // A user who may not create tables can start the site with an existing one.
    if (await exists()) return;
    try {
      await this.#statements.run(this.#texts.create, []);
    } catch (error) {
      // Another process may have created it in the meantime.
      if (!(await exists())) throw error;
    }
  }

  /** @returns a store on the same table, whose rows are separate. */
  forInstance(instance: string): TokenStore {
    const store = new PostgresTokenStore(this.#options);
    store.#instance = instance;
    return store;
  }

  async get(grantID: string): Promise<StoredGrant | undefined> {
    const [row] = await this.#run(this.#texts.find, grantID);
    if (row === undefined) return undefined;
    const { user_key, version, content, grant_expires_at } = row as Record<string, string>;
    return {
      userKey: decodeKey(user_key as string),
      sealed: content as string,
      version: Number(version),
      expiresAt: Number(grant_expires_at),
    };
  }

  async put(grantID: string, grant: StoredGrant): Promise<void> {
    await this.#run(this.#texts.put, grantID, ...this.#columns(grant));
    this.#removeExpired();
  }

  async swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean> {
    const swapped = await this.#run(this.#texts.swap, grantID, ...this.#columns(grant), expectedVersion);
    return swapped.length === 1;
  }

  async delete(grantID: string): Promise<void> {
    await this.#run(this.#texts.remove, grantID);
  }

  async grantsOf(userKey: string): Promise<string[]> {
    return (await this.#run(this.#texts.list, userKey)).map(({ id }) => decodeKey(id as string));
  }

  async lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined> {
    const owner = randomText(16);
    const acquire = async () => (await this.#run(this.#texts.lock, grantID, owner, limitedTTL(ttlMs))).length === 1;
    return await lockWith(acquire, async () => {
      await this.#run(this.#texts.release, grantID, owner);
    });
  }

  #run(statement: string, key: string, ...values: (string | number)[]) {
    return this.#statements.run(statement, [this.#instance, encodeKey(key), ...values]);
  }

  /** The values of `assignments` in the statements. */
  #columns({ userKey, version, sealed, expiresAt }: StoredGrant): (string | number)[] {
    return [encodeKey(userKey), version, sealed, expiresAt, limitedTTL(expiresAt - this.#clock.now())];
  }

  /** Erases expired rows in the background. A failure is left to the next attempt. */
  #removeExpired(): void {
    const now = performance.now();
    if (now < this.#nextCleanup) return;
    this.#nextCleanup = now + CLEANUP_INTERVAL_MS;
    const removed = this.#statements.run(this.#texts.removeExpired, []);
    removed.then(
      ({ length }) => {
        if (length === MAX_REMOVED) this.#nextCleanup = 0;
      },
      () => undefined,
    );
  }
}
