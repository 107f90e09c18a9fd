import { TimeoutError, withTimeout } from '../async/with-timeout.js';
import { WARNING_CODES } from '../errors/error-codes.js';
import { ConfigurationError } from '../errors/errors.js';
import { printWarning } from '../errors/print-warning.js';
import { isRepeatable, isServerError, storeError, unavailable } from './postgres-errors.js';
import { SilenceMonitor } from './silence-monitor.js';

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

/** @throws ConfigurationError for anything else, such as a single `Client`, which does not reconnect */
export function assertPostgresPool(pool: unknown): asserts pool is PostgresPool {
  const { connect, on, totalCount } = (pool ?? {}) as Record<string, unknown>;
  if (typeof connect === 'function' && typeof on === 'function' && typeof totalCount === 'number') return;
  throw new ConfigurationError(
    pool === undefined || pool === null ? 'option_missing' : 'option_invalid',
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
  readonly #silence = new SilenceMonitor();

  constructor(pool: PostgresPool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
    handleErrors(pool);
  }

  /** Runs one statement within the time limit. */
  async run(text: string, values: unknown[]): Promise<Row[]> {
    if (!this.#silence.allowsCommand()) throw unavailable('PostgreSQL does not respond. Retry later.');
    const timeout = new AbortController();
    try {
      const rows = await withTimeout(this.#timeoutMs, runOn(this.#pool, text, values, timeout.signal));
      this.#silence.recordReply();
      return rows;
    } catch (error) {
      timeout.abort();
      if (error instanceof TimeoutError) this.#silence.recordTimeout();
      else if (isServerError(error)) this.#silence.recordReply();
      throw storeError(error);
    }
  }
}

/** @param timeout when it is aborted, the statement is not sent any more, and the connection of a sent one is closed */
async function runOn(pool: PostgresPool, text: string, values: unknown[], timeout: AbortSignal): Promise<Row[]> {
  const client = await pool.connect();
  let isReleased = false;
  const release = (close: boolean) => {
    if (isReleased) return;
    isReleased = true;
    client.off('error', ignore);
    client.release(close);
  };
  if (timeout.aborted) {
    release(false);
    return [];
  }
  // The query rejects too. Without a listener, the event would end the process.
  client.on('error', ignore);
  timeout.addEventListener('abort', () => release(true));
  try {
    const rows = await queryRepeatedly(client, text, values);
    release(false);
    return rows;
  } catch (error) {
    // As pool.query() does: the server may have ended the connection, or have become a standby.
    release(true);
    throw error;
  }
}

/** Repeats a statement that another transaction has made fail: under REPEATABLE READ and SERIALIZABLE, that is usual. */
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
 * A pool emits the error of an idle connection, for example when PostgreSQL restarts, which ends a process without a listener. The
 * pool then opens another connection. Without a listener of the site, it prints a warning, once.
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
