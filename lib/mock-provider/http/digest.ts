import { hash, timingSafeEqual } from 'node:crypto';

/** @returns the SHA-256 of a string in base64url. Tokens are looked up by it, so a lookup's timing tells nothing about them. */
export function digest(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** @returns true when a value has this digest, in constant time (decision 7). */
export function matchesDigest(value: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(value)), Buffer.from(expected));
}

/** @returns the left half of a value's SHA-256, as at_hash and c_hash carry it (OpenID Connect Core 3.1.3.6). */
export function leftHalfHash(value: string): string {
  return hash('sha256', value, 'buffer').toString('base64url', 0, 16);
}
