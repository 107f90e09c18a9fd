import { type Clock, systemClock } from '../async/clock.js';
import { TimeoutError, withTimeout } from '../async/timers.js';
import { WARNING_CODES } from '../errors/error-codes.js';
import { printWarning } from '../errors/print-warning.js';
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

/** A connection of a {@link PostgresPool}. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or closes it. */
  release(close?: boolean): void;
}

/** A `Pool` of the package `pg` (version 8), or of a package with the same functions. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  listenerCount(event: 'error'): number;
}

/** Options of {@link PostgresTokenStore}. */
export interface PostgresTokenStoreOptions {
  /** `new Pool()` of the package `pg` (version 8), connected to the primary. The store never ends it. */
  pool: PostgresPool;
  /** The table, which several sites can use: `table`, or `schema.table`. @default 'clinician_tokens' */
  table?: string | undefined;
  /**
   * How long one operation may take, in milliseconds, with the wait for a connection of the pool. The statement has at least a
   * quarter of it. @default 2000
   */
  timeout?: number | undefined;
  /** @default the system clock */
  clock?: Clock | undefined;
}

const POOL = "new Pool() of the package 'pg'";
/** An index has the name of its table and a suffix, and PostgreSQL cuts names after 63 characters. */
const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/;

const postgresTokenStoreOptions: OptionTable<PostgresTokenStoreOptions> = {
  pool: { type: POOL, isValid: isPostgresPool, whenMissing: `Pass ${POOL}.` },
  table: {
    type: "a name of lower-case letters, digits and '_', 50 at most: table, or schema.table",
    isValid: (value) => text.isValid(value) && TABLE_NAME.test(value as string),
    default: 'clinician_tokens',
  },
  timeout: timeoutRule,
  clock: { ...clockRule, default: systemClock },
};

/** One row of an answer: every value is read as text, whatever type parsers the site has set. */
type Row = Readonly<Record<string, string>>;

const GRANT = "instance = $1 AND kind = 'grant' AND id = $2";
const ASSIGNMENTS = `user_key = $3, version = $4, content = $5, grant_expires_at = $6,
  expires_at = now() + $7 * interval '1 millisecond'`;
/** Each sign-in adds a row, so erasing some more than that with each is enough. */
const ERASED_PER_PUT = 100;
const MAX_ATTEMPTS = 5;

