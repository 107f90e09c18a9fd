import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Secret } from './secret.js';

/** Holds the result of {@link Sealer.open}. */
interface Opened {
  plain: string;
  /** True when an older secret opened it: seal it again, so that the old secret can be removed later. */
  renew: boolean;
}

/** Encrypts and authenticates text for one purpose. */
export interface Sealer {
  /**
   * @param associatedData is not part of the result, and must be the same at {@link Sealer.open}
   * @returns base64url, which a cookie can hold
   */
  seal(plain: string, associatedData: string): string;
  /** @returns undefined for text that was not sealed with these secrets, purpose and associated data. Never throws. */
  open(sealed: string, associatedData: string): Opened | undefined;
}

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MIN_BYTES = 1 + IV_BYTES + TAG_BYTES;

/**
 * Creates a sealer with AES-256-GCM (NIST SP 800-38D). The first secret seals, each of them opens. Each purpose has its own
 * keys, derived by HKDF-SHA256 (RFC 5869), so that text sealed for one purpose cannot be opened for another.
 * @param secrets at least one, each of at least 32 bytes, because HKDF adds no entropy: `lib/options` has checked them
 */
export function createSealer(secrets: readonly Secret[], purpose: string): Sealer {
  const keys = secrets.map((secret) => deriveKey(secret, purpose));
  const newest = keys[0] as KeyObject;

  return {
    seal(plain, associatedData) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest, iv).setAAD(authenticated(associatedData));
      const text = [cipher.update(plain, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), iv, ...text, cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed, associatedData) {
      const bytes = decode(sealed);
      if (bytes === undefined) return undefined;
      for (const [index, key] of keys.entries()) {
        const plain = decipher(bytes, key, associatedData);
        if (plain !== undefined) return { plain, renew: index > 0 };
      }
      return undefined;
    },
  };
}

function deriveKey(secret: Secret, purpose: string): KeyObject {
  const info = `passport-clinician sealer v${VERSION} ${purpose}`;
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret.reveal(), '', info, 32)));
}

function authenticated(associatedData: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(associatedData, 'utf8')]);
}

/** Accepts one spelling of the same bytes only, so that callers can compare sealed texts as strings. */
function decode(sealed: string): Buffer | undefined {
  if (typeof sealed !== 'string') return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < MIN_BYTES || bytes[0] !== VERSION) return undefined;
  return bytes.toString('base64url') === sealed ? bytes : undefined;
}

function decipher(bytes: Buffer, key: KeyObject, associatedData: string): string | undefined {
  const iv = bytes.subarray(1, 1 + IV_BYTES);
  const text = bytes.subarray(1 + IV_BYTES, -TAG_BYTES);
  try {
    const opening = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      .setAAD(authenticated(associatedData))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([opening.update(text), opening.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
