import type { JsonWebKey } from 'node:crypto';

type Members = Record<string, unknown>;

/** A response with its exact status and content type. Without a type it has no content. */
export interface RecordedResponse {
  status: number;
  type?: string;
  members?: Members;
}

/** What a token response contains. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  idToken: string;
  requestedScope: string;
  /** Seconds since the Unix epoch. */
  now: number;
}

/**
 * What another authorization server sends: the members, types and content types of its documents and responses, where they
 * differ from those of the service. The values of tokens and keys are generated.
 */
export interface RecordedServer {
  name: string;
  version: string;
  /** Where the responses are defined: files of the server's repository, or its documentation. */
  source: string;
  /** The path of the issuer. */
  path: string;
  /** Whether the server decodes Basic credentials as a form (RFC 6749 section 2.3.1). */
  decodesBasic: boolean;
  metadata: { type: string; members: (issuer: string) => Members };
  /** What is at the address of RFC 8414. */
  otherMetadata: RecordedResponse | 'metadata';
  jwks: { type: string; members: (key: JsonWebKey) => Members };
  /** Parameters of the authorization response in addition to `code` and `state`. */
  authorizationResponse: (issuer: string) => Record<string, string>;
  tokenType: string;
  token: (issued: IssuedTokens) => Members;
  /** Without it a refresh has the members of `token`. */
  refresh?: (issued: IssuedTokens) => Members;
  /** The claims of an ID Token in addition to iss, sub, exp, iat, nonce and at_hash. */
  claims: (client: { clientID: string; now: number }) => Members;
  /** False where a refreshed ID Token has no nonce. */
  refreshedNonce: boolean;
  errors: { code: RecordedResponse; client: RecordedResponse; refreshToken: RecordedResponse };
  /** The scope that a refresh token needs. */
  refreshScope?: string;
  revocation?: { response: RecordedResponse; endsSession: boolean; afterwards: RecordedResponse };
}

/** The public members of an RSA key in a JWK Set. */
function rsaKey({ n, e, kid }: JsonWebKey): Members {
  return { kty: 'RSA', n, e, kid, use: 'sig' };
}

const JSON_TYPE = 'application/json';
const UTF8 = 'application/json;charset=UTF-8';

const keycloak: RecordedServer = {
  name: 'Keycloak',
  version: '26.0',
  source:
    'keycloak/keycloak: services/src/main/java/org/keycloak/protocol/oidc/OIDCWellKnownProvider.java, TokenManager.java, endpoints/TokenRevocationEndpoint.java, authentication/authenticators/client/ClientIdAndSecretAuthenticator.java; issue 34234',
  path: '/realms/clinic',
  decodesBasic: true,
  metadata: {
    type: UTF8,
    members: (issuer) => ({
      issuer,
      authorization_endpoint: `${issuer}/protocol/openid-connect/auth`,
      token_endpoint: `${issuer}/protocol/openid-connect/token`,
      introspection_endpoint: `${issuer}/protocol/openid-connect/token/introspect`,
      userinfo_endpoint: `${issuer}/protocol/openid-connect/userinfo`,
      end_session_endpoint: `${issuer}/protocol/openid-connect/logout`,
      frontchannel_logout_session_supported: true,
      frontchannel_logout_supported: true,
      jwks_uri: `${issuer}/protocol/openid-connect/certs`,
      check_session_iframe: `${issuer}/protocol/openid-connect/login-status-iframe.html`,
      grant_types_supported: ['authorization_code', 'implicit', 'refresh_token', 'password', 'client_credentials'],
      acr_values_supported: ['0', '1'],
      response_types_supported: ['code', 'none', 'id_token', 'token', 'id_token token', 'code id_token'],
      subject_types_supported: ['public', 'pairwise'],
      id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'RS256', 'PS512'],
      scopes_supported: ['openid', 'email', 'roles', 'basic', 'offline_access', 'profile', 'web-origins'],
      code_challenge_methods_supported: ['plain', 'S256'],
      tls_client_certificate_bound_access_tokens: true,
      revocation_endpoint: `${issuer}/protocol/openid-connect/revoke`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      mtls_endpoint_aliases: { token_endpoint: `${issuer}/protocol/openid-connect/token` },
      authorization_response_iss_parameter_supported: true,
    }),
  },
  otherMetadata: { status: 404, type: JSON_TYPE, members: { error: 'Unable to find matching target resource method' } },
  jwks: {
    type: UTF8,
    members: (key) => ({
      keys: [
        { ...rsaKey(key), kid: 'encryption', alg: 'RSA-OAEP', use: 'enc', x5c: ['MIIC'], x5t: 'a', 'x5t#S256': 'b' },
        { ...rsaKey(key), alg: 'RS256', x5c: ['MIIC'], x5t: 'a', 'x5t#S256': 'b' },
      ],
    }),
  },
  authorizationResponse: (iss) => ({ session_state: '6f9a5a0e-9a5c-4b0e-8f3b-0d1c5f6d7e80', iss }),
  tokenType: 'Bearer',
  token: ({ accessToken, refreshToken, idToken, requestedScope }) => ({
    access_token: accessToken,
    expires_in: 300,
    refresh_expires_in: 1800,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    id_token: idToken,
    'not-before-policy': 0,
    session_state: '6f9a5a0e-9a5c-4b0e-8f3b-0d1c5f6d7e80',
    scope: `${requestedScope} profile email`,
  }),
  claims: ({ clientID, now }) => ({
    auth_time: now,
    jti: 'a4cd2d3b-7b1f-4a5c-9f7a-4d6c0a1b2c3d',
    aud: clientID,
    typ: 'ID',
    azp: clientID,
    sid: '6f9a5a0e-9a5c-4b0e-8f3b-0d1c5f6d7e80',
    acr: '1',
    email_verified: false,
    preferred_username: 'ann',
  }),
  refreshedNonce: false,
  errors: {
    code: { status: 400, type: UTF8, members: { error: 'invalid_grant', error_description: 'Code not valid' } },
    client: {
      status: 401,
      type: UTF8,
      members: {
        error: 'unauthorized_client',
        error_description: 'Invalid client or Invalid client credentials',
      },
    },
    refreshToken: {
      status: 400,
      type: UTF8,
      members: { error: 'invalid_grant', error_description: 'Session not active' },
    },
  },
  revocation: {
    response: { status: 200 },
    endsSession: true,
    afterwards: {
      status: 200,
      type: UTF8,
      members: { error: 'invalid_token', error_description: 'Invalid token' },
    },
  },
};