/**
 * Stores sealed tokens in one table of PostgreSQL, so that all processes of a site share them.
 *
 * Each operation is one statement, its own transaction on any connection of the pool, so it works behind PgBouncer in each mode.
 * Locks are rows that expire by the clock of the server, as grants do. If PostgreSQL is down or hangs, operations fail with a
 * retryable error within the time limit. If it refuses a statement, they fail with `token_store_refused`. Expired rows are erased
 * when a user signs in. See the guide Token stores.
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
  readonly #options: WithDefaults<PostgresTokenStoreOptions>;
  /** The name in quotes: it may be a keyword. */
  readonly #table: string;
  #instance = '';

  constructor(options: PostgresTokenStoreOptions) {
    const checked = checkOptions(options, postgresTokenStoreOptions, 'PostgresTokenStore');
    this.#options = checked as WithDefaults<PostgresTokenStoreOptions>;
    this.#table = this.#options.table.replace(/\w+/g, '"$&"');
    handleErrors(this.#options.pool);
  }

  /** Creates the table and its indexes, unless the table exists. Several processes may call it at the same time. */
  async createTable(): Promise<void> {
    const sql = "SELECT 1 FROM pg_class WHERE oid = to_regclass($1) AND relkind NOT IN ('i', 'I')";
    const exists = async () => (await this.#execute(sql, [this.#table])).length === 1;
    // A user who may not create tables can start the site with an existing one.
    if (await exists()) return;
    try {
      await this.#execute(tableSQL(this.#table), []);
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
    const [row] = await this.#run(
      `SELECT user_key, version::text, content, grant_expires_at::text FROM ${this.#table}
      WHERE ${GRANT} AND expires_at > now()`,
      grantID,
    );
    if (row === undefined) return undefined;
    const { user_key = '', version, content = '', grant_expires_at: expiresAt } = row;
    return { userKey: decodeKey(user_key), sealed: content, version: Number(version), expiresAt: Number(expiresAt) };
  }

  async put(grantID: string, grant: StoredGrant): Promise<void> {
    await this.#run(
      `INSERT INTO ${this.#table} (instance, kind, id, user_key, version, content, grant_expires_at, expires_at)
      VALUES ($1, 'grant', $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')
      ON CONFLICT (instance, kind, id) DO UPDATE SET ${ASSIGNMENTS}`,
      grantID,
      ...this.#columns(grant),
    );
    // A failure is left to the next sign-in.
    await this.#eraseExpired().catch(ignore);
  }

  async swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean> {
    const swapped = await this.#run(
      `UPDATE ${this.#table} SET ${ASSIGNMENTS} WHERE ${GRANT} AND expires_at > now() AND version = $8 RETURNING id`,
      grantID,
      ...this.#columns(grant),
      expectedVersion,
    );
    return swapped.length === 1;
  }

  async delete(grantID: string): Promise<void> {
    await this.#run(`DELETE FROM ${this.#table} WHERE ${GRANT}`, grantID);
  }

  async grantsOf(userKey: string): Promise<string[]> {
    const rows = await this.#run(
      `SELECT id FROM ${this.#table} WHERE instance = $1 AND user_key = $2 AND expires_at > now()
      ORDER BY grant_expires_at LIMIT ${MAX_LISTED}`,
      userKey,
    );
    return rows.map(({ id = '' }) => decodeKey(id));
  }

  async lock(grantID: string, ttlMs: number): Promise<TokenStoreLock | undefined> {
    const owner = randomText(16);
    const acquire = async () => {
      const acquired = await this.#run(
        `INSERT INTO ${this.#table} AS stored (instance, kind, id, content, expires_at)
        VALUES ($1, 'lock', $2, $3, now() + $4 * interval '1 millisecond')
        ON CONFLICT (instance, kind, id) DO UPDATE SET content = EXCLUDED.content, expires_at = EXCLUDED.expires_at
        WHERE stored.expires_at <= now() RETURNING id`,
        grantID,
        owner,
        limitedTTL(ttlMs),
      );
      return acquired.length === 1;
    };
    const sql = `DELETE FROM ${this.#table} WHERE instance = $1 AND kind = 'lock' AND id = $2 AND content = $3`;
    return await lockWith(acquire, async () => {
      await this.#run(sql, grantID, owner);
    });
  }

  /** Waits for no other transaction: another process may erase the same rows. */
  #eraseExpired(): Promise<Row[]> {
    const expired = `SELECT instance, kind, id FROM ${this.#table} WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${ERASED_PER_PUT} FOR UPDATE SKIP LOCKED`;
    return this.#execute(`DELETE FROM ${this.#table} WHERE (instance, kind, id) IN (${expired})`, []);
  }

  #columns({ userKey, version, sealed, expiresAt }: StoredGrant): (string | number)[] {
    const ttl = limitedTTL(expiresAt - this.#options.clock.now());
    return [encodeKey(userKey), version, sealed, expiresAt, ttl];
  }

  #run(sql: string, key: string, ...values: (string | number)[]): Promise<Row[]> {
    return this.#execute(sql, [this.#instance, encodeKey(key), ...values]);
  }

  /** Runs one statement within the time limit, which includes the wait for a connection. */
  async #execute(sql: string, values: unknown[]): Promise<Row[]> {
    const { timeout } = this.#options;
    const startedAt = performance.now();
    const client = await this.#connect();
    const waitedMs = performance.now() - startedAt;
    // The query rejects too. Without a listener, the event would end the process.
    client.on('error', ignore);
    let isFailed = true;
    try {
      const leftMs = Math.max(timeout - waitedMs, timeout / 4);
      const rows = await withTimeout(leftMs, queryRepeatedly(client, sql, values));
      isFailed = false;
      return rows;
    } catch (error) {
      throw storeError(POSTGRES, error);
    } finally {
      client.off('error', ignore);
      // Closes the connection as pool.query() does: the server may not respond, have ended it, or have become a standby.
      client.release(isFailed);
    }
  }

  async #connect(): Promise<PostgresClient> {
    const { pool, timeout } = this.#options;
    const connecting = pool.connect();
    try {
      return await withTimeout(timeout, connecting);
    } catch (error) {
      // A connection that comes later is not used: the statement would be late.
      connecting.then((client) => client.release(), ignore);
      throw storeError(POSTGRES, error instanceof TimeoutError ? undefined : error);
    }
  }
}

