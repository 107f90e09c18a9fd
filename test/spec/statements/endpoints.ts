import type { Statements } from './statement.js';

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
    mock: 'mock-provider/endpoints/revoke: a successful revocation has Content-Type, Content-Length: 0 and no-store',
    client: 'authorization-server/revoke: a revocation ignores the body of a 200',
  },
};

/** Lists the statements about the addresses of metadata and keys. */
export const DOCUMENT_STATEMENTS: Statements = {
  'openid-configuration-address': {
    statement: 'GET /.well-known/openid-configuration has no parameters, and returns the OpenID configuration.',
    rules: ['openid-configuration-complete', 'metadata-cacheable'],
    mock: 'mock-provider/endpoints/documents: every endpoint of the metadata responds',
    client: 'authorization-server/discovery: discovery happens at the first sign-in, once for concurrent ones',
  },
  'server-metadata-address': {
    statement: 'GET /.well-known/oauth-authorization-server has no parameters, and returns the server metadata.',
    rules: ['metadata-lists', 'metadata-cacheable'],
    mock: 'mock-provider/endpoints/documents: every endpoint of the metadata responds',
    client:
      'authorization-server/discovery: discovery without an OpenID configuration the authorization server metadata is used, and cached for an hour',
  },
  'jwks-address': {
    statement: 'jwks_uri returns the public keys at /.well-known/jwks.json.',
    rules: ['jwks-public-members-only'],
    mock: 'mock-provider/endpoints/documents: the JWKS has only public members, and each kid names a test key',
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
      "integration/logout: with endSessionMethod: 'POST' a navigation gets a page whose form posts the ID Token, which is in no URL",
  },
  'logout-hint': {
    statement: 'id_token_hint is required.',
    rules: ['logout-parameters-required', 'logout-hint-valid', 'logout-without-hint'],
    mock: 'mock-provider/endpoints/logout: the required parameters without the hint the session remains and a page asks the user',
    client:
      'spec/client: a site that signs in by: %s signs out at the service with the ID Token and state, and returns to the registered address',
  },
  'logout-redirect-uri': {
    statement: 'post_logout_redirect_uri is required.',
    rules: ['logout-parameters-required'],
    mock: 'mock-provider/endpoints/logout: the required parameters without the address the session remains and a page asks the user',
    client:
      'spec/client: a site that signs in by: %s signs out at the service with the ID Token and state, and returns to the registered address',
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
    client:
      'spec/client: a site that signs in by: %s signs out at the service with the ID Token and state, and returns to the registered address',
  },
  'logout-response': {
    statement: 'The response is a 302 to post_logout_redirect_uri.',
    rules: ['logout-ends-session-first'],
    mock: 'mock-provider/endpoints/logout: a logout request by %s ends the session and redirects back',
    site: 'browser/sign-out: by $signInBy, in the $flow flow a sign-out returns to the site, and reports whether the session at the service has ended',
    client:
      'spec/client: a site that signs in by: %s signs out at the service with the ID Token and state, and returns to the registered address',
  },
};

/** Lists the statements about userinfo. */
export const USERINFO_STATEMENTS: Statements = {
  'userinfo-openid-connect': {
    statement: 'The endpoint is OpenID Connect UserInfo; its method, parameters and response are not described.',
    rules: ['userinfo-token-sent-once', 'userinfo-claims', 'userinfo-needs-openid'],
    mock: 'mock-provider/endpoints/userinfo: the access token is accepted in the header of GET and POST and in a POST form',
  },
};
