import { randomBytes } from 'node:crypto';

const BYTES = 24;
const POOL = BYTES * 128;
let pool = Buffer.alloc(0);
let used = 0;

/** @returns 192 random bits as 32 base64url characters. */
export function randomToken(): string {
  // One system call serves many tokens, because it takes longer than the rest of this function.
  if (used >= pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  const token = pool.toString('base64url', used, used + BYTES);
  pool.fill(0, used, used + BYTES);
  used += BYTES;
  return token;
}
