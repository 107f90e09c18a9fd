import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { ConfigurationError } from '../errors.js';
import type { Secret } from '../secret.js';

/** What {@link Sealer.open} gives back. */
export interface Opened {
  plain: string;
  /** True when an older key of the ring opened it: seal it again, so that the old key can be dropped one day. */
  renew: boolean;
}

/** Seals text so that nobody without the key can read it, change it or use it for another purpose. */
export interface Sealer {
  /**
   * @param associatedData is not kept in the sealed text, but must be the same again at {@link Sealer.open}
   * @returns base64url, safe in a cookie
   */
  seal(plain: string, associatedData: string): string;
  /** @returns nothing for whatever was not sealed by this ring for this purpose and these associated data. Never throws. */
  open(sealed: string, associatedData: string): Opened | undefined;
}

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FEWEST_BYTES = 1 + IV_BYTES + TAG_BYTES;

/** A secret shorter than this is refused: HKDF cannot add strength that is not there. */
export const FEWEST_SECRET_BYTES = 32;

/**
 * A key ring on AES-256-GCM (NIST SP 800-38D): the first secret seals, every one of them opens.
 * Each purpose has its own keys, by HKDF-SHA256 (RFC 5869), so that what is sealed for one place does not open in another.
 */
export function createSealer(secrets: readonly Secret[], purpose: string): Sealer {
  const ring = secrets.map((secret) => deriveKey(secret, purpose));
  const newest = ring[0];
  if (newest === undefined) {
    throw new ConfigurationError('secret_missing', 'Nothing can be sealed without a secret: give the option `secret`.');
  }

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
      for (const [index, key] of ring.entries()) {
        const plain = decipher(bytes, key, associatedData);
        if (plain !== undefined) return { plain, renew: index > 0 };
      }
      return undefined;
    },
  };
}

function deriveKey(secret: Secret, purpose: string): KeyObject {
  const value = secret.reveal();
  if (Buffer.byteLength(value) < FEWEST_SECRET_BYTES) {
    throw new ConfigurationError(
      'secret_too_short',
      `A secret to seal with must have at least ${FEWEST_SECRET_BYTES} bytes: make one with \`openssl rand -base64 32\`.`,
    );
  }
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', value, '', `passport-clinician sealer v${VERSION} ${purpose}`, 32)),
  );
}

function authenticated(associatedData: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(associatedData, 'utf8')]);
}

// Encoding it back refuses every second spelling of the same bytes: whoever remembers sealed texts by their letters may rely on it.
function decode(sealed: string): Buffer | undefined {
  if (typeof sealed !== 'string') return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < FEWEST_BYTES || bytes[0] !== VERSION) return undefined;
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
