import { SCOPES } from './scopes.js';

/** The paths that the service spec fixes. */
export const PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  userinfo: '/oauth/userinfo',
  logout: '/oauth/logout',
  sessionState: '/oauth/session_state',
  jwks: '/.well-known/jwks.json',
  openidConfiguration: '/.well-known/openid-configuration',
  authorizationServer: '/.well-known/oauth-authorization-server',
  currentUser: '/api/v1/users/current',
  rateLimit: '/api/v1/rate_limit',
} as const;

/** What both metadata documents say (decisions 64 to 66). */
function shared(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    revocation_endpoint: issuer + PATHS.revoke,
    userinfo_endpoint: issuer + PATHS.userinfo,
    jwks_uri: issuer + PATHS.jwks,
    scopes_supported: [...SCOPES.keys()],
    response_types_supported: ['code', 'code id_token'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256'],
    ui_locales_supported: ['en-US'],
  };
}

export function openidConfiguration(issuer: string): Record<string, unknown> {
  return {
    ...shared(issuer),
    end_session_endpoint: issuer + PATHS.logout,
    check_session_iframe: issuer + PATHS.sessionState,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    prompt_values_supported: ['none', 'login', 'consent', 'create'],
    display_values_supported: ['page', 'popup'],
    claims_supported: ['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'auth_time', 'at_hash', 'nonce'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
  };
}

export function authorizationServerMetadata(issuer: string): Record<string, unknown> {
  return shared(issuer);
}