/** @returns the SQL of the table, in one transaction. IF NOT EXISTS would skip an index if anything else has its name. */
function tableSQL(table: string): string {
  const name = table.split('.').at(-1)?.slice(1, -1);
  return `CREATE TABLE ${table} (
  instance text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  user_key text COLLATE "C",
  version bigint,
  content text NOT NULL,
  grant_expires_at double precision,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (instance, kind, id)
);
CREATE INDEX "${name}_user" ON ${table} (instance, user_key) WHERE user_key IS NOT NULL;
CREATE INDEX "${name}_expiry" ON ${table} (expires_at);`;
}

/** Repeats a statement that failed because of another transaction, which is usual under REPEATABLE READ and SERIALIZABLE. */
async function queryRepeatedly(client: PostgresClient, sql: string, values: unknown[]): Promise<Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await client.query(sql, values)).rows as Row[];
    } catch (error) {
      const isConflict = ['40001', '40P01'].includes(POSTGRES.codeOf(error) ?? '');
      if (attempt === MAX_ATTEMPTS || !isConflict) throw error;
    }
  }
}

/** @returns false for anything else, such as a single `Client`, which does not reconnect */
function isPostgresPool(pool: unknown): boolean {
  const { connect, on, totalCount } = (pool ?? {}) as Record<string, unknown>;
  return typeof connect === 'function' && typeof on === 'function' && typeof totalCount === 'number';
}

/**
 * If an idle connection fails, for example because PostgreSQL restarts, a pool emits an error, which would end a process
 * without a listener. The pool then opens another connection. If the site has no listener, this one prints a warning, once.
 */
function handleErrors(pool: PostgresPool): void {
  if (pool.listenerCount('error') > 0) return;
  let isReported = false;
  pool.on('error', () => {
    if (isReported || pool.listenerCount('error') > 1) return;
    isReported = true;
    printWarning('postgres_connection_lost', WARNING_CODES.postgres_connection_lost);
  });
}

function ignore(): void {}

const NAME_IN_USE =
  'Something else has the name of the table, or of its indexes (_user, _expiry): set option table to another name.';

const POSTGRES: Database = {
  name: 'PostgreSQL',
  unreachable: 'PostgreSQL cannot be reached, or the pool had no free connection: its max may be too low.',
  // Classes, by their first two characters: a lost connection, a conflict of transactions, too few resources, a row or table that
  // is locked, a server that stops or starts. A primary that has become a standby, and a password that is rotated.
  temporary: /^(?:08|40|53|55|57|58|XX|25006|28P01)/,
  fixes: {
    '42P01': 'The table does not exist: call createTable(), or run the SQL in the guide Token stores.',
    '42703': 'Another application created this table: set option table to another name.',
    '42809': NAME_IN_USE,
    '42P07': NAME_IN_USE,
    '42501': 'Allow its user what the guide Token stores lists.',
    '3F000': 'The schema in option table does not exist: create it.',
    '28P01': 'User or password of the pool is wrong.',
    '28000': 'Its pg_hba.conf does not allow this connection: check user, database and ssl of the pool.',
    '3D000': 'The database of the pool does not exist: create it.',
    '25006': 'The pool is connected to a standby, or transactions are read-only: connect it to the primary.',
    '53100': 'Its disk is full: free space.',
    '54000': 'An id of a user or a login is too long: use ids of at most 300 characters.',
    '22P05': 'The encoding of the database is not UTF8: use a database with ENCODING UTF8.',
  },
  /** @returns the SQLSTATE of an error that the server has sent, which has rolled back the statement */
  codeOf(error) {
    const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown };
    return typeof severity === 'string' && typeof code === 'string' ? code : undefined;
  },
};
