import { randomBytes } from 'node:crypto';

const BYTES = 24;
const POOL = BYTES * 128;
let pool = Buffer.alloc(0);
let used = 0;

/** @returns 192 random bits as 32 base64url characters: a code, a token, a cookie (decisions 38 and 58). */
export function randomToken(): string {
  // One call for many ids: asking the system for 24 bytes costs more than all the rest of making an id.
  if (used >= pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  const token = pool.toString('base64url', used, used + BYTES);
  pool.fill(0, used, used + BYTES);
  used += BYTES;
  return token;
}
