import { hash, timingSafeEqual } from 'node:crypto';

/** @returns the SHA-256 of a string in base64url. A lookup by it does not reveal a token through its timing. */
export function digest(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** Compares a value with a digest in constant time. */
export function matchesDigest(value: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(value)), Buffer.from(expected));
}

/** @returns the left half of the SHA-256, for at_hash and c_hash (OpenID Connect Core section 3.1.3.6). */
export function leftHalfHash(value: string): string {
  return hash('sha256', value, 'buffer').toString('base64url', 0, 16);
}
