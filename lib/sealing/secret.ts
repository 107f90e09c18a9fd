import { randomBytes as systemRandomBytes, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

/**
 * A string that is not printed: not by `console.log` or `util.inspect`, not in JSON, not in a template. Only {@link
 * Secret.reveal} returns the value, so that a text search finds every use of a secret.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** @returns the value. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}

Object.defineProperty(Secret.prototype, inspect.custom, { value: () => '[secret]' });

/** Compares two strings in a time that does not depend on where they differ. Their length is not protected. */
export function constantTimeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

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
