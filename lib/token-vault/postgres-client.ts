import { TimeoutError, withTimeout } from '../async/with-timeout.js';
import { WARNING_CODES } from '../errors/error-codes.js';
import { ConfigurationError } from '../errors/errors.js';
import { printWarning } from '../errors/print-warning.js';
import { isRepeatable, noFreeConnection, POSTGRES } from './postgres-errors.js';
import { ServerReplies } from './server-replies.js';
import { storeError } from './store-errors.js';

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

type Row = Readonly<Record<string, string | null>>;

const MAX_ATTEMPTS = 5;
/** The part of the time limit that a statement always has, even if it waited long for a connection. */
const MIN_STATEMENT_PART = 1 / 4;
/**
 * Without `connectionTimeoutMillis`, a pool stores each waiting call until it has a connection. Another call would wait behind
 * all of them.
 */
const MAX_OVERDUE_WAITS = 100;

/** @throws ConfigurationError for anything else, such as a single `Client`, which does not reconnect */
export function assertPostgresPool(pool: unknown): asserts pool is PostgresPool {
  const { connect, on, totalCount } = (pool ?? {}) as Record<string, unknown>;
  if (typeof connect === 'function' && typeof on === 'function' && typeof totalCount === 'number') return;
  throw new ConfigurationError(
    'option_invalid',
    "PostgresTokenStore: option 'pool' must be new Pool() of the package 'pg'.",
    { option: 'pool' },
  );
}

/**
 * Runs statements, each as its own transaction on any connection of the pool, so that a pooler such as PgBouncer may give each
 * transaction to another connection of the server.
 */
export class PostgresStatements {
  readonly #pool: PostgresPool;
  readonly #timeoutMs: number;
  readonly #replies = new ServerReplies(POSTGRES);
  /** How many waits for a connection the pool has not ended after their time limit. */
  #overdueWaits = 0;

  constructor(pool: PostgresPool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
    handleErrors(pool);
  }

  /** Runs one statement within the time limit, which includes the wait for a connection. */
  async run(text: string, values: unknown[]): Promise<Row[]> {
    this.#replies.assertResponsive();
    const startedAt = performance.now();
    const client = await this.#connect();
    const waitedMs = performance.now() - startedAt;
    // With less time, a server that is only slower than usual would count as silent.
    const timeLeftMs = Math.max(this.#timeoutMs - waitedMs, this.#timeoutMs * MIN_STATEMENT_PART);
    // The query rejects too. Without a listener, the event would end the process.
    client.on('error', ignore);
    let isFailed = true;
    try {
      const rows = await this.#replies.wait(timeLeftMs, queryRepeatedly(client, text, values));
      isFailed = false;
      return rows;
    } finally {
      client.off('error', ignore);
      // Closes the connection as pool.query() does: the server may have ended it, or have become a standby.
      client.release(isFailed);
    }
  }

  async #connect(): Promise<PostgresClient> {
    if (this.#overdueWaits >= MAX_OVERDUE_WAITS) throw noFreeConnection();
    const connecting = this.#pool.connect();
    try {
      return await withTimeout(this.#timeoutMs, connecting);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw storeError(POSTGRES, error);
      this.#overdueWaits += 1;
      const release = (client: PostgresClient) => client.release();
      connecting.then(release, ignore).finally(() => (this.#overdueWaits -= 1));
      throw noFreeConnection(error);
    }
  }
}

/** Repeats a statement that failed because of another transaction, which is usual under REPEATABLE READ and SERIALIZABLE. */
async function queryRepeatedly(client: PostgresClient, text: string, values: unknown[]): Promise<Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await client.query(text, values)).rows as Row[];
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRepeatable(error)) throw error;
    }
  }
}

function ignore(): void {}

const handledPools = new WeakSet<PostgresPool>();

/**
 * If an idle connection fails, for example because PostgreSQL restarts, a pool emits an error, which would end a process
 * without a listener. The pool then opens another connection. If the site has no listener, this one prints a warning, once.
 */
function handleErrors(pool: PostgresPool): void {
  if (handledPools.has(pool)) return;
  handledPools.add(pool);
  let isReported = false;
  pool.on('error', () => {
    if (isReported || pool.listenerCount('error') > 1) return;
    isReported = true;
    printWarning('postgres_connection_lost', WARNING_CODES.postgres_connection_lost);
  });
}
