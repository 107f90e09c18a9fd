import type { SecuritySections } from './point.js';

/** Lists the requirements of RFC 9700 section 2. */
export const RECOMMENDATIONS: SecuritySections = [
  [
    '2.1 Protecting redirect-based flows',
    [
      {
        requirement:
          'The authorization server compares redirect URIs exactly, except for the port of a native app on loopback.',
        package: [
          'The redirect URI is `callbackURL`. No header of the request changes it.',
          'security/return-to: Host and forwarding headers do not change the redirect URI',
        ],
        mock: [
          'A redirect URI equals a registered one byte for byte, also its loopback port.',
          'mock-provider/endpoints/authorize: redirect_uri a suffix is refused on a page',
          'mock-provider/endpoints/authorize: redirect_uri another port of a loopback address is refused on a page',
        ],
      },
      {
        requirement:
          'Neither client nor authorization server redirects to an address of a query parameter (open redirector).',
        package: [
          '`returnTo` is a path of this site, otherwise it is `/`.',
          'security/return-to: a returnTo that is not a path of this site is replaced by / %p',
          'integration/guards: a request of a signed-out user whose path looks like another host returns to this site',
          'html/popup: a sign-in link with display popup with returnTo %s goes to a page of this site',
        ],
        mock: [
          'Redirects lead to registered addresses only.',
          'security/advisories: the mock provider redirects no error to an unregistered redirect URI, also with prompt=none',
          'mock-provider/endpoints/logout: a post_logout_redirect_uri that does not equal a registered one of this client is refused',
          'mock-provider/resources/inbox: after the sign-in return_to=%j leads to the inbox',
        ],
      },
      {
        requirement:
          'The client prevents CSRF at its redirect URI, by PKCE, `nonce`, or a `state` that is used once and bound to the browser.',
        package: [
          'Each attempt has its own `state` in a sealed cookie of the browser; the `openid` flow also has `nonce` and PKCE.',
          'security/transactions: an authorization response that belongs to no attempt of this browser with the code and state of another browser signs no user in',
          'security/transactions: an authorization response that belongs to no attempt of this browser that is sent three times at once, with the cookie, is accepted once',
          'security/passport-login: a login through Passport, routes: %s that another browser started is refused, and signs no user in (login CSRF)',
          'security/fragment: a response in the fragment, on a site that signs in by: %s of another browser is refused (login CSRF)',
        ],
      },
      {
        requirement: 'A client of several authorization servers prevents mix-up, by the `iss` parameter if possible.',
        package: [
          'The transaction is bound to issuer, client, flow and redirect URI. `iss` is checked, and required when the metadata announces it.',
          'authorization-server/authorization-response: an authorization response with another issuer is rejected before a token request',
          'authorization-server/authorization-response: an authorization response must have iss when the metadata document announces it',
          'authorization-server/authorization-response: an authorization response has its issuer checked before its error',
          'interop/oidc-provider: ClinicianStrategy at oidc-provider a response with the iss of another issuer does not sign in',
        ],
        mock: [
          'The service sends no `iss`. Option `issParameter` adds and announces it.',
          'mock-provider/endpoints/authorize: the successful response issParameter: true adds iss to successes and errors, and the metadata announces it',
        ],
      },
    ],
  ],
  [
    '2.1.1 Authorization code grant',
    [
      {
        requirement: 'The client prevents injection of authorization codes by PKCE or `nonce`.',
        package: [
          'The `openid` flow has both.',
          'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
          'authorization-server/token-response: a token response for the code of another attempt is an error, because of its code challenge',
          'security/passport-login: a login through Passport, routes: %s cannot be finished with the code of another attempt',
        ],
        site: 'Use the `openid` flow: the service supports neither PKCE nor `nonce` in the `profile` flow.',
      },
      {
        requirement: 'Code challenge and `nonce` belong to one transaction, of one client and one browser.',
        package: [
          'Both are new for each attempt, and stored in its cookie, which opens under its own name only.',
          'authorization-server/request: an authorization request has a new state, nonce and verifier each time',
          'security/transactions: the cookie of a login attempt does not open under the name of another attempt',
          'security/transactions: an authorization response that belongs to no attempt of this browser of another client of the same site is refused',
        ],
      },
      {
        requirement: 'The authorization server tries to detect constant values of code challenge and `nonce`.',
        mock: [
          'The report names a client that reuses them.',
          'mock-provider/recording/report: the rule nonce-reused reports a client that violates it, with the requests',
          'mock-provider/recording/report: the rule pkce-reused reports a client that violates it, with the requests',
        ],
      },
      {
        requirement: 'The code challenge method is S256, which does not reveal the verifier.',
        package: [
          'S256 always. Metadata without S256 is an error, not a downgrade.',
          'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
          'authorization-server/discovery: discovery rejects a document with PKCE without S256',
        ],
        mock: [
          'Every other method is refused, also none.',
          'mock-provider/endpoints/authorize: PKCE code_challenge_method plain is refused',
        ],
      },
      {
        requirement:
          'The authorization server supports PKCE, and requires the verifier of a code that had a challenge.',
        mock: [
          'The `openid` flow requires PKCE, and each code its verifier.',
          'mock-provider/endpoints/authorize: PKCE a request of the openid flow without code_challenge is refused',
          'mock-provider/endpoints/token: code_verifier missing is refused',
          'mock-provider/endpoints/authorize: PKCE a request of the profile flow with PKCE must complete it',
        ],
      },
      {
        requirement: 'The authorization server refuses a verifier for a code without a challenge (downgrade).',
        mock: [
          'It is refused as an invalid grant.',
          'mock-provider/endpoints/token: code_verifier for a code without code_challenge is refused',
        ],
      },
      {
        requirement: 'The metadata announces the supported code challenge methods.',
        mock: [
          '`code_challenge_methods_supported` is S256.',
          'mock-provider/endpoints/documents: the OpenID configuration has the required and recommended members',
        ],
      },
    ],
  ],
  [
    '2.1.2 Implicit grant',
    [
      {
        requirement: 'No response type returns an access token in the authorization response.',
        package: [
          'The response type is `code`. A response with an access token or an ID Token is refused.',
          'authorization-server/authorization-response: an authorization response with an access token is rejected before a token request',
        ],
        mock: [
          'Only `code` and `code id_token` are supported.',
          'mock-provider/endpoints/authorize: response_type token is refused with unsupported_response_type',
        ],
      },
    ],
  ],
  [
    '2.2 Token replay prevention',
    [
      {
        requirement: 'Access tokens are bound to their sender, by mutual TLS or DPoP.',
        package: [
          'A token type other than Bearer is refused, since this package could not prove possession.',
          'authorization-server/token-response: a token response with token_type dpop is rejected',
        ],
        reason: 'The service issues Bearer tokens only.',
      },
      {
        requirement:
          'Refresh tokens of public clients are bound to their sender or rotated; those of other clients are bound to the client.',
        mock: [
          'There are no public clients. Refresh tokens are bound to their client, and rotated.',
          'mock-provider/endpoints/token: a refresh token that is missing, unknown, altered, revoked or of another client is refused',
          'mock-provider/endpoints/token: a second use of a refresh token revokes the current pair',
        ],
      },
    ],
  ],
  [
    '2.3 Access token privilege restriction',
    [
      {
        requirement: 'An access token has the fewest privileges that the application needs.',
        package: [
          'The default scope is `openid`. A page requests an optional scope when it needs it, and guards follow a refresh that narrows the scope.',
          'spec/client: a site requests the scope openid only, and no profile, by default',
          'security/narrowed-scope: a refresh that narrows the scope ends access to what needs the rest, at once in its process',
          'example-app/pages: the site by $signInBy, in the $flow flow an optional scope is approved on the page that needs it',
        ],
        mock: [
          'Each resource needs its scope, and the user approves each scope.',
          'mock-provider/resources/resources: each resource needs its scope',
          'mock-provider/endpoints/authorize: consent of no scope is a denial, which is not remembered',
        ],
      },
      {
        requirement: 'An access token is restricted to few resource servers, each of which verifies it.',
        package: [
          'Tokens are sent to the configured API only, and no redirect is followed.',
          'security/token-recipients: no document of the service changes which addresses receive tokens and the client secret, in the %s flow',
          'resource-api/resource-api: other responses %i is rejected, and no redirect is followed',
        ],
        mock: [
          'Each instance refuses the tokens of another one.',
          'mock-provider/server/sandbox: another sandbox and the main provider refuse the tokens of a sandbox',
        ],
        reason: 'The service has one resource server, and no audience of access tokens.',
      },
    ],
  ],
  [
    '2.4 Resource owner password credentials grant',
    [
      {
        requirement: 'The password grant is not used.',
        package: [
          'The user enters the password at the service only. No request has one.',
          'authorization-server/token-response: a token response is requested with form fields and without PKCE in the profile flow',
          'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
        ],
        mock: [
          'It is refused, as is every other grant type but two.',
          'mock-provider/endpoints/token: grant_type password is refused as unsupported',
        ],
      },
    ],
  ],
  [
    '2.5 Client authentication',
    [
      {
        requirement: 'The authorization server requires client authentication where clients can have credentials.',
        package: [
          'Each token and revocation request is authenticated.',
          'authorization-server/token-response: a token response is requested with Basic authentication in the openid flow, with any character in the secret',
          'authorization-server/revoke: a revocation authenticates with Basic in the %s flow, without the secret in the body',
        ],
        mock: [
          'Every client has a secret. An unknown client gets the same error as a wrong secret.',
          'mock-provider/endpoints/token: client authentication fails with 401 with the same message for an unknown client and a wrong secret',
          'mock-provider/endpoints/revoke: client authentication, in both flows with a wrong secret, an unknown client or an unreadable header is refused',
        ],
      },
      {
        requirement: 'Client authentication is asymmetric (mutual TLS or a signed JWT).',
        reason: 'The service has client secrets only.',
        site: 'Store the client secret as a secret, and replace it when it may be known to others.',
      },
    ],
  ],
  [
    '2.6 Other recommendations',
    [
      {
        requirement: 'The authorization server publishes its metadata, and the client configures itself by it.',
        package: [
          'Endpoints are those of the metadata, whose issuer is the configured one. They are on its origin, on https.',
          'authorization-server/discovery: discovery uses the endpoints of the document, with their query',
          'authorization-server/discovery: discovery rejects a document with another issuer',
          'authorization-server/discovery: discovery rejects %s at %j, and sends no request to it',
        ],
        mock: [
          'Both metadata documents list every endpoint.',
          'mock-provider/endpoints/documents: every endpoint of the metadata responds',
        ],
      },
      {
        requirement: 'TLS protects the whole path between client and resource server.',
        package: [
          'https only, with verified certificates; plain http only on loopback.',
          'http/http: createFetch %s is rejected without a request',
          'http/http: createFetch over TLS an unknown authority is rejected, unless the option ca has it',
          'http/http: createFetch over TLS NODE_TLS_REJECT_UNAUTHORIZED has no effect',
        ],
        mock: [
          'Plain http needs a loopback host.',
          'mock-provider/server/every-endpoint: plain http needs a loopback host %s is refused with the fix',
        ],
      },
      {
        requirement: 'Authorization responses are never sent over http, except to a native app on loopback.',
        package: [
          '`callbackURL` with http is refused, except on loopback.',
          'options/options: an invalid option throws an error that names the option and the fix %s %s is plain http on a public host, or not http',
        ],
        mock: [
          'A redirect URI with http is refused at registration, except on loopback.',
          'mock-provider/options/client-registration: registering %j throws an error that names the option and the fix',
        ],
      },
      {
        requirement: 'The authorization endpoint supports no CORS.',
        mock: [
          'Pages of other origins can read the public documents and userinfo only.',
          'mock-provider/server/every-endpoint: pages of other origins may not read any other response',
        ],
        package: [
          'No route of the drop-in sends CORS headers.',
          'security/cross-site-requests: no response of a route allows a page of another origin to read it',
        ],
      },
    ],
  ],
];
