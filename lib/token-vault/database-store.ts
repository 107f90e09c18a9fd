// What the token stores in databases have in common.

import { TimeoutError } from '../async/timers.js';
import { type ClinicianError, ConfigurationError, ServiceUnavailableError, summarizeError } from '../errors/errors.js';
import type { Schema } from '../schema.js';
import type { TokenStoreLock } from './token-store.js';

/** The errors of one kind of database. */
export interface Database {
  readonly name: string;
  /** What an error without a code means. */
  readonly unreachable: string;
  /** Codes of a state that ends without a change of the site: the server starts, fails over, lacks resources or rotates a password. */
  readonly temporary: RegExp;
  /** What to change, by code: at once for a refusal, and for a temporary code if it does not end. */
  readonly fixes: Readonly<Record<string, string>>;
  /** @returns the code of an error that the server has sent; undefined for any other error. */
  codeOf(error: unknown): string | undefined;
}

/**
 * @returns the error for a failed operation: `token_store_refused` for an error of the server that does not end by itself,
 * `token_store_unavailable` for every other failure
 */
export function storeError({ name, unreachable, temporary, fixes, codeOf }: Database, error: unknown): ClinicianError {
  if (error instanceof TimeoutError) return unavailable(`${name} did not reply in time.`, error);
  const code = codeOf(error);
  if (code === undefined) return unavailable(unreachable, error);
  const reply = `${name} replied ${code}.`;
  const fix = fixes[code];
  if (temporary.test(code)) return unavailable(fix === undefined ? reply : `${reply} ${fix}`, error);
  // A summary, because an error of the server may contain the values of a row.
  return new ConfigurationError('token_store_refused', `${reply} ${fix ?? 'See the cause.'}`, {
    cause: summarizeError(error),
  });
}

function unavailable(reason: string, cause?: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('token_store_unavailable', `${reason} Retry later.`, { cause });
}

/** Checks the option `timeout`. */
export const timeoutRule: Schema<number> = {
  type: 'a number of milliseconds above 0',
  isValid: (value) => typeof value === 'number' && value > 0,
  default: 2_000,
};

/** Databases accept integers or timestamps of a limited range, not an infinite TTL. */
const MAX_TTL_MS = 100 * 365 * 24 * 60 * 60 * 1000;

export function limitedTTL(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, 0), MAX_TTL_MS)) || 0;
}

/**
 * Encodes what a database cannot store in a text: U+0000, and a surrogate without its pair, which becomes U+FFFD in UTF-8. Then keys
 * that differ in it would be the same.
 */
export function encodeKey(key: string): string {
  const codeOf = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
  return key.replace(/[\\\0\p{Surrogate}]/gu, (character) => `\\${codeOf(character)}`);
}

export function decodeKey(encoded: string): string {
  return encoded.replace(/\\([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** @returns the lock, or undefined if it was not acquired. */
export async function lockWith(
  acquire: () => Promise<boolean>,
  release: () => Promise<void>,
): Promise<TokenStoreLock | undefined> {
  try {
    return (await acquire()) ? { release } : undefined;
  } catch (error) {
    // The lock may be held although the reply was lost: release it, so that other processes do not wait until it expires.
    release().catch(() => undefined);
    throw error;
  }
}
