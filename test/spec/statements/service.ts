import type { Statements } from './statement.js';

/** Lists the statements about the service and its two flows. */
export const SERVICE_STATEMENTS: Statements = {
  'credentials-of-the-service': {
    statement: 'A clinician signs in with the credentials of the service, by the OAuth 2.0 authorization code flow.',
    rules: ['code-valid', 'grant-type-supported'],
    mock: 'mock-provider/endpoints/token: the token response of the profile flow has no scope and no ID Token',
    client:
      'spec/client: a site that signs in by: %s identifies the user in the %s flow, who is verified by the profile',
  },
  'openid-identification': {
    statement: 'Form B also identifies the clinician by OpenID Connect.',
    rules: ['id-token-with-openid-only'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client:
      'spec/client: a site that signs in by: %s identifies the user in the %s flow, who is verified by the profile',
  },
  'profile-after-approval': {
    statement: 'After the approval the application reads the profile of the user, a digital CV.',
    rules: ['api-scope-granted', 'profile-member-names'],
    mock: 'mock-provider/resources/resources: each resource needs its scope',
    client: 'integration/sign-in: a clinician signs in and the profile is read in camelCase',
    site: 'example-app/site: by $signInBy, in the $flow flow /profile shows every member from the service, and "none" for null',
  },
  'colleagues-after-approval': {
    statement: 'After the approval the application reads the colleague list of the user.',
    rules: ['api-scope-granted', 'colleagues-in-stable-order'],
    mock: 'mock-provider/resources/resources: each resource needs its scope',
    client: 'resource-api/colleagues: a page of colleagues is parsed with the counts of the service',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /colleagues shows colleagues page by page',
  },
  'share-button-opens-message': {
    statement: 'The application shows a share button that opens a new message in the inbox of the service.',
    rules: ['new-message-needs-session', 'share-script'],
    mock: 'browser/mock-provider-share-button: a click opens a new message with the shared values, which arrives in the inbox when sent',
    client: 'integration/sign-in-modes: the share button links to the inbox of the service, with its values escaped',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /share links to a new message in the inbox of the service',
  },
  'rate-limit-after-approval': {
    statement: 'After the approval the application reads its own rate-limit status.',
    rules: ['rate-limit-status-uncounted'],
    mock: 'mock-provider/resources/resources: each resource needs its scope',
    client: 'resource-api/rate-limit: rateLimit() returns the requests left, and the end of the window in milliseconds',
  },
  'no-directory-queries': {
    statement: 'The interface authenticates and identifies users; the directory cannot be listed or searched.',
    rules: ['path-known'],
    mock: 'mock-provider/resources/resources: no other path lists or searches users, or is without the prefix /api/v1',
  },
  'https-required': {
    statement: 'All requests use https.',
    rules: ['plain-http-loopback-only', 'redirect-uri-plain-http'],
    mock: 'mock-provider/server/every-endpoint: plain http needs a loopback host 0.0.0.0 is refused with the fix',
    client:
      'options/options: an invalid option throws an error that names the option and the fix issuer http://auth.service.example is plain http on a public host, or not http',
    site: 'example-app/config: the start fails with a message when the issuer is http',
  },
  'certificates-validated': {
    statement: 'Clients validate certificates.',
    reason: 'Only the client can validate the certificate of the service.',
    client: 'http/http: createFetch over TLS an unknown authority is rejected, unless the option ca has it',
  },
  'account-with-verification': {
    statement: 'A user without an account creates one, which includes the verification process.',
    rules: ['new-account-verified', 'prompt-create-registers-first'],
    mock: 'mock-provider/interactions/verification: the verification page shows the position in the queue; the user continues unverified and is verified after three days',
    client: 'integration/login-link: a link to the login route of a sign-in button has the options of the button',
  },
  'login-without-session': {
    statement: 'A user who has an account and no session logs in.',
    rules: ['page-needed-is-shown'],
    mock: 'mock-provider/endpoints/authorize: consent is remembered for a user, a client and a scope, and requested again for more scope',
  },
  'consent-page-with-session': {
    statement: 'A user with a session sees the authorization page.',
    rules: ['page-needed-is-shown', 'consent-remembered'],
    mock: 'mock-provider/endpoints/authorize: consent is remembered for a user, a client and a scope, and requested again for more scope',
  },
  'approval-required': {
    statement: 'The user must approve the access of the application.',
    rules: ['user-approval-required'],
    mock: 'mock-provider/endpoints/authorize: prompt=none for a scope without consent gets consent_required',
    client: 'spec/client: a site that signs in by: %s signs no user in who does not approve, in the %s flow',
  },
  'same-endpoints': {
    statement: 'Both flows use the same authorization, token and resource endpoints.',
    rules: ['path-known'],
    mock: 'mock-provider/endpoints/token: the token response has an access token that expires after expires_in',
    client: 'spec/client: a site that signs in by: %s uses the same endpoints in both flows',
  },
  'profile-flow-scopes': {
    statement: 'Form A has the scopes basic, colleagues and email.',
    rules: ['scope-allowed', 'scope-known'],
    mock: 'mock-provider/provider: provider.registerClient() allows only openid in the openid flow unless scope has more',
    client: 'authorization-server/request: an authorization request rejects the scope openid in the profile flow',
  },
  'openid-flow-scopes': {
    statement: 'Form B has only the scope openid, unless the service allows more.',
    rules: ['scope-allowed', 'scope-not-allowed'],
    mock: 'mock-provider/endpoints/authorize: scope a scope token that the client is not registered for is refused',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'profile-flow-authentication': {
    statement: 'In Form A the client authenticates at the token endpoint by client_id and client_secret in the form.',
    rules: ['client-secret-post-only'],
    mock: 'mock-provider/endpoints/token: the client authentication of a flow the profile flow is refused by Basic',
    client:
      'authorization-server/token-response: a token response is requested with form fields and without PKCE in the profile flow',
  },
  'openid-flow-authentication': {
    statement: 'In Form B the client authenticates at the token endpoint by HTTP Basic.',
    rules: ['client-secret-basic-only', 'secret-in-body'],
    mock: 'mock-provider/endpoints/token: the client authentication of a flow the openid flow is refused in the body',
    client:
      'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
  },
  'profile-flow-without-pkce': {
    statement: 'Form A does not use PKCE.',
    rules: ['no-verifier-without-challenge'],
    mock: 'mock-provider/endpoints/authorize: PKCE a request of the openid flow without code_challenge is refused',
    client:
      'authorization-server/request: an authorization request has neither nonce nor challenge in the profile flow, and uses fixed paths without discovery',
  },
  'openid-flow-with-pkce': {
    statement: 'Form B requires PKCE.',
    rules: ['pkce-required', 'pkce-missing'],
    mock: 'mock-provider/endpoints/authorize: PKCE a request of the openid flow without code_challenge is refused',
    client:
      'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
  },
  'access-token-lifetime-profile': {
    statement: 'In Form A an access token is valid for 3600 seconds, as in the sample.',
    rules: ['access-token-lifetime'],
    mock: 'mock-provider/endpoints/token: the token response has an access token that expires after expires_in',
  },
  'access-token-lifetime-openid': {
    statement: 'In Form B an access token is valid for 1800 seconds, as in the sample.',
    rules: ['access-token-lifetime'],
    mock: 'mock-provider/endpoints/token: the token response has an access token that expires after expires_in',
  },
  'profile-flow-identity': {
    statement: 'In Form A the profile identifies the user.',
    rules: ['profile-member-names'],
    mock: 'mock-provider/resources/resources: the profile of a user without values has members that are null or empty, and lacks those that can be neither',
    client:
      'spec/client: a site that signs in by: %s identifies the user in the %s flow, who is verified by the profile',
    site: 'example-app/site: by $signInBy, in the $flow flow /api/me contains the signed-in user and no secret',
  },
  'openid-flow-identity': {
    statement: 'In Form B the sub of the ID Token identifies the user.',
    rules: ['id-token-claims'],
    mock: 'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
    client:
      'spec/client: a site that signs in by: %s identifies the user in the %s flow, who is verified by the profile',
    site: 'example-app/site: by $signInBy, in the $flow flow /api/me contains the signed-in user and no secret',
  },
};
