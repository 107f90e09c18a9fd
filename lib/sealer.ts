import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { randomBytes } from './random.js';
import type { Secret } from './secret.js';

/** Encrypts and authenticates text for one purpose. */
export interface Sealer {
  /**
   * @param associatedData is not part of the result, and must be the same at {@link Sealer.open}
   * @returns base64url, which a cookie can hold
   */
  seal(plain: string, associatedData: string): string;
  /** @returns the length of the text that {@link Sealer.seal} returns. */
  sealedLength(plain: string): number;
  /** @returns undefined for text that was not sealed with these secrets, purpose and associated data. Never throws. */
  open(sealed: string, associatedData: string): string | undefined;
  /**
   * Returns true for text that names another secret than these, or that has the format of a newer version. Forged text may do so
   * too. Never throws.
   */
  isOfUnknownSecret(sealed: string): boolean;
}

interface SealingKey {
  key: KeyObject;
  /** Distinguishes text of an unknown secret from altered text. It is part of the sealed text, and reveals nothing about the key. */
  id: Buffer;
}

/** The format: version, key id, IV, encrypted text, tag. */
const VERSION = 2;
const KEY_ID_BYTES = 4;
/** Format 1 has no key id. It is still read, so that an upgrade signs no user out. */
const VERSION_WITHOUT_KEY_ID = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Creates a sealer with AES-256-GCM (NIST SP 800-38D). The first secret seals, each of them opens. Each purpose has its own
 * keys, derived by HKDF-SHA256 (RFC 5869), so that text sealed for one purpose cannot be opened for another.
 * @param secrets at least one, each of at least 32 bytes, because HKDF adds no entropy: `lib/options` has checked them
 * @param onUnknownSecret is called when {@link Sealer.open} receives text of an unknown secret
 */
export function createSealer(secrets: readonly Secret[], purpose: string, onUnknownSecret?: () => void): Sealer {
  const keys = secrets.map((secret) => deriveKey(secret, purpose));
  const first = keys[0] as SealingKey;
  const header = Buffer.concat([Buffer.of(VERSION), first.id]);

  /** Returns the keys that may have sealed the text: of format 1, any. */
  function candidates(bytes: Buffer): SealingKey[] {
    if (bytes[0] === VERSION_WITHOUT_KEY_ID) return keys;
    return bytes[0] === VERSION ? keys.filter(({ id }) => id.equals(bytes.subarray(1, 1 + KEY_ID_BYTES))) : [];
  }

  function isOfUnknownSecret(bytes: Buffer): boolean {
    const [version] = bytes;
    return version === VERSION + 1 || (version === VERSION && candidates(bytes).length === 0);
  }

  return {
    seal(plain, associatedData) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(authenticated(header, associatedData));
      const text = [cipher.update(plain, 'utf8'), cipher.final()];
      return Buffer.concat([header, iv, ...text, cipher.getAuthTag()]).toString('base64url');
    },
    sealedLength(plain) {
      const bytes = header.length + IV_BYTES + Buffer.byteLength(plain) + TAG_BYTES;
      return Math.ceil((bytes * 4) / 3);
    },
    open(sealed, associatedData) {
      const bytes = decode(sealed);
      if (bytes === undefined) return undefined;
      for (const { key } of candidates(bytes)) {
        const plain = decipher(bytes, key, associatedData);
        if (plain !== undefined) return plain;
      }
      if (isOfUnknownSecret(bytes)) onUnknownSecret?.();
      return undefined;
    },
    isOfUnknownSecret(sealed) {
      const bytes = decode(sealed);
      return bytes !== undefined && isOfUnknownSecret(bytes);
    },
  };
}

function deriveKey(secret: Secret, purpose: string): SealingKey {
  // Both formats have the same key: the version is part of the authenticated data.
  const info = `passport-clinician sealer v1 ${purpose}`;
  const bytes = Buffer.from(hkdfSync('sha256', secret.reveal(), '', info, KEY_BYTES + KEY_ID_BYTES));
  return { key: createSecretKey(bytes.subarray(0, KEY_BYTES)), id: bytes.subarray(KEY_BYTES) };
}

/** @param header the bytes before the IV */
function authenticated(header: Buffer, associatedData: string): Buffer {
  return Buffer.concat([header, Buffer.from(associatedData, 'utf8')]);
}

/** Accepts one spelling of the same bytes only, so that callers can compare sealed texts as strings. */
function decode(sealed: string): Buffer | undefined {
  if (typeof sealed !== 'string') return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < headerLength(bytes) + IV_BYTES + TAG_BYTES) return undefined;
  return bytes.toString('base64url') === sealed ? bytes : undefined;
}

function headerLength(bytes: Buffer): number {
  return bytes[0] === VERSION_WITHOUT_KEY_ID ? 1 : 1 + KEY_ID_BYTES;
}

function decipher(bytes: Buffer, key: KeyObject, associatedData: string): string | undefined {
  const start = headerLength(bytes);
  const iv = bytes.subarray(start, start + IV_BYTES);
  const text = bytes.subarray(start + IV_BYTES, -TAG_BYTES);
  try {
    const opening = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      .setAAD(authenticated(bytes.subarray(0, start), associatedData))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([opening.update(text), opening.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
