import type { Members } from './fault.js';
import { foreignJWK } from './id-token-signatures.js';

/** Defines the faults of an ID Token: its signature first, then its claims. */
export const ID_TOKEN_FAULTS = {
  badSignature: {
    description: 'The signature of the ID Token is forged.',
    source: 'OpenID Connect Core section 3.1.3.7 (6)',
    signature: 'altered',
  },
  algNone: {
    description: 'The ID Token has alg none and no signature.',
    source: 'RFC 8725 section 3.1',
    header: { set: { alg: 'none' } },
    signature: 'empty',
  },
  symmetricKeyConfusion: {
    description: 'The ID Token is signed with HS256; the secret is the public key.',
    source: 'RFC 8725 section 2.1',
    header: { set: { alg: 'HS256' } },
    signature: 'hmac-of-public-key',
  },
  wrongAlgorithm: {
    description: 'The ID Token is signed with ES256 and a key that is not published.',
    source: 'OpenID Connect Core section 3.1.3.7 (7)',
    header: { set: { alg: 'ES256' } },
    signature: 'foreign-ec-key',
  },
  unknownKid: {
    description: 'The kid of the ID Token is not in the JWKS.',
    source: 'OpenID Connect Core section 10.1',
    header: { set: { kid: 'unpublished-key' } },
  },
  missingKid: {
    description: 'The ID Token has no kid and the JWKS contains one key: a client may accept it.',
    source: 'OpenID Connect Core section 10.1',
    header: { remove: 'kid' },
  },
  missingKidSeveralKeys: {
    description: 'The ID Token has no kid and the JWKS contains several keys from then on.',
    source: 'OpenID Connect Core section 10.1',
    header: { remove: 'kid' },
    keys: 'publish-next',
  },
  embeddedKey: {
    description: 'The header of the ID Token contains the key that signed it.',
    source: 'RFC 7515 section 10.3',
    header: { remove: 'kid', change: (header: Members): Members => ({ ...header, jwk: foreignJWK() }) },
    signature: 'foreign-rsa-key',
  },
  criticalHeader: {
    description: 'The header of the ID Token marks an unknown parameter as critical.',
    source: 'RFC 7515 section 4.1.11',
    header: { set: { crit: ['unknown-parameter'], 'unknown-parameter': true } },
  },
  malformedIDToken: {
    description: 'The ID Token is not a JWT.',
    source: 'RFC 7519 section 7.2',
    token: 'not-a-jwt',
  },
  keysRotated: {
    description:
      'The keys are rotated before the ID Token is signed: a client that cached the JWKS must fetch it again.',
    source: 'OpenID Connect Core section 10.1.1',
    keys: 'rotate',
  },
  wrongIssuer: {
    description: 'iss is another issuer.',
    source: 'OpenID Connect Core section 3.1.3.7 (2)',
    set: { iss: 'https://evil.example' },
  },
  wrongAudience: {
    description: 'aud and azp are another client.',
    source: 'OpenID Connect Core section 3.1.3.7 (3)',
    set: { aud: ['another-client'], azp: 'another-client' },
  },
  extraAudience: {
    description: 'aud contains the client and an audience that the client does not trust.',
    source: 'OpenID Connect Core section 3.1.3.7 (3)',
    change: ({ aud, ...claims }: Members): Members => ({ ...claims, aud: [aud, 'https://evil.example'].flat() }),
  },
  wrongAzp: {
    description: 'azp is another client.',
    source: 'OpenID Connect Core section 3.1.3.7 (5)',
    set: { azp: 'another-client' },
  },
  wrongNonce: {
    description: 'The ID Token of a sign-in has another nonce.',
    source: 'OpenID Connect Core section 3.1.3.7 (11)',
    grantType: 'authorization_code',
    set: { nonce: 'another-nonce' },
  },
  wrongAtHash: {
    description: 'at_hash belongs to another access token.',
    source: 'OpenID Connect Core section 3.1.3.8',
    requires: 'at_hash',
    set: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' },
  },
  wrongSubject: {
    description: 'sub is another user: at a refresh a client compares it with that of the sign-in.',
    source: 'OpenID Connect Core section 2',
    set: { sub: '00000000-0000-4000-8000-000000000000' },
  },
  expired: {
    description: 'The ID Token has expired.',
    source: 'OpenID Connect Core section 3.1.3.7 (9)',
    change: (claims: Members): Members => ({ ...claims, exp: Number(claims.iat) - 3600 }),
  },
  issuedInFuture: {
    description: 'iat is an hour in the future.',
    source: 'OpenID Connect Core section 3.1.3.7 (10)',
    change: (claims: Members): Members => moveTimes(claims, ['iat', 'exp'], 3600),
  },
  staleAuthTime: {
    description: 'auth_time is a day in the past.',
    source: 'OpenID Connect Core section 3.1.3.7 (13)',
    change: (claims: Members): Members => moveTimes(claims, ['auth_time'], -86_400),
  },
  missingSub: {
    description: 'sub is missing.',
    source: 'OpenID Connect Core section 2',
    remove: 'sub',
  },
  missingAud: {
    description: 'aud is missing.',
    source: 'OpenID Connect Core section 2',
    remove: 'aud',
  },
  missingAzp: {
    description: 'azp is missing, although there are several audiences.',
    source: 'OpenID Connect Core section 3.1.3.7 (4)',
    remove: 'azp',
  },
  missingExp: {
    description: 'exp is missing.',
    source: 'OpenID Connect Core section 2',
    remove: 'exp',
  },
  missingIat: {
    description: 'iat is missing.',
    source: 'OpenID Connect Core section 2',
    remove: 'iat',
  },
  missingNonce: {
    description: 'nonce is missing, although the client sent one.',
    source: 'OpenID Connect Core section 3.1.3.7 (11)',
    remove: 'nonce',
  },
  missingAuthTime: {
    description: 'auth_time is missing.',
    source: 'OpenID Connect Core section 3.1.3.7 (13)',
    remove: 'auth_time',
  },
  missingAtHash: {
    description: 'at_hash is missing: at the token endpoint a client may accept it.',
    source: 'OpenID Connect Core section 3.1.3.6',
    remove: 'at_hash',
  },
} as const;

function moveTimes(claims: Members, names: readonly string[], seconds: number): Members {
  return { ...claims, ...Object.fromEntries(names.map((name) => [name, Number(claims[name]) + seconds])) };
}
