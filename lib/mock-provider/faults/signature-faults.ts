import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { SignatureFaultName } from './fault-names.js';
import type { IDTokenDraft, IDTokenFault } from './id-token-fault.js';

type Parts = [head: string, body: string, signature: string];
type Header = Record<string, unknown>;

function header(draft: IDTokenDraft, change: Header): void {
  draft.header = { ...draft.header, ...change };
}

function withoutKid(draft: IDTokenDraft): void {
  const { kid: _, ...rest } = draft.header;
  draft.header = rest;
}

/** Puts another signature on the finished token; `sign` is given the text that it stands for. */
function signature(draft: IDTokenDraft, make: (text: string, right: string) => string): void {
  draft.finish = (token) => {
    const [head, body, right] = token.split('.') as Parts;
    return `${head}.${body}.${make(`${head}.${body}`, right)}`;
  };
}

let attacker: { privateKey: KeyObject; publicKey: KeyObject } | undefined;

/** Made once: an RSA key takes a quarter of a second. */
function attackersKey(): { privateKey: KeyObject; publicKey: KeyObject } {
  attacker ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return attacker;
}

const SIGNATURE_RULE = 'OpenID Connect Core section 3.1.3.7 (6)';
const KEY_RULE = 'OpenID Connect Core section 10.1';

/** What is wrong with the signature of an ID Token, or with the keys behind it. */
export const SIGNATURE_FAULTS: Readonly<Record<SignatureFaultName, IDTokenFault>> = {
  badSignature: {
    description: 'The signature of the ID Token is forged.',
    source: SIGNATURE_RULE,
    aliases: ['oidcc-client-test-invalid-sig-rs256', 'invalid-sig-rs256', 'rp-id_token-bad-sig-rs256', 'invalid-sig'],
    apply: (draft) => signature(draft, (_text, right) => `${right.startsWith('A') ? 'B' : 'A'}${right.slice(1)}`),
  },
  algNone: {
    description: 'The ID Token says alg none and is not signed.',
    source: 'RFC 8725 section 3.1',
    aliases: ['oidcc-client-test-idtoken-sig-none', 'idtoken-sig-none', 'rp-id_token-sig-none', 'alg-none'],
    apply(draft) {
      header(draft, { alg: 'none' });
      signature(draft, () => '');
    },
  },
  symmetricKeyConfusion: {
    description: 'The ID Token is signed with HS256, and the public key is the secret.',
    source: 'RFC 8725 section 2.1',
    aliases: ['oidcc-client-test-invalid-sig-hs256', 'invalid-sig-hs256', 'rp-id_token-bad-sig-hs256'],
    apply(draft) {
      const key = draft.key.publicKey.export({ type: 'spki', format: 'pem' });
      header(draft, { alg: 'HS256' });
      signature(draft, (text) => createHmac('sha256', key).update(text).digest('base64url'));
    },
  },
  wrongAlgorithm: {
    description: 'The ID Token is signed with ES256, by a key that nobody publishes.',
    source: 'OpenID Connect Core section 3.1.3.7 (7)',
    aliases: ['oidcc-client-test-invalid-sig-es256', 'invalid-sig-es256', 'rp-id_token-bad-sig-es256'],
    apply(draft) {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      header(draft, { alg: 'ES256' });
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
      signature(draft, (text) => sign('sha256', Buffer.from(text), key).toString('base64url'));
    },
  },
  unknownKid: {
    description: 'The ID Token names a key that is not in the JWKS.',
    source: KEY_RULE,
    apply: (draft) => header(draft, { kid: 'nobody-knows-this-key' }),
  },
  missingKid: {
    description: 'The ID Token names no key, and the JWKS holds one: a client may accept it.',
    source: KEY_RULE,
    aliases: [
      'oidcc-client-test-kid-absent-single-jwks',
      'kid-absent-single-jwks',
      'rp-id_token-kid-absent-single-jwks',
    ],
    apply: withoutKid,
  },
  missingKidSeveralKeys: {
    description: 'The ID Token names no key, and from then on the JWKS holds several.',
    source: KEY_RULE,
    aliases: [
      'oidcc-client-test-kid-absent-multiple-jwks',
      'kid-absent-multiple-jwks',
      'rp-id_token-kid-absent-multiple-jwks',
    ],
    apply(draft, { keys }) {
      keys.publish();
      withoutKid(draft);
    },
  },
  embeddedKey: {
    description: 'The ID Token brings the key along that it is signed with.',
    source: 'RFC 7515 section 10.3',
    apply(draft) {
      const { privateKey, publicKey } = attackersKey();
      const { kid: _, ...rest } = draft.header;
      draft.header = { ...rest, jwk: publicKey.export({ format: 'jwk' }) };
      signature(draft, (text) => sign('sha256', Buffer.from(text), privateKey).toString('base64url'));
    },
  },
  criticalHeader: {
    description: 'The header of the ID Token says that something unknown must be understood.',
    source: 'RFC 7515 section 4.1.11',
    apply: (draft) => header(draft, { crit: ['unheard-of'], 'unheard-of': true }),
  },
  malformedIDToken: {
    description: 'The ID Token is no JWT.',
    source: 'RFC 7519 section 7.2',
    apply(draft) {
      draft.finish = () => 'this-is-no-jwt';
    },
  },
  keysRotatedBeforeSigning: {
    description:
      'The keys are rotated right before the ID Token is signed: a client that knows only the old one must read the JWKS again.',
    source: 'OpenID Connect Core section 10.1.1',
    aliases: [
      'oidcc-client-test-signing-key-rotation-just-before-signing',
      'signing-key-rotation-just-before-signing',
      'rp-key-rotation-op-sign-key-native',
    ],
    apply(draft, { keys }) {
      keys.rotate();
      draft.key = keys.signing;
      header(draft, { kid: draft.key.kid });
    },
  },
  keysRotatedAfterSigning: {
    description:
      'The keys are rotated right after the ID Token is signed: it is still good, and the next one needs the new key.',
    source: 'OpenID Connect Core section 10.1.1',
    aliases: ['oidcc-client-test-signing-key-rotation', 'signing-key-rotation', 'rp-key-rotation-op-sign-key'],
    apply: (_draft, { keys }) => {
      keys.rotate();
    },
  },
};
