import { TimeoutError } from '../async/with-timeout.js';
import { type ClinicianError, ConfigurationError, ServiceUnavailableError, summarizeError } from '../errors/errors.js';

/**
 * Classes of SQLSTATE (the first two characters) that end by themselves: a lost connection, a conflict of transactions, too few
 * resources, a row or table that is locked, a server that stops or starts.
 */
const TEMPORARY = /^(?:08|40|53|55|57|58|XX)/;

/** What to change when PostgreSQL refuses statements until its configuration, or that of the site, is changed. */
const FIXES: Readonly<Record<string, string>> = {
  '42P01': 'The table does not exist: call createTable(), or run the SQL in the guide PostgreSQL.',
  '42703': 'The table has other columns: another application has created it, so set the option table.',
  '42501': 'Allow its user what the guide PostgreSQL lists.',
  '3F000': 'The schema in the option table does not exist: create it.',
  '28P01': 'User or password of the pool is wrong.',
  '28000': 'Its pg_hba.conf does not allow this connection: check user, database and ssl of the pool.',
  '3D000': 'The database of the pool does not exist: create it.',
  '25006': 'The pool is connected to a standby, or transactions are read-only: connect it to the primary.',
  '53100': 'Its disk is full: free space.',
  '54000': 'An id of a user or a login is too long: use ids of at most 300 characters.',
  '22P05': 'The encoding of the database is not UTF8: use a database with ENCODING UTF8.',
};

/** Errors after which the same statement succeeds at once: a conflict of transactions, and a table that another process creates. */
const REPEATABLE: ReadonlySet<unknown> = new Set(['40001', '40P01', '23505']);

/** @returns true for an error that the server has sent, which has rolled back the statement. */
export function isServerError(error: unknown): error is { code: string } {
  const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown };
  return typeof severity === 'string' && typeof code === 'string';
}

export function isRepeatable(error: unknown): boolean {
  return isServerError(error) && REPEATABLE.has(error.code);
}

/**
 * @returns the error for a failed statement: `token_store_refused` for an error of the server that does not end by itself,
 * `token_store_unavailable` for every other failure
 */
export function storeError(error: unknown): ClinicianError {
  if (error instanceof TimeoutError) return unavailable('PostgreSQL did not reply in time. Retry later.', error);
  if (!isServerError(error)) {
    return unavailable('PostgreSQL cannot be reached, or the pool had no free connection. Retry later.', error);
  }
  const fix = FIXES[error.code];
  if (fix === undefined && TEMPORARY.test(error.code)) {
    return unavailable(`PostgreSQL cannot run statements at the moment: ${error.code}. Retry later.`, error);
  }
  const message = `PostgreSQL refused a statement: ${error.code}. ${fix ?? 'See the cause.'}`;
  // A summary, because an error of the server may contain the values of a row.
  return new ConfigurationError('token_store_refused', message, { cause: summarizeError(error) });
}

export function unavailable(message: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('token_store_unavailable', message, { cause });
}

export function noFreeConnection(cause?: unknown): ServiceUnavailableError {
  const fix = "Retry later. If the site's own queries use all connections, set max of the pool higher.";
  return unavailable(`The pool had no free connection within the time limit. ${fix}`, cause);
}