const dex: RecordedServer = {
  name: 'dex',
  version: '2.35',
  source: 'dexidp/dex: server/handlers.go, server/refreshhandlers.go, server/oauth2.go',
  path: '/dex',
  decodesBasic: true,
  metadata: {
    type: JSON_TYPE,
    members: (issuer) => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
      device_authorization_endpoint: `${issuer}/device/code`,
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256', 'plain'],
      scopes_supported: ['openid', 'email', 'groups', 'profile', 'offline_access'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp', 'email', 'email_verified', 'name', 'at_hash'],
    }),
  },
  otherMetadata: { status: 404, type: 'text/plain; charset=utf-8' },
  jwks: { type: JSON_TYPE, members: (key) => ({ keys: [{ ...rsaKey(key), alg: 'RS256' }] }) },
  authorizationResponse: () => ({}),
  tokenType: 'bearer',
  token: ({ accessToken, refreshToken, idToken, requestedScope }) => ({
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: 86_399,
    ...(requestedScope.split(' ').includes('offline_access') && { refresh_token: refreshToken }),
    id_token: idToken,
  }),
  claims: ({ clientID }) => ({ aud: clientID, c_hash: 'sGHVNhTHq0Gc0KfhhwFJWw' }),
  refreshedNonce: true,
  errors: {
    code: {
      status: 400,
      type: JSON_TYPE,
      members: { error: 'invalid_request', error_description: 'Invalid or expired code parameter.' },
    },
    client: {
      status: 401,
      type: JSON_TYPE,
      members: { error: 'invalid_client', error_description: 'Invalid client credentials.' },
    },
    refreshToken: {
      status: 400,
      type: JSON_TYPE,
      members: { error: 'invalid_request', error_description: 'Refresh token expired.' },
    },
  },
  refreshScope: 'offline_access',
};

const INVALID_GRANT =
  'The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.';

