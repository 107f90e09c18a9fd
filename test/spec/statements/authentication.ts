import type { Statements } from './statement.js';

/** Lists the statements of the part about authentication. */
export const AUTHENTICATION_STATEMENTS: Statements = {
  'bearer-header': {
    statement: 'Resource requests send the header Authorization: Bearer with the access token.',
    rules: ['api-token-required', 'token-in-query'],
    mock: 'mock-provider/resources/resources: the access token outside the Authorization header is ignored',
    client: 'resource-api/resource-api: profile() sends the access token in the header and not in the URL',
  },
  'metadata-optional': {
    statement: 'The application may read the metadata for the authorization address.',
    rules: ['openid-configuration-complete', 'metadata-not-cached'],
    mock: 'mock-provider/endpoints/documents: every endpoint of the metadata responds',
    client: 'authorization-server/discovery: discovery uses the endpoints of the document, with their query',
  },
  'flow-in-order': {
    statement: 'The user is redirected, signs in and approves, and returns with a code, which is exchanged for tokens.',
    rules: ['code-valid', 'code-not-redeemed'],
    mock: 'mock-provider/interactions/sign-in: the login page redirects with 303 to the consent page, which redirects with 303 to the application',
    client:
      'integration/login-paths: a login by: $path, in the $flow flow returns to returnTo, with req.clinician and req.user',
    site: 'browser/sign-in: by $signInBy, in the $flow flow a verified clinician signs in, sees the whole profile, reads the notes and signs out',
  },
  'id-token-verified': {
    statement: 'In Form B the application verifies the ID Token and reads sub.',
    rules: ['forged-id-token-accepted'],
    client: 'spec/client: a site that signs in by: %s signs no user in with an ID Token whose signature is forged',
    site: 'example-app/site: by $signInBy, in the $flow flow /api/me contains the signed-in user and no secret',
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
  },
  'refresh-optional': {
    statement: 'The application may refresh the tokens.',
    rules: ['refresh-token-valid', 'refreshed-early'],
    mock: 'mock-provider/endpoints/token: a refresh revokes the old pair at once and returns a new one',
    client:
      'integration/login-paths: a login by: $path, in the $flow flow has the resource API, a refresh, and a revocation that ends it',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account refreshes the access token, and shows until when the new one is valid',
  },
  'redirect-uri-equal': {
    statement: 'redirect_uri at the token endpoint equals the one of the authorization request exactly.',
    rules: ['code-redirect-uri-matches', 'redirect-uri-differs'],
    mock: 'mock-provider/endpoints/token: a code that is unknown, expired, of another client, or with another redirect_uri is refused',
    client:
      'spec/client: a site that signs in by: %s sends the redirect_uri of the authorization request with the code',
  },
  'authorization-page-own-window': {
    statement: 'The authorization page opens in its own browser window with a visible address.',
    rules: ['pages-not-framed', 'page-framed'],
    mock: 'browser/mock-provider-pages: no page can be framed',
    client: 'html/popup: a sign-in link with display popup opens a popup with an address bar and without window.opener',
  },
  'authorization-page-not-framed': {
    statement: 'The authorization page is not placed in a frame.',
    rules: ['authorization-not-framed', 'pages-not-framed', 'page-framed'],
    mock: 'mock-provider/endpoints/authorize: a request for a frame is refused with a page, also with prompt=none',
    client:
      'browser/session-check: with a session cookie that is SameSite=lax after a sign-out at the service, the next navigation signs out here',
  },
  'signature-verified': {
    statement: 'The signature of the ID Token is verified with the RS256 key of jwks_uri that kid selects.',
    rules: ['id-token-signed-rs256', 'forged-id-token-accepted'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client: 'authorization-server/id-token: an ID Token with a forged signature is rejected',
  },
  'secrets-not-shared': {
    statement: 'Client secret and tokens are not shared.',
    rules: ['secret-in-query', 'token-in-query', 'credentials-out-of-place'],
    mock: 'mock-provider/recording/leaks: records contain no secret every secret of a sign-in, a refresh, API requests and a logout is masked',
    client: 'spec/client: a site that signs in by: %s stores the user id and sealed tokens only, in the %s flow',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account shows the state of the tokens, and no token',
  },
  'secrets-encrypted': {
    statement: 'Client secret and tokens are not stored unencrypted in repositories.',
    reason: 'The provider cannot see how a client stores its tokens.',
    client: 'token-vault/token-vault: add passes the user to the store, and no token in plain text',
  },
  'secrets-not-logged': {
    statement: 'Client secret and tokens are never logged.',
    rules: ['errors-without-secrets', 'records-without-secrets'],
    mock: 'mock-provider/server/every-endpoint: records in provider.requests mask secrets',
    client: 'integration/two-processes.redis: Redis and the printed output contain no token, code or secret',
  },
  'revoke-on-logout': {
    statement: 'Tokens are revoked at logout.',
    rules: ['tokens-not-revoked', 'logout-without-revocation'],
    client:
      'integration/login-paths: a login by: $path, in the $flow flow ends with a sign-out, which revokes and continues at the service',
    site: 'browser/sign-in: by $signInBy, in the $flow flow a verified clinician signs in, sees the whole profile, reads the notes and signs out',
  },
  'revoke-on-unlinking': {
    statement: 'Tokens are revoked when the user unlinks the account.',
    reason: 'The provider cannot see when a site unlinks or removes an account.',
    client:
      'integration/login-paths: a login by: $path, in the $flow flow has the resource API, a refresh, and a revocation that ends it',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account revokes the tokens and says so, and the next page requires a new sign-in',
  },
  'revoke-on-removal': {
    statement: 'Tokens are revoked when the account is removed.',
    reason: 'The provider cannot see when a site unlinks or removes an account.',
    client: 'integration/login-paths: a login by: $path, in the $flow flow ends with forget, in every session',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account forgetting a user signs out every device',
  },
  'revoke-on-reconnect': {
    statement: 'Tokens are revoked when the user must connect again.',
    reason: 'The provider cannot see why a user signs in again.',
    client:
      'integration/login-paths: a login by: $path, in the $flow flow is replaced by a further login, and the tokens before are revoked',
  },
  'token-endpoint-method': {
    statement: 'The supported method of the token endpoint is client_secret_basic.',
    rules: ['client-secret-basic-only', 'secret-in-body'],
    mock: 'mock-provider/endpoints/token: the client authentication of a flow the openid flow is refused in the body',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
  'client-credentials-not-described': {
    statement: 'The client credentials flow is mentioned, and its parameters are not described.',
    rules: ['grant-type-supported'],
    mock: 'mock-provider/endpoints/token: grant_type client_credentials is refused as unsupported',
  },
  'session-cookie-not-described': {
    statement:
      'Authentication by session cookie is mentioned, and not described: the resource API needs an access token.',
    rules: ['api-token-required'],
    mock: 'mock-provider/resources/resources: a session cookie of the provider is no authentication',
  },
  'rate-limit-of-oauth-requests': {
    statement: 'The rate limit applies to requests with a session cookie or an access token.',
    rules: ['rate-window', 'rate-limit-without-token'],
    mock: 'mock-provider/resources/resources: the rate limit is shared by the tokens of a clinician at a client, and by no others',
    client: 'resource-api/rate-limit: calls of one user share their rate limit',
  },
  'access-codes-not-shared': {
    statement: 'Developers do not share their access codes, and users do not need their own.',
    reason: 'A duty of the site owner: no software can check it. Users of this package need no code.',
  },
};
