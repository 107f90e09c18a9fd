import type { ServiceUnavailableError } from '../errors/errors.js';
import { type Database, unavailable } from './store-errors.js';

const NAME_IN_USE =
  'Something else has the name of the table, or of its indexes, which end in _user and _expiry: set the option table to another name.';

/** The errors of PostgreSQL, by SQLSTATE. */
export const POSTGRES: Database = {
  name: 'PostgreSQL',
  unit: 'statement',
  unreachable: 'PostgreSQL cannot be reached, or the pool had no free connection.',
  // Classes, by their first two characters: a lost connection, a conflict of transactions, too few resources, a row or table that
  // is locked, a server that stops or starts. A primary that has become a standby, and a password that is rotated.
  temporary: /^(?:08|40|53|55|57|58|XX|25006|28P01)/,
  fixes: {
    '42P01': 'The table does not exist: call createTable(), or run the SQL in the guide PostgreSQL.',
    '42703': 'The table has other columns: another application has created it, so set the option table.',
    '42809': NAME_IN_USE,
    '42P07': NAME_IN_USE,
    '42501': 'Allow its user what the guide PostgreSQL lists.',
    '3F000': 'The schema in the option table does not exist: create it.',
    '28P01': 'User or password of the pool is wrong.',
    '28000': 'Its pg_hba.conf does not allow this connection: check user, database and ssl of the pool.',
    '3D000': 'The database of the pool does not exist: create it.',
    '25006': 'The pool is connected to a standby, or transactions are read-only: connect it to the primary.',
    '53100': 'Its disk is full: free space.',
    '54000': 'An id of a user or a login is too long: use ids of at most 300 characters.',
    '22P05': 'The encoding of the database is not UTF8: use a database with ENCODING UTF8.',
  },
  codeOf,
};

/** @returns the SQLSTATE of an error that the server has sent, which has rolled back the statement. */
function codeOf(error: unknown): string | undefined {
  const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown };
  return typeof severity === 'string' && typeof code === 'string' ? code : undefined;
}

/** @returns true if the same statement succeeds at once, after a conflict of transactions. */
export function isRepeatable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '');
}

export function noFreeConnection(cause?: unknown): ServiceUnavailableError {
  const fix = "If the site's own queries use all connections, set max of the pool higher.";
  return unavailable(`The pool had no free connection within the time limit. ${fix}`, cause);
}
