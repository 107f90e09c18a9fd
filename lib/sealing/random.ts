import { randomBytes as systemRandomBytes } from 'node:crypto';

/** A call of `node:crypto` costs more than the bytes. */
const BLOCK_BYTES = 4096;

let block = Buffer.alloc(0);

/** @returns cryptographically random bytes, each of them once. @param size at most 4096 */
export function randomBytes(size: number): Buffer {
  if (size > block.length) block = systemRandomBytes(BLOCK_BYTES);
  const bytes = block.subarray(0, size);
  block = block.subarray(size);
  return bytes;
}

/** @returns random bytes in base64url. */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
