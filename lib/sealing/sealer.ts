import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes as systemRandomBytes,
  timingSafeEqual,
} from 'node:crypto';
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

interface SealingKey {
  key: KeyObject;
  derivationKey: KeyObject;
  /** Distinguishes text of an unknown secret from altered text. It is part of the sealed text, and reveals nothing about the key. */
  id: Buffer;
}

/** @returns a secret value for a label: 32 bytes in base64url, the same for the same secret, purpose, label and associated data. */
export type Derive = (label: string) => string;

/** The version of the format: version, key id, IV, encrypted text, tag. */
const VERSION = 2;
const KEY_ID_BYTES = 4;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Encrypts and authenticates text for one purpose, with AES-256-GCM (NIST SP 800-38D). The first secret seals, each of them opens.
 * Each purpose has its own keys, derived by HKDF-SHA256 (RFC 5869), so that text sealed for one purpose cannot be opened for another.
 */
export class Sealer {
  readonly #keys: readonly SealingKey[];
  readonly #first: SealingKey;
  readonly #onUnknownSecret: (() => void) | undefined;

  /**
   * @param secrets at least one, each of at least 32 bytes, because HKDF adds no entropy: `lib/options` has checked them
   * @param onUnknownSecret is called when {@link Sealer.open} receives text of an unknown secret
   */
  constructor(secrets: readonly Secret[], purpose: string, onUnknownSecret?: () => void) {
    this.#keys = secrets.map((secret) => deriveKey(secret, purpose));
    this.#first = this.#keys[0] as SealingKey;
    this.#onUnknownSecret = onUnknownSecret;
  }

  /**
   * @param associatedData is not part of the result, and must be the same at {@link Sealer.open}
   * @returns base64url, which a cookie can hold
   */
  seal(plain: string, associatedData: string): string {
    const { key, id } = this.#first;
    const header = Buffer.concat([Buffer.of(VERSION), id]);
    const iv = randomBytes(IV_BYTES);
    const authenticated = Buffer.concat([header, Buffer.from(associatedData, 'utf8')]);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(authenticated);
    const text = [cipher.update(plain, 'utf8'), cipher.final()];
    return Buffer.concat([header, iv, ...text, cipher.getAuthTag()]).toString('base64url');
  }

  /** @returns undefined for text that was not sealed with these secrets, purpose and associated data. Never throws. */
  open(sealed: string, associatedData: string): string | undefined {
    return this.openToDerive(sealed, associatedData)?.plain;
  }

  /** Opens as {@link Sealer.open}. @returns the text, and what {@link Sealer.deriver} has returned when it was sealed */
  openToDerive(sealed: string, associatedData: string): { plain: string; derive: Derive } | undefined {
    const bytes = decode(sealed);
    if (bytes === undefined) return undefined;
    for (const { key, derivationKey, id } of this.#keys) {
      const plain = names(bytes, id) ? decipher(bytes, key, associatedData) : undefined;
      if (plain !== undefined) return { plain, derive: deriverWith(derivationKey, associatedData) };
    }
    if (this.#isOfUnknownSecret(bytes)) this.#onUnknownSecret?.();
    return undefined;
  }

  /** @returns a function that derives secret values from the secret that seals now, by HMAC-SHA256. */
  deriver(associatedData: string): Derive {
    return deriverWith(this.#first.derivationKey, associatedData);
  }

  /**
   * Returns true for text that names another secret than these, or that has the format of a newer version. Forged text may do so
   * too. Never throws.
   */
  isOfUnknownSecret(sealed: string): boolean {
    const bytes = decode(sealed);
    return bytes !== undefined && this.#isOfUnknownSecret(bytes);
  }

  #isOfUnknownSecret(bytes: Buffer): boolean {
    const [version] = bytes;
    return version === VERSION + 1 || (version === VERSION && !this.#keys.some(({ id }) => names(bytes, id)));
  }
}

function deriveKey(secret: Secret, purpose: string): SealingKey {
  const info = `passport-clinician sealer v1 ${purpose}`;
  const length = KEY_BYTES + KEY_ID_BYTES + KEY_BYTES;
  const bytes = Buffer.from(hkdfSync('sha256', secret.reveal(), '', info, length));
  return {
    key: createSecretKey(bytes.subarray(0, KEY_BYTES)),
    id: bytes.subarray(KEY_BYTES, -KEY_BYTES),
    derivationKey: createSecretKey(bytes.subarray(-KEY_BYTES)),
  };
}

function deriverWith(key: KeyObject, associatedData: string): Derive {
  return (label) =>
    createHmac('sha256', key)
      .update(JSON.stringify([label, associatedData]))
      .digest('base64url');
}

/** @returns true for text of this version that names the key with this id. */
function names(bytes: Buffer, id: Buffer): boolean {
  return bytes[0] === VERSION && id.equals(bytes.subarray(1, HEADER_BYTES));
}

/** Accepts one spelling of the same bytes only, so that callers can compare sealed texts as strings. */
function decode(sealed: string): Buffer | undefined {
  if (typeof sealed !== 'string') return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < HEADER_BYTES + IV_BYTES + TAG_BYTES) return undefined;
  return bytes.toString('base64url') === sealed ? bytes : undefined;
}

function decipher(bytes: Buffer, key: KeyObject, associatedData: string): string | undefined {
  const iv = bytes.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
  const text = bytes.subarray(HEADER_BYTES + IV_BYTES, -TAG_BYTES);
  const authenticated = Buffer.concat([bytes.subarray(0, HEADER_BYTES), Buffer.from(associatedData, 'utf8')]);
  try {
    const opening = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      .setAAD(authenticated)
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([opening.update(text), opening.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** A text is a string that is not empty, a number is finite, an object is not an array. With `?` the member may be absent. */
type MemberType = 'text' | 'string' | 'number' | 'boolean' | 'object' | 'strings';
/** The type of each member of stored data. */
export type MemberTypes<T> = { readonly [Name in keyof T]-?: MemberType | `${MemberType}?` };

/**
 * @returns true for an object with these members. Stored data can be of another version of this package, or of another program that
 * writes to the same store.
 */
export function hasMembers<T>(value: unknown, types: MemberTypes<T>): value is T {
  if (typeof value !== 'object' || value === null) return false;
  try {
    for (const name in types) {
      const type: string = types[name];
      const member: unknown = (value as T)[name];
      const expected = type.replace('?', '');
      if (member === undefined && type !== expected) continue;
      const isList = Array.isArray(member);
      const isOther = expected === 'text' ? typeof member !== 'string' || member === '' : typeof member !== expected;
      if (expected === 'strings' ? !isList : isList || isOther || member === null) return false;
      if (expected === 'number' && !Number.isFinite(member)) return false;
      if (isList) for (const item of member) if (typeof item !== 'string') return false;
    }
    return true;
  } catch {
    // An object of a store without JSON can have a getter that throws.
    return false;
  }
}

/** @returns stored JSON with these members; undefined for any other text. */
export function parseStored<T>(text: string, types: MemberTypes<T>): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return hasMembers(value, types) ? value : undefined;
  } catch {
    return undefined;
  }
}
