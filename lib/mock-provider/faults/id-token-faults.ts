import { parseDuration } from '../options/duration.js';
import type { FaultOptions, Members } from './fault.js';
import { foreignJWK } from './id-token-signatures.js';

/** Defines the faults of an ID Token: its signature first, then its claims. */
export const ID_TOKEN_FAULTS = {
  badSignature: {
    description: 'The signature of the ID Token is forged.',
    source: 'OpenID Connect Core section 3.1.3.7 (6)',
    aliases: ['oidcc-client-test-invalid-sig-rs256', 'invalid-sig-rs256', 'rp-id_token-bad-sig-rs256', 'invalid-sig'],
    signature: 'altered',
  },
  algNone: {
    description: 'The ID Token has alg none and no signature.',
    source: 'RFC 8725 section 3.1',
    aliases: ['oidcc-client-test-idtoken-sig-none', 'idtoken-sig-none', 'rp-id_token-sig-none', 'alg-none'],
    header: { set: { alg: 'none' } },
    signature: 'empty',
  },
  symmetricKeyConfusion: {
    description: 'The ID Token is signed with HS256; the secret is the public key.',
    source: 'RFC 8725 section 2.1',
    aliases: ['oidcc-client-test-invalid-sig-hs256', 'invalid-sig-hs256', 'rp-id_token-bad-sig-hs256'],
    header: { set: { alg: 'HS256' } },
    signature: 'hmac-of-public-key',
  },
  wrongAlgorithm: {
    description: 'The ID Token is signed with ES256 and a key that is not published.',
    source: 'OpenID Connect Core section 3.1.3.7 (7)',
    aliases: ['oidcc-client-test-invalid-sig-es256', 'invalid-sig-es256', 'rp-id_token-bad-sig-es256'],
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
    aliases: [
      'oidcc-client-test-kid-absent-single-jwks',
      'kid-absent-single-jwks',
      'rp-id_token-kid-absent-single-jwks',
    ],
    header: { remove: 'kid' },
  },
  missingKidSeveralKeys: {
    description: 'The ID Token has no kid and the JWKS contains several keys from then on.',
    source: 'OpenID Connect Core section 10.1',
    aliases: [
      'oidcc-client-test-kid-absent-multiple-jwks',
      'kid-absent-multiple-jwks',
      'rp-id_token-kid-absent-multiple-jwks',
    ],
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
  keysRotatedBeforeSigning: {
    description:
      'The keys are rotated before the ID Token is signed: a client that cached the JWKS must fetch it again.',
    source: 'OpenID Connect Core section 10.1.1',
    aliases: [
      'oidcc-client-test-signing-key-rotation-just-before-signing',
      'signing-key-rotation-just-before-signing',
      'rp-key-rotation-op-sign-key-native',
    ],
    keys: 'rotate-before',
  },
  keysRotatedAfterSigning: {
    description:
      'The keys are rotated after the ID Token is signed: it stays valid, and the next one is signed with the new key.',
    source: 'OpenID Connect Core section 10.1.1',
    aliases: ['oidcc-client-test-signing-key-rotation', 'signing-key-rotation', 'rp-key-rotation-op-sign-key'],
    keys: 'rotate-after',
  },
  wrongIssuer: {
    description: 'iss is another issuer.',
    source: 'OpenID Connect Core section 3.1.3.7 (2)',
    aliases: ['oidcc-client-test-invalid-iss', 'invalid-iss', 'rp-id_token-issuer-mismatch'],
    set: { iss: 'https://evil.example' },
  },
  wrongAudience: {
    description: 'aud and azp are another client.',
    source: 'OpenID Connect Core section 3.1.3.7 (3)',
    aliases: ['oidcc-client-test-invalid-aud', 'invalid-aud', 'rp-id_token-aud'],
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
    aliases: ['invalid-azp'],
    set: { azp: 'another-client' },
  },
  wrongNonce: {
    description: 'The ID Token of a sign-in has another nonce.',
    source: 'OpenID Connect Core section 3.1.3.7 (11)',
    aliases: ['oidcc-client-test-nonce-invalid', 'nonce-invalid', 'rp-nonce-invalid', 'invalid-nonce'],
    grantType: 'authorization_code',
    set: { nonce: 'another-nonce' },
  },
  wrongAtHash: {
    description: 'at_hash belongs to another access token.',
    source: 'OpenID Connect Core section 3.1.3.8',
    aliases: ['oidcc-client-test-invalid-athash', 'invalid-athash', 'rp-id_token-bad-at_hash'],
    requires: 'at_hash',
    set: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' },
  },
  wrongCHash: {
    description: 'c_hash belongs to another code; only for response type code id_token.',
    source: 'OpenID Connect Core section 3.3.2.10',
    aliases: ['oidcc-client-test-invalid-chash', 'invalid-chash', 'rp-id_token-bad-c_hash'],
    requires: 'c_hash',
    set: { c_hash: 'AAAAAAAAAAAAAAAAAAAAAA' },
  },
  wrongSubject: {
    description: 'sub is another user.',
    source: 'OpenID Connect Core section 2',
    set: { sub: '00000000-0000-4000-8000-000000000000' },
  },
  expired: {
    description: 'The ID Token has expired.',
    source: 'OpenID Connect Core section 3.1.3.7 (9)',
    aliases: ['expired-id-token'],
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
  missingIss: {
    description: 'iss is missing.',
    source: 'OpenID Connect Core section 2',
    aliases: ['missing-iss'],
    remove: 'iss',
  },
  missingSub: {
    description: 'sub is missing.',
    source: 'OpenID Connect Core section 2',
    aliases: ['oidcc-client-test-missing-sub', 'missing-sub', 'rp-id_token-sub'],
    remove: 'sub',
  },
  missingAud: {
    description: 'aud is missing.',
    source: 'OpenID Connect Core section 2',
    aliases: ['oidcc-client-test-missing-aud', 'missing-aud'],
    remove: 'aud',
  },
  missingAzp: {
    description: 'azp is missing, although there are several audiences.',
    source: 'OpenID Connect Core section 3.1.3.7 (4)',
    aliases: ['missing-azp'],
    remove: 'azp',
  },
  missingExp: {
    description: 'exp is missing.',
    source: 'OpenID Connect Core section 2',
    aliases: ['missing-exp'],
    remove: 'exp',
  },
  missingIat: {
    description: 'iat is missing.',
    source: 'OpenID Connect Core section 2',
    aliases: ['oidcc-client-test-missing-iat', 'missing-iat', 'rp-id_token-iat'],
    remove: 'iat',
  },
  missingNonce: {
    description: 'nonce is missing, although the client sent one.',
    source: 'OpenID Connect Core section 3.1.3.7 (11)',
    aliases: ['missing-nonce'],
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
    aliases: ['oidcc-client-test-missing-athash', 'missing-athash', 'rp-id_token-missing-at_hash'],
    remove: 'at_hash',
  },
  missingCHash: {
    description: 'c_hash is missing; only for response type code id_token.',
    source: 'OpenID Connect Core section 3.3.2.11',
    aliases: ['oidcc-client-test-missing-chash', 'missing-chash', 'rp-id_token-missing-c_hash'],
    remove: 'c_hash',
  },
  refreshWrongSubject: {
    description: 'sub in the ID Token of a refresh is another user.',
    source: 'OpenID Connect Core section 12.2',
    aliases: ['oidcc-client-test-refresh-token-invalid-sub', 'refresh-token-invalid-sub'],
    grantType: 'refresh_token',
    set: { sub: '00000000-0000-4000-8000-000000000000' },
  },
  refreshWrongIssuer: {
    description: 'iss in the ID Token of a refresh is another issuer.',
    source: 'OpenID Connect Core section 12.2',
    aliases: ['oidcc-client-test-refresh-token-invalid-issuer', 'refresh-token-invalid-issuer'],
    grantType: 'refresh_token',
    set: { iss: 'https://evil.example' },
  },
  serverClockOff: {
    description: 'The clock of the server is wrong: iat, exp, auth_time and the Date header are moved.',
    source: 'OpenID Connect Core section 3.1.3.7 (10)',
    endpoints: ['/oauth/token'],
    options: ['offset'],
    change: (claims: Members, { offset }: FaultOptions): Members =>
      moveTimes(claims, ['iat', 'exp', 'auth_time'], Math.round((parseDuration(offset) ?? 3_600_000) / 1000)),
    setsDate: true,
  },
} as const;

function moveTimes(claims: Members, names: readonly string[], seconds: number): Members {
  return { ...claims, ...Object.fromEntries(names.map((name) => [name, Number(claims[name]) + seconds])) };
}
