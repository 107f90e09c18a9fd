import { PATHS } from '../http/paths.js';
import { SCOPES } from '../options/scopes.js';

/** @returns the authorization server metadata (RFC 8414 section 2). The OpenID configuration has its members too. */
export function authorizationServerMetadata(issuer: string, issParameter: boolean): Record<string, unknown> {
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
    revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
    ui_locales_supported: ['en-US'],
    ...(issParameter && { authorization_response_iss_parameter_supported: true }),
  };
}

/** @returns the OpenID configuration (OpenID Connect Discovery section 3). */
export function openidConfiguration(issuer: string, issParameter: boolean): Record<string, unknown> {
  return {
    ...authorizationServerMetadata(issuer, issParameter),
    check_session_iframe: issuer + PATHS.sessionState,
    end_session_endpoint: issuer + PATHS.logout,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    userinfo_signing_alg_values_supported: ['RS256'],
    prompt_values_supported: ['none', 'login', 'consent', 'create'],
    display_values_supported: ['page', 'popup'],
    claim_types_supported: ['normal'],
    claims_supported: CLAIMS,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

const CLAIMS = [
  ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'auth_time', 'at_hash', 'c_hash', 'nonce'],
  ...['name', 'given_name', 'middle_name', 'family_name', 'picture', 'email', 'email_verified'],
];
