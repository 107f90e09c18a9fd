import type { Members } from './fault.js';

type JWK = Readonly<Record<string, string>>;

/** The faults of a token response. */
export const TOKEN_RESPONSE_FAULTS = {
  missingAccessToken: {
    description: 'access_token is missing.',
    source: 'RFC 6749 section 5.1',
    remove: 'access_token',
  },
  unsafeAccessToken: {
    description: 'access_token contains a line break, which starts another header when it is copied into one.',
    source: 'RFC 6749 appendix A.12',
    set: { access_token: 'another-token\r\nX-Injected: yes' },
  },
  wrongTokenType: {
    description: 'token_type is not bearer.',
    source: 'RFC 6749 section 7.1',
    set: { token_type: 'mac' },
  },
  missingIDToken: {
    description: 'id_token is missing, although openid was granted.',
    source: 'OpenID Connect Core section 3.1.3.3',
    remove: 'id_token',
  },
  missingRefreshToken: {
    description: 'refresh_token is missing.',
    source: 'RFC 6749 section 5.1',
    remove: 'refresh_token',
  },
  wrongExpiresIn: {
    description: 'expires_in is not a number.',
    source: 'RFC 6749 section 5.1',
    set: { expires_in: 'soon' },
  },
  wrongScope: {
    description: 'scope is not the granted scope.',
    source: 'RFC 6749 section 3.3',
    set: { scope: 'search' },
  },
} as const;

/** The faults of the parameters of an authorization response. */
export const REDIRECT_FAULTS = {
  missingState: {
    description: 'state is missing, although the client sent one.',
    source: 'RFC 6749 section 4.1.2',
    remove: 'state',
  },
  wrongState: {
    description: 'state is not the value that the client sent.',
    source: 'RFC 6749 section 4.1.2',
    set: { state: 'another-state' },
  },
  missingIssParameter: {
    description: 'iss is missing, although the metadata announces it; only with issParameter: true.',
    source: 'RFC 9207 section 2.4',
    remove: 'iss',
  },
  wrongIssParameter: {
    description: 'iss is another issuer.',
    source: 'RFC 9207 section 2.4',
    set: { iss: 'https://evil.example' },
  },
  sessionChanged: {
    description: 'session_state belongs to another session: the session iframe replies changed.',
    source: 'OpenID Connect Session Management 1.0 section 3.2',
    requires: 'session_state',
    set: { session_state: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA' },
  },
  authorizationError: {
    description: 'The redirect contains an error instead of a code.',
    source: 'RFC 6749 section 4.1.2.1',
    requires: 'code',
    change: ({ state, iss }: Members): Members => ({
      error: 'server_error',
      error_description: 'The fault authorizationError is queued',
      state,
      iss,
    }),
  },
  repeatedParameters: {
    description: 'Each parameter is sent twice.',
    source: 'RFC 6749 section 3.1',
    change: (parameters: Members): Members =>
      Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [name, value === undefined ? value : [value, value].flat()]),
      ),
  },
  duplicateCallback: {
    description: 'A page sends the browser to the callback twice.',
    source: 'RFC 6749 section 4.1.2',
    requires: 'code',
    isSentTwice: true,
  },
} as const;

/** The faults of the parameters of the redirect after a logout. */
export const LOGOUT_FAULTS = {
  logoutMissingState: {
    description: 'state is missing, although the client sent one.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 3',
    remove: 'state',
  },
  logoutWrongState: {
    description: 'state is not the value that the client sent.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 3',
    set: { state: 'another-state' },
  },
} as const;

/** The faults of the metadata and the JWKS. */
export const DOCUMENT_FAULTS = {
  discoveryWrongIssuer: {
    description: 'issuer in the metadata is another issuer.',
    source: 'OpenID Connect Discovery section 4.3',
    endpoints: ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
    set: { issuer: 'https://evil.example' },
  },
  wrongKeys: {
    description: 'The JWKS contains other keys with the same kids.',
    source: 'RFC 7517 section 5',
    endpoints: ['/.well-known/jwks.json'],
    change: ({ keys }: Members): Members => ({
      keys: (keys as JWK[]).map((key) => ({ ...key, n: `${key.n?.slice(0, 100)}AAAAAAAA${key.n?.slice(108)}` })),
    }),
  },
  unsupportedKeys: {
    description: 'The JWKS contains keys of other types and uses before the signing key: a client ignores them.',
    source: 'RFC 7517 section 5',
    endpoints: ['/.well-known/jwks.json'],
    change: ({ keys }: Members): Members => ({
      keys: [
        { kty: 'oct', kid: 'symmetric-key', k: 'c2VjcmV0', alg: 'HS256' },
        { kty: 'unknown', kid: 'unknown-key-type' },
        { kty: 'RSA', kid: 'encryption-key', use: 'enc', alg: 'RSA-OAEP', n: 'AQAB', e: 'AQAB' },
        { kty: 'RSA', kid: 'without-modulus', use: 'sig', alg: 'RS256' },
        ...(keys as JWK[]),
      ],
    }),
  },
} as const;

/** The faults of userinfo. */
export const USERINFO_FAULTS = {
  userinfoWrongSubject: {
    description: 'sub is not the subject of the ID Token.',
    source: 'OpenID Connect Core section 5.3.2',
    set: { sub: '00000000-0000-4000-8000-000000000000' },
  },
} as const;

/** The faults of a profile. */
export const PROFILE_FAULTS = {
  profileWrongID: {
    description: 'id is another user.',
    source: 'Service spec: profile',
    change: (profile: Members): Members => ({ ...profile, id: Number(profile.id) + 1 }),
  },
  profileMalformed: {
    description: 'Members of the profile have wrong types.',
    source: 'Service spec: profile',
    set: { id: 'not a number', npi: {}, verified: 'true', hospitals: 'none', lat: 'north' },
  },
} as const;
