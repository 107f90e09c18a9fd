// What the token stores in databases have in common.

import type { OptionRule } from '../options/option-table.js';
import type { TokenStoreLock } from './token-store.js';

/** Checks the option `timeout`. */
export const timeoutRule: OptionRule<number> = {
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
  return key.replace(/[\\\0\p{Surrogate}]/gu, (character) => `\\${hex(character.charCodeAt(0))}`);
}

export function decodeKey(encoded: string): string {
  return encoded.replace(/\\([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
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