const hydra: RecordedServer = {
  name: 'Hydra',
  version: '1.11',
  source: 'ory/hydra: oauth2/handler.go; ory/fosite: access_write.go, client_authentication.go, errors.go',
  // The issuer ends with a slash.
  path: '/',
  decodesBasic: true,
  metadata: {
    type: 'application/json; charset=utf-8',
    members: (issuer) => ({
      issuer,
      authorization_endpoint: `${issuer}oauth2/auth`,
      token_endpoint: `${issuer}oauth2/token`,
      jwks_uri: `${issuer}.well-known/jwks.json`,
      subject_types_supported: ['public'],
      response_types_supported: ['code', 'code id_token', 'id_token', 'token id_token', 'token', 'token id_token code'],
      claims_supported: ['sub'],
      grant_types_supported: ['authorization_code', 'implicit', 'client_credentials', 'refresh_token'],
      response_modes_supported: ['query', 'fragment'],
      userinfo_endpoint: `${issuer}userinfo`,
      scopes_supported: ['offline_access', 'offline', 'openid'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'none'],
      userinfo_signing_alg_values_supported: ['none', 'RS256'],
      id_token_signing_alg_values_supported: ['RS256'],
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
      claims_parameter_supported: false,
      revocation_endpoint: `${issuer}oauth2/revoke`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
      end_session_endpoint: `${issuer}oauth2/sessions/logout`,
      request_object_signing_alg_values_supported: ['RS256', 'none'],
      code_challenge_methods_supported: ['plain', 'S256'],
    }),
  },
  otherMetadata: { status: 404, type: 'text/plain; charset=utf-8' },
  jwks: {
    type: 'application/json; charset=utf-8',
    members: (key) => ({ keys: [{ ...rsaKey(key), alg: 'RS256' }] }),
  },
  authorizationResponse: () => ({ scope: 'openid offline_access' }),
  tokenType: 'bearer',
  token: ({ accessToken, refreshToken, idToken, requestedScope }) => ({
    access_token: accessToken,
    expires_in: 3599,
    id_token: idToken,
    ...(requestedScope.split(' ').includes('offline_access') && { refresh_token: refreshToken }),
    scope: requestedScope,
    token_type: 'bearer',
  }),
  claims: ({ clientID, now }) => ({
    aud: [clientID],
    auth_time: now,
    jti: '4f8b2c53-5f6e-4a55-8c55-0e4ffb9b5a31',
    rat: now,
    sid: '3f1a9f0e-54f8-4cb4-b37a-6c6bd0b4d1f7',
  }),
  refreshedNonce: true,
  errors: {
    code: {
      status: 400,
      type: UTF8,
      members: { error: 'invalid_grant', error_description: INVALID_GRANT },
    },
    client: {
      status: 401,
      type: UTF8,
      members: {
        error: 'invalid_client',
        error_description:
          'Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method).',
      },
    },
    refreshToken: {
      status: 400,
      type: UTF8,
      members: { error: 'invalid_grant', error_description: INVALID_GRANT },
    },
  },
  refreshScope: 'offline_access',
  revocation: { response: { status: 200 }, endsSession: false, afterwards: { status: 200 } },
};

const lemonLDAP: RecordedServer = {
  name: 'LemonLDAP::NG',
  version: '2.16.1',
  source:
    'Debian package liblemonldap-ng-portal-perl 2.16.1: Lemonldap/NG/Portal/Issuer/OpenIDConnect.pm, Lib/OpenIDConnect.pm; Lemonldap/NG/Common/PSGI.pm',
  path: '',
  // It also reads the header only up to the first character that is not a letter, a digit or _.
  decodesBasic: false,
  metadata: {
    type: 'application/json; charset=utf-8',
    members: (issuer) => ({
      issuer,
      token_endpoint: `${issuer}/oauth2/token`,
      userinfo_endpoint: `${issuer}/oauth2/userinfo`,
      jwks_uri: `${issuer}/oauth2/jwks`,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      end_session_endpoint: `${issuer}/oauth2/logout`,
      introspection_endpoint: `${issuer}/oauth2/introspect`,
      backchannel_logout_supported: false,
      backchannel_logout_session_supported: false,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      acr_values_supported: ['loa-1', 'loa-2'],
      subject_types_supported: ['public'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      claims_supported: ['sub', 'iss', 'auth_time', 'acr'],
      request_parameter_supported: true,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      id_token_signing_alg_values_supported: ['none', 'HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'],
      code_challenge_methods_supported: ['plain', 'S256'],
    }),
  },
  // Other addresses are pages of the portal.
  otherMetadata: { status: 200, type: 'text/html; charset=utf-8' },
  jwks: {
    type: 'application/json; charset=utf-8',
    members: (key) => ({ keys: [{ ...rsaKey(key), x5c: ['MIIC'], x5t: 'a' }] }),
  },
  authorizationResponse: () => ({ session_state: 'Zm9v+YmFy/YmF6=.c2FsdA==' }),
  tokenType: 'Bearer',
  token: ({ accessToken, refreshToken, idToken }) => ({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: 3600,
    id_token: idToken,
    refresh_token: refreshToken,
  }),
  refresh: ({ accessToken, idToken }) => ({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: 3600,
    id_token: idToken,
  }),
  claims: ({ clientID, now }) => ({ aud: [clientID], auth_time: now, acr: 'loa-2', azp: clientID }),
  refreshedNonce: true,
  errors: {
    code: { status: 400, type: 'application/json; charset=utf-8', members: { error: 'invalid_grant' } },
    client: { status: 401, type: 'application/json; charset=utf-8', members: { error: 'invalid_client' } },
    refreshToken: { status: 400, type: 'application/json; charset=utf-8', members: { error: 'invalid_grant' } },
  },
};

const glewlwyd: RecordedServer = {
  name: 'glewlwyd',
  version: '2.7.5',
  source: 'babelouest/glewlwyd: src/plugin/protocol_oidc.c, docs/OIDC.md',
  path: '/api/oidc',
  decodesBasic: false,
  metadata: {
    type: JSON_TYPE,
    members: (issuer) => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256'],
      scopes_supported: ['openid'],
      response_types_supported: ['code', 'id_token', 'token id_token', 'code id_token', 'none', 'refresh_token'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: ['authorization_code', 'implicit'],
      display_values_supported: ['page', 'popup', 'touch', 'wap'],
      claim_types_supported: ['normal'],
      claims_parameter_supported: true,
      claims_supported: [],
      ui_locales_supported: ['en', 'fr', 'nl', 'de'],
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: false,
      subject_types_supported: ['public'],
      code_challenge_methods_supported: ['S256'],
    }),
  },
  otherMetadata: { status: 404, type: JSON_TYPE, members: { error: 'resource not found' } },
  jwks: { type: JSON_TYPE, members: (key) => ({ keys: [{ ...rsaKey(key), alg: 'RS256', n: leadingZero(key.n) }] }) },
  authorizationResponse: () => ({}),
  tokenType: 'bearer',
  token: ({ accessToken, refreshToken, idToken, requestedScope, now }) => ({
    token_type: 'bearer',
    access_token: accessToken,
    refresh_token: refreshToken,
    id_token: idToken,
    iat: now,
    expires_in: 3600,
    scope: requestedScope,
  }),
  refresh: ({ accessToken, requestedScope, now }) => ({
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: 3600,
    scope: requestedScope,
    iat: now,
  }),
  claims: ({ clientID, now }) => ({ aud: clientID, auth_time: now, azp: clientID, amr: ['password'] }),
  refreshedNonce: false,
  errors: {
    code: { status: 403, type: JSON_TYPE, members: { error: 'invalid_code' } },
    client: { status: 403, type: JSON_TYPE, members: { error: 'unauthorized_client' } },
    refreshToken: { status: 400 },
  },
};

