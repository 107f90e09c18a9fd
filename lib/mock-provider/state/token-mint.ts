import { hash, timingSafeEqual } from 'node:crypto';
import { randomToken } from './random.js';

/** What a token is: it is good for nothing else. */
export type TokenKind = 'code' | 'access' | 'refresh';

const KEY_LENGTH = 24;
const SERIAL_LENGTH = 8;
const BODY_LENGTH = KEY_LENGTH + SERIAL_LENGTH;
const SEAL_LENGTH = 32;
const TOKEN = /^[A-Za-z0-9_-]{24}\d{8}[A-Za-z0-9_-]{32}$/;

/**
 * Makes codes and tokens, and knows its own again, however old: a token is the key of its grant (144 random bits), the
 * number of the pair, and a seal over both (192 bits). So nothing is kept for each token, not even for the used ones, whose
 * second use has to be noticed (decisions 50 and 55).
 */
export class TokenMint {
  // A secret before the text is a sound seal with SHA-512/256, which cannot be extended.
  readonly #secret = randomToken();

  /** @returns the key for a new grant. */
  newKey(): string {
    return randomToken().slice(0, KEY_LENGTH);
  }

  mint(kind: TokenKind, key: string, serial: number): string {
    const body = key + String(serial).padStart(SERIAL_LENGTH, '0');
    return body + this.#seal(kind, body);
  }

  /** @returns what a token that was made here stands for, or undefined for any other text; in constant time (decision 7). */
  read(kind: TokenKind, token: string): { key: string; serial: number } | undefined {
    if (!TOKEN.test(token)) return undefined;
    const body = token.slice(0, BODY_LENGTH);
    const seal = Buffer.from(token.slice(BODY_LENGTH));
    if (!timingSafeEqual(seal, Buffer.from(this.#seal(kind, body)))) return undefined;
    return { key: body.slice(0, KEY_LENGTH), serial: Number(body.slice(KEY_LENGTH)) };
  }

  #seal(kind: TokenKind, body: string): string {
    return hash('sha512-256', `${this.#secret}.${kind}.${body}`, 'base64url').slice(0, SEAL_LENGTH);
  }
}
