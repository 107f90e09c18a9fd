import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Names how an ID Token is signed in place of the correct signature. */
export type SignatureMethod = 'altered' | 'empty' | 'hmac-of-public-key' | 'foreign-ec-key' | 'foreign-rsa-key';

interface SignatureContext {
  /** The correct signature, in base64url. */
  readonly signature: string;
  /** The key that verifies it. */
  readonly publicKey: KeyObject;
}

/** Maps each method to a function that returns the signature of `input`, the first two parts of the JWT, in base64url. */
export const SIGNATURES: Readonly<Record<SignatureMethod, (input: string, context: SignatureContext) => string>> = {
  altered: (_input, { signature }) => `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
  empty: () => '',
  'hmac-of-public-key': (input, { publicKey }) =>
    createHmac('sha256', publicKey.export({ type: 'spki', format: 'pem' }))
      .update(input)
      .digest('base64url'),
  'foreign-ec-key': (input) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  },
  'foreign-rsa-key': (input) => sign('sha256', Buffer.from(input), foreignKeys().privateKey).toString('base64url'),
};

/** @returns the public part of the key that signs for `foreign-rsa-key`. */
export function foreignJWK(): object {
  return foreignKeys().publicKey.export({ format: 'jwk' });
}

let foreign: { privateKey: KeyObject; publicKey: KeyObject } | undefined;

/** Generates the keys once, because an RSA key takes a quarter of a second. */
function foreignKeys(): { privateKey: KeyObject; publicKey: KeyObject } {
  foreign ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return foreign;
}
