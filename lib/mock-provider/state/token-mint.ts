import { hash, timingSafeEqual } from 'node:crypto';
import { randomToken } from '../http/random.js';

/** Names the kind of a token; a token of one kind is invalid as another. */
export type TokenKind = 'code' | 'access' | 'refresh';

const KEY_LENGTH = 32;
const SERIAL_LENGTH = 8;
const BODY_LENGTH = KEY_LENGTH + SERIAL_LENGTH;
const MAC_LENGTH = 32;
const TOKEN = /^[A-Za-z0-9_-]{32}\d{8}[A-Za-z0-9_-]{32}$/;

/**
 * Creates codes and tokens, and recognises them without storing them. A token is the key of its grant (192 random bits), the
 * number of the pair, and a MAC over both (192 bits). So a second use of an old token is detected too.
 */
export class TokenMint {
  // A secret prefix is a sound MAC with SHA-512/256, which has no length extension.
  readonly #secret = randomToken();

  /** @returns the key for a new grant. */
  newKey(): string {
    return randomToken();
  }

  mint(kind: TokenKind, key: string, serial: number): string {
    const body = key + String(serial).padStart(SERIAL_LENGTH, '0');
    return body + this.#mac(kind, body);
  }

  /** @returns the grant key and the pair number of a token, or undefined for any other text; compares in constant time. */
  read(kind: TokenKind, token: string): { key: string; serial: number } | undefined {
    if (!TOKEN.test(token)) return undefined;
    const body = token.slice(0, BODY_LENGTH);
    const mac = Buffer.from(token.slice(BODY_LENGTH));
    if (!timingSafeEqual(mac, Buffer.from(this.#mac(kind, body)))) return undefined;
    return { key: body.slice(0, KEY_LENGTH), serial: Number(body.slice(KEY_LENGTH)) };
  }

  #mac(kind: TokenKind, body: string): string {
    return hash('sha512-256', `${this.#secret}.${kind}.${body}`, 'base64url').slice(0, MAC_LENGTH);
  }
}
