import { hash, randomFillSync, timingSafeEqual } from 'node:crypto';

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

/** In a vm context, as in a test with jest, each access to a global object takes longer than a multiplication. */
const { imul } = Math;
const [SEED_HIGH = 0, SEED_LOW = 0] = randomFillSync(new Int32Array(2));

/**
 * @returns a number of 53 bits, which shows whether a secret value is used again, and from which the value cannot be calculated: it
 * differs between processes. Two multiplications per character take a tenth of the time of a SHA-256.
 */
export function fingerprint(value: string): number {
  let high = SEED_HIGH;
  let low = SEED_LOW;
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index);
    high = imul(high ^ unit, 0x9e3779b1);
    low = imul(low ^ unit, 0x5f356495);
  }
  high = imul(high ^ (high >>> 16), 0x85ebca6b) ^ imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = imul(low ^ (low >>> 16), 0x85ebca6b) ^ imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