const spring: RecordedServer = {
  name: 'Spring Authorization Server',
  version: '1.3',
  source:
    'spring-projects/spring-authorization-server: oidc/web/OidcProviderConfigurationEndpointFilter.java, web/NimbusJwkSetEndpointFilter.java (no character encoding before getWriter(), so the servlet container adds ISO-8859-1)',
  path: '',
  decodesBasic: true,
  metadata: {
    type: JSON_TYPE,
    members: (issuer) => ({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      device_authorization_endpoint: `${issuer}/oauth2/device_authorization`,
      token_endpoint: `${issuer}/oauth2/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      jwks_uri: `${issuer}/oauth2/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/connect/logout`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      introspection_endpoint: `${issuer}/oauth2/introspect`,
      code_challenge_methods_supported: ['S256'],
      tls_client_certificate_bound_access_tokens: true,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid'],
    }),
  },
  otherMetadata: 'metadata',
  jwks: { type: 'application/json;charset=ISO-8859-1', members: (key) => ({ keys: [rsaKey(key)] }) },
  authorizationResponse: () => ({}),
  tokenType: 'Bearer',
  token: ({ accessToken, refreshToken, idToken, requestedScope }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    scope: requestedScope,
    id_token: idToken,
    token_type: 'Bearer',
    expires_in: 299,
  }),
  claims: ({ clientID, now }) => ({
    aud: clientID,
    azp: clientID,
    auth_time: now,
    jti: '0b7bb3e3-4d1b-44b5-9e9b-6c9f2f1d8a3e',
    sid: 'hJ9e0U6b7sQqIv8GJXpP1m2CzqYlq9f0rW6cT1oVx3k',
  }),
  refreshedNonce: true,
  errors: {
    code: { status: 400, type: UTF8, members: { error: 'invalid_grant' } },
    client: { status: 401, type: UTF8, members: { error: 'invalid_client' } },
    refreshToken: { status: 400, type: UTF8, members: { error: 'invalid_grant' } },
  },
  revocation: { response: { status: 200 }, endsSession: false, afterwards: { status: 200 } },
};

/** rnbyc, the key generator of glewlwyd, encodes the sign of the modulus too. */
function leadingZero(n: string | undefined): string {
  return Buffer.concat([Buffer.alloc(1), Buffer.from(n ?? '', 'base64url')]).toString('base64url');
}

export const recordedServers: readonly RecordedServer[] = [keycloak, dex, hydra, lemonLDAP, glewlwyd, spring];
