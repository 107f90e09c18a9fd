import type { Statements } from './statement.js';

/** Lists the statements about the token endpoint. */
export const TOKEN_STATEMENTS: Statements = {
  'token-request-form': {
    statement: 'Token and revocation requests are forms: application/x-www-form-urlencoded in UTF-8.',
    rules: ['form-body-required', 'parameters-in-body-only', 'body-is-text'],
    mock: 'mock-provider/endpoints/token: a token request and a revocation request with the content type %s have the status %d',
    client: 'spec/client: a site that signs in by: %s sends token and revocation requests as forms in UTF-8',
  },
  'responses-json': {
    statement: 'All responses of the endpoints for programs are JSON.',
    rules: ['token-response-headers', 'json-always'],
    mock: 'mock-provider/server/every-endpoint: every response of an endpoint for programs is JSON, for any Accept header',
    client: 'authorization-server/token-response: a token response with no content type is rejected',
  },
  'token-grant-type': {
    statement: 'grant_type is required: authorization_code or refresh_token.',
    rules: ['grant-type-required', 'grant-type-supported'],
    mock: 'mock-provider/endpoints/token: grant_type missing is refused',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
  'token-code': {
    statement: 'code is required for authorization_code: the code of the redirect.',
    rules: ['code-required', 'code-valid'],
    mock: 'mock-provider/endpoints/token: a code without code or redirect_uri is refused with invalid_request',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
  'token-redirect-uri': {
    statement: 'redirect_uri is required for authorization_code.',
    rules: ['code-redirect-uri-required'],
    mock: 'mock-provider/endpoints/token: a code without code or redirect_uri is refused with invalid_request',
    client:
      'authorization-server/token-response: a token response is requested with form fields and without PKCE in the profile flow',
  },
  'token-redirect-uri-matches': {
    statement: 'redirect_uri is exactly the one of the authorization request.',
    rules: ['code-redirect-uri-matches', 'redirect-uri-differs'],
    mock: 'mock-provider/endpoints/token: a code that is unknown, expired, of another client, or with another redirect_uri is refused',
    client:
      'spec/client: a site that signs in by: %s sends the redirect_uri of the authorization request with the code',
  },
  'token-client-id-profile': {
    statement: 'In Form A client_id is required.',
    rules: ['client-authenticated'],
    mock: 'mock-provider/endpoints/token: client authentication fails with 401 with only %j in the body',
    client:
      'authorization-server/token-response: a token response is requested with form fields and without PKCE in the profile flow',
  },
  'token-client-id-openid': {
    statement: 'In Form B client_id is in the form only if it is not in the Basic header.',
    rules: ['client-id-matches-authentication'],
    mock: 'mock-provider/endpoints/token: two client authentications another client_id in the body is refused',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
  'token-client-secret-profile': {
    statement: 'In Form A client_secret is required.',
    rules: ['client-authenticated'],
    mock: 'mock-provider/endpoints/token: client authentication fails with 401 with only %j in the body',
    client:
      'authorization-server/token-response: a token response is requested with form fields and without PKCE in the profile flow',
  },
  'token-client-secret-private': {
    statement: 'client_secret is never shared.',
    rules: ['secret-in-query', 'records-without-secrets', 'errors-without-secrets'],
    mock: 'mock-provider/server/every-endpoint: error descriptions and problems contain no secret and no token',
    client: 'authorization-server/secrets: secrets are not printed by a client',
    site: 'example-app/site: by $signInBy, in the $flow flow /api/me contains the signed-in user and no secret',
  },
  'token-code-verifier': {
    statement: 'In Form B code_verifier is required: the PKCE verifier.',
    rules: ['code-verifier-matches'],
    mock: 'mock-provider/endpoints/token: code_verifier missing is refused',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
  'token-refresh-token': {
    statement: 'refresh_token is required for refresh_token.',
    rules: ['refresh-token-required', 'refresh-token-valid'],
    mock: 'mock-provider/endpoints/token: a refresh token that is missing, unknown, altered, revoked or of another client is refused',
    client: 'authorization-server/refresh: a refresh returns a new pair and a new ID Token of the same user',
  },
  'token-refresh-scope': {
    statement: 'At a refresh scope is optional: the same scope or a part of it.',
    rules: ['refresh-scope-subset'],
    mock: 'mock-provider/endpoints/token: scope at a refresh narrows the access token, not the refresh token',
    client: 'authorization-server/refresh: a refresh can return a part of the scope, and later the whole scope',
  },
  'token-refresh-no-new-scope': {
    statement: 'At a refresh no new scope can be added.',
    rules: ['refresh-scope-subset', 'scope-not-allowed'],
    mock: 'mock-provider/endpoints/token: scope at a refresh narrows the access token, not the refresh token',
    client: 'authorization-server/refresh: a refresh rejects a scope that was not granted',
  },
  'token-basic-encoding': {
    statement: 'Basic credentials are id and secret, each URL-encoded, joined with a colon, and base64-encoded.',
    rules: ['basic-credentials-encoded', 'basic-not-encoded'],
    mock: 'mock-provider/endpoints/token: Basic credentials with the secret %j are accepted in each form-url-encoding',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
};
