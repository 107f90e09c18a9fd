import { TimeoutError } from '../async/with-timeout.js';
import { type ClinicianError, ConfigurationError, ServiceUnavailableError, summarizeError } from '../errors/errors.js';

/** The errors of one kind of database. */
export interface Database {
  readonly name: string;
  /** What the store sends to it: `command`. */
  readonly unit: string;
  /** What it means if no connection has an error of the server. */
  readonly unreachable: string;
  /** Codes of a state that ends without a change of the site: the server starts, fails over, lacks resources or rotates a password. */
  readonly temporary: RegExp;
  /** What to change, by code: at once for a refusal, and for a temporary code if it does not end. */
  readonly fixes: Readonly<Record<string, string>>;
  /** @returns the code of an error that the server has sent; undefined for any other error. */
  codeOf(error: unknown): string | undefined;
  /** @returns true for an error of the client by which it reports that the server did not reply. */
  isTimeout?(error: unknown): boolean;
}

export function isTimeout(database: Database, error: unknown): boolean {
  return error instanceof TimeoutError || database.isTimeout?.(error) === true;
}

/**
 * @returns the error for a failed command: `token_store_refused` for an error of the server that does not end by itself,
 * `token_store_unavailable` for every other failure
 */
export function storeError(database: Database, error: unknown): ClinicianError {
  const { name, unit, temporary, fixes } = database;
  if (isTimeout(database, error)) return unavailable(`${name} did not reply in time.`, error);
  const code = database.codeOf(error);
  if (code === undefined) return unavailable(database.unreachable, error);
  const fix = fixes[code];
  if (temporary.test(code)) {
    return unavailable(`${name} cannot run ${unit}s at the moment: ${code}.${fix ? ` ${fix}` : ''}`, error);
  }
  const message = `${name} refused a ${unit}: ${code}. ${fix ?? 'See the cause.'}`;
  // A summary, because an error of the server may contain the values of a row.
  return new ConfigurationError('token_store_refused', message, { cause: summarizeError(error) });
}

export function unavailable(reason: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('token_store_unavailable', `${reason} Retry later.`, { cause });
}
