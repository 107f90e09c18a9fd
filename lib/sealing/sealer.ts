import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { randomBytes, type Secret } from './secret.js';

interface SealingKey {
  key: KeyObject;
  /** For {@link Sealer.deriver}. */
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
