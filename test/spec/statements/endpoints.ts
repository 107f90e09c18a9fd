import type { Statements } from './statement.js';

/** Lists the statements about the token endpoint. */
export const TOKEN_STATEMENTS: Statements = {
  'token-request-form': {
    statement: 'Token and revocation requests are forms: application/x-www-form-urlencoded in UTF-8.',
    rules: ['form-body-required', 'parameters-in-body-only', 'body-is-text'],
    mock: 'mock-provider/endpoints/token: a token request with a JSON body is refused',
    client: 'spec/client: a site sends token and revocation requests as forms in UTF-8',
  },
  'responses-json': {
    statement: 'All responses of the endpoints for programs are JSON.',
    rules: ['token-response-headers', 'json-always'],
    mock: 'mock-provider/resource-api/resource-api: the API returns JSON for any Accept header, refuses a trailing slash, and has only GET and HEAD',
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
    mock: 'spec/endpoints: a token request with another redirect_uri than the authorization request is refused',
    client: 'spec/client: a site sends the redirect_uri of the authorization request with the code',
  },
  'token-client-id-profile': {
    statement: 'In Form A client_id is required.',
    rules: ['client-authenticated'],
    mock: 'spec/endpoints: a token request without client_id is refused in the profile flow',
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
    mock: 'spec/endpoints: a token request without client_secret is refused in the profile flow',
    client:
      'authorization-server/token-response: a token response is requested with form fields and without PKCE in the profile flow',
  },
  'token-client-secret-private': {
    statement: 'client_secret is never shared.',
    rules: ['secret-in-query', 'records-without-secrets', 'errors-without-secrets'],
    mock: 'mock-provider/server/every-endpoint: error descriptions and problems contain no secret and no token',
    client: 'authorization-server/secrets: secrets are not printed by a client',
    site: 'example-app/site: in the openid flow /api/me contains the signed-in user and no secret',
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
    mock: 'spec/endpoints: a token request for a refresh accepts a part of the scope, and no new scope',
    client: 'authorization-server/refresh: a refresh rejects a scope that was not granted',
  },
  'token-basic-encoding': {
    statement: 'Basic credentials are id and secret, each URL-encoded, joined with a colon, and base64-encoded.',
    rules: ['basic-credentials-encoded', 'basic-not-encoded'],
    mock: 'spec/endpoints: a token request accepts Basic credentials that are each URL-encoded, and refuses others',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
};

/** Lists the statements about the revocation endpoint. */
export const REVOCATION_STATEMENTS: Statements = {
  'revocation-rfc': {
    statement: 'Revocation follows RFC 7009.',
    rules: ['invalid-token-revoked-silently', 'token-type-hint-ignored', 'revocation-same-client'],
    mock: 'mock-provider/endpoints/revoke: a revocation request for an unknown, malformed, expired or revoked token gets 200 and no body',
    client: 'authorization-server/revoke: a revocation that fails with status %d rejects',
  },
  'revocation-basic': {
    statement: 'A revocation request needs the Basic header.',
    rules: ['revocation-basic-required'],
    mock: 'mock-provider/endpoints/revoke: client authentication, in both flows without Basic or with the secret in the body is refused with 401',
    client:
      'authorization-server/revoke: a revocation authenticates with Basic in the profile flow, without the secret in the body',
  },
  'revocation-token': {
    statement: 'The field token is required: an access or refresh token.',
    rules: ['revocation-token-required'],
    mock: 'mock-provider/endpoints/revoke: a revocation request without token is refused',
    client:
      'authorization-server/revoke: a revocation authenticates with Basic in the openid flow, without the secret in the body',
  },
  'revocation-response': {
    statement: 'The response is 200 without content.',
    rules: ['revocation-response-empty'],
    mock: 'spec/endpoints: the authorization server revokes a token with Basic only, and responds 200 without content',
    client: 'authorization-server/revoke: a revocation ignores the body of a 200',
  },
};

/** Lists the statements about the addresses of metadata and keys. */
export const DOCUMENT_STATEMENTS: Statements = {
  'openid-configuration-address': {
    statement: 'GET /.well-known/openid-configuration has no parameters, and returns the OpenID configuration.',
    rules: ['openid-configuration-complete', 'metadata-cacheable'],
    mock: 'spec/resources: other resources the metadata documents have the members of the specification',
    client: 'authorization-server/discovery: discovery happens at the first sign-in, once for concurrent ones',
  },
  'server-metadata-address': {
    statement: 'GET /.well-known/oauth-authorization-server has no parameters, and returns the server metadata.',
    rules: ['metadata-lists', 'metadata-cacheable'],
    mock: 'spec/resources: other resources the metadata documents have the members of the specification',
    client:
      'authorization-server/discovery: discovery without an OpenID configuration the authorization server metadata is used, and cached for an hour',
  },
  'jwks-address': {
    statement: 'jwks_uri returns the public keys at /.well-known/jwks.json.',
    rules: ['jwks-public-members-only'],
    mock: 'spec/endpoints: the authorization server has its keys at /.well-known/jwks.json',
    client: 'security/id-tokens: the keys are fetched from the jwks_uri of the metadata',
  },
  'jwks-kid': {
    statement: 'kid in the header of the ID Token selects the key.',
    rules: ['keys-published-while-in-use'],
    mock: 'mock-provider/endpoints/documents: the JWKS has the current and the previous key after publish() and rotate()',
    client:
      'authorization-server/signing-keys: signing keys are not used without a kid in the token when there are several',
  },
};

/** Lists the statements about the session check page. */
export const SESSION_CHECK_STATEMENTS: Statements = {
  'session-check-hidden-iframe': {
    statement: 'The session check page is loaded in a hidden iframe.',
    rules: ['session-check-framed', 'session-check-reloaded'],
    mock: 'mock-provider/endpoints/session-state: the session check page may be framed by any site, runs only its script, and is the same for every browser',
    client:
      'html/session-check: the session check posts client_id and session_state to the frame of the service, for its origin only',
    site: 'browser/session-check: with a session cookie that is SameSite=lax after a sign-out at the service, the next navigation signs out here',
  },
  'session-check-message-sent': {
    statement: 'The page receives the message client_id, a space and session_state, with its own origin as the target.',
    rules: ['session-check-message', 'session-state-value'],
    mock: 'browser/mock-provider-session-state: responds error to a malformed message, and then to a valid one',
    client:
      'html/session-check: the session check posts client_id and session_state to the frame of the service, for its origin only',
  },
  'session-check-own-origin': {
    statement: 'A message from another origin than the one of redirect_uri always gets changed.',
    rules: ['session-check-other-origin'],
    mock: 'browser/mock-provider-session-state: responds changed on another origin and for another client',
  },
  'session-check-unchanged': {
    statement: 'The reply is unchanged while the session at the service continues.',
    rules: ['browser-state-cookie'],
    mock: 'browser/mock-provider-session-state: responds unchanged on the origin of the redirect URI, and changed after a sign-out in another tab',
    client: 'html/session-check: the session check posts again after 30 seconds while the response is unchanged',
  },
  'session-check-changed': {
    statement: 'The reply is changed after the session ended or another user signed in.',
    rules: ['browser-state-cookie'],
    mock: 'browser/mock-provider-session-state: responds changed after another user signed in, and unchanged to the new session_state',
    client:
      'html/session-check: after the response changed the change is reported to the site once for each message, and no further frame is loaded',
    site: 'browser/session-check: with a session cookie that is SameSite=strict after a sign-in of another user at the service, the next navigation signs out here, and signs no user in',
  },
  'session-check-error': {
    statement: 'The reply is error after a failure, and any other value counts as error.',
    rules: ['session-check-blocked-cookies', 'session-check-message'],
    mock: 'mock-provider/provider: provider.checkSession() returns unchanged, changed or error',
    client: 'html/session-check: the session check ends after an unknown message, without another request',
  },
};

/** Lists the statements about the logout endpoint. */
export const LOGOUT_STATEMENTS: Statements = {
  'logout-methods': {
    statement: 'A logout request is a GET with a query or a POST with a form.',
    rules: ['logout-request-well-formed', 'logout-parameter-sent-once'],
    mock: 'mock-provider/endpoints/logout: a logout request by POST ends the session and redirects back',
    client:
      'authorization-server/end-session: endSession returns a URL with the ID Token, the redirect URI and the state',
  },
  'logout-hint': {
    statement: 'id_token_hint is required.',
    rules: ['logout-parameters-required', 'logout-hint-valid', 'logout-without-hint'],
    mock: 'mock-provider/endpoints/logout: the required parameters without the hint the session remains and a page asks the user',
    client:
      'integration/logout: signing out at the service redirects there with the ID Token and state, and back to a page that reports both sign-outs',
  },
  'logout-redirect-uri': {
    statement: 'post_logout_redirect_uri is required.',
    rules: ['logout-parameters-required'],
    mock: 'mock-provider/endpoints/logout: the required parameters without the address the session remains and a page asks the user',
    client:
      'integration/logout: signing out at the service redirects there with the ID Token and state, and back to a page that reports both sign-outs',
  },
  'logout-redirect-uri-registered': {
    statement: 'post_logout_redirect_uri is the registered one.',
    rules: ['post-logout-uri-exact-match'],
    mock: 'mock-provider/endpoints/logout: a post_logout_redirect_uri that does not equal a registered one of this client is refused',
    client:
      'integration/logout: signing out of this site only postLogoutRedirectURI replaces the logged-out route, and must be an absolute URL',
  },
  'logout-state': {
    statement: 'state is optional, and is passed back on the redirect.',
    rules: ['logout-ends-session-first', 'logout-without-state'],
    mock: 'mock-provider/endpoints/logout: a successful logout returns state only if it was sent, after ? or &, and never an error',
    client: 'integration/logout: signing out at the service the state of another browser is not accepted',
  },
  'logout-response': {
    statement: 'The response is a 302 to post_logout_redirect_uri.',
    rules: ['logout-ends-session-first'],
    mock: 'spec/endpoints: the authorization server logs out by GET or POST, and redirects with 302 and state to a registered address',
    site: 'browser/sign-out: a sign-out ends the session at the service and returns to the site',
    client:
      'integration/logout: signing out at the service redirects there with the ID Token and state, and back to a page that reports both sign-outs',
  },
};

/** Lists the statements about userinfo. */
export const USERINFO_STATEMENTS: Statements = {
  'userinfo-openid-connect': {
    statement: 'The endpoint is OpenID Connect UserInfo; its method, parameters and response are not described.',
    rules: ['userinfo-token-sent-once', 'userinfo-claims', 'userinfo-needs-openid'],
    mock: 'spec/endpoints: the authorization server has userinfo with the sub of the ID Token',
  },
};
