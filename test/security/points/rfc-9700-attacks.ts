import type { SecuritySections } from './point.js';

/** Lists the requirements of RFC 9700 section 4 that section 2 does not have. */
export const ATTACKS: SecuritySections = [
  [
    '4.1 Insufficient redirect URI validation',
    [
      {
        requirement: 'A code is redeemed only with the redirect URI that it was issued for.',
        package: [
          'The token request has the redirect URI of the authorization request.',
          'spec/client: a site that signs in by: %s sends the redirect_uri of the authorization request with the code',
        ],
        mock: [
          'Another redirect URI is an invalid grant.',
          'mock-provider/endpoints/token: a code that is unknown, expired, of another client, or with another redirect_uri is refused',
        ],
      },
      {
        requirement: 'No page of the host of the redirect URI redirects to an address of a parameter.',
        package: [
          'No route of the drop-in does.',
          'security/return-to: a returnTo that is not a path of this site is replaced by / %p',
          'security/advisories: a login link has no target_link_uri, iss or redirect_uri of another site',
        ],
        site: 'Do not redirect to addresses of parameters in your own routes.',
      },
      {
        requirement: 'A response in the fragment does not stay in the address after a redirect (optional).',
        package: [
          'The page at the callback removes the fragment before anything else.',
          'browser/sign-in: by $signInBy, in the $flow flow a response in the fragment signs the user in, and no request of the site has it in its address',
        ],
      },
    ],
  ],
  [
    '4.2 Credential leakage via Referer headers',
    [
      {
        requirement:
          'The pages at the redirect URI and at the authorization endpoint have no resources of other sites, and suppress the Referer header.',
        package: [
          'The callback redirects, or shows a page without scripts and with `Referrer-Policy: no-referrer`.',
          'security/response-headers: the start and the end of a login send no referrer, are not cached, and their pages are not framed',
          'html/pages: the page "%s" has no script and no inline style, as its policy requires',
        ],
        mock: [
          "The policy of each page is `default-src 'none'`, and pages send no referrer.",
          'mock-provider/pages/page: every page %s: is not stored, not framed, without scripts, and its policy allows the redirect to the client',
        ],
        site: 'Do not show a page of your own at the path of `callbackURL`.',
      },
      {
        requirement: 'A code is valid once, and its second use revokes the tokens that it gave.',
        package: [
          'A code is redeemed once, also when the response arrives several times at once.',
          'security/transactions: an authorization response that belongs to no attempt of this browser that is sent three times at once, with the cookie, is accepted once',
        ],
        mock: [
          'A second use revokes the pair and its successors.',
          'mock-provider/endpoints/token: a second use of a code revokes its tokens and their successors',
          'mock-provider/endpoints/token: a second use of a code in 20 parallel requests succeeds once, and its tokens are revoked',
        ],
      },
      {
        requirement: 'The client accepts a `state` once.',
        package: [
          'The first response uses it up, also when it fails.',
          'security/transactions: an authorization response that belongs to no attempt of this browser uses up its state even when it fails',
          'security/transactions: an authorization response that belongs to no attempt of this browser that is sent twice is refused the second time, and the login of the first remains',
        ],
      },
      {
        requirement: 'The form post response mode keeps codes out of addresses.',
        package: [
          "The service has no such mode. `responseMode: 'fragment'` has the same effect: the page at the callback posts the response.",
          'browser/sign-in: by $signInBy, in the $flow flow a response in the fragment signs the user in, and no request of the site has it in its address',
        ],
      },
    ],
  ],
  [
    '4.3 Credential leakage via browser history',
    [
      {
        requirement: 'A code in the history of the browser cannot be used again.',
        package: [
          'It is used up, and a failed sign-in is shown at another URL.',
          'security/callback-url: a failed sign-in is shown at a URL without the authorization response, which can be reloaded',
        ],
        mock: [
          'Codes expire after five minutes, and are bound to client and code challenge.',
          'mock-provider/endpoints/authorize: codes are random and expire after five minutes',
        ],
      },
      {
        requirement: 'Access tokens are never sent in the query of a URL.',
        package: [
          'They are sent in the Authorization header only.',
          'resource-api/resource-api: profile() sends the access token in the header and not in the URL',
        ],
        mock: [
          'A token in the query is refused, and the report names the client.',
          'mock-provider/endpoints/userinfo: the access token is refused in header and form, repeated, or in the query',
          'mock-provider/resources/resources: the access token outside the Authorization header is ignored',
        ],
      },
    ],
  ],
  [
    '4.4 Mix-up attacks',
    [
      {
        requirement: 'The client stores the issuer of each authorization request, bound to the browser.',
        package: [
          'It is in the sealed cookie of the attempt. A transaction of another issuer, client or flow is refused.',
          'authorization-server/authorization-response: an authorization response with the transaction of another issuer is rejected before a token request',
          'security/transactions: an authorization response that belongs to no attempt of this browser of another client of the same site is refused',
        ],
      },
      {
        requirement: 'The issuer identifies all endpoints: a token endpoint of another party cannot belong to it.',
        package: [
          'Endpoints of another origin are refused, unless `allowedEndpointOrigins` lists it.',
          'authorization-server/discovery: discovery rejects %s at %j, and sends no request to it',
          'authorization-server/discovery: discovery accepts another origin of allowedEndpointOrigins',
          'security/error-data: a redirect that a custom fetch follows to a key set of another origin signs no user in',
        ],
      },
      {
        requirement: 'Credentials of one authorization server are never sent to another one.',
        package: [
          'Sessions and stored tokens belong to one issuer, client and flow.',
          'security/instances: an instance with another %s does not accept the session, and sends none of its tokens',
          'session/tokens: two instances on one store, with the same secret with another %s do not use, end or erase the logins of each other',
          'security/token-recipients: no document of the service changes which addresses receive tokens and the client secret, in the %s flow',
        ],
      },
      {
        requirement: 'A client that cannot use `iss` has a separate redirect URI for each issuer.',
        package: [
          'Each instance of a site has its own `callbackURL`. Two with the same path are an error.',
          'integration/instances: two instances with the same path are an error at the first request, unless their origins differ',
          'security/instances: an instance with another %s does not finish a login attempt, which stays in progress',
        ],
        site: 'Give each instance its own `callbackURL` and `routes.base`.',
      },
    ],
  ],
  [
    '4.5 Authorization code injection',
    [
      {
        requirement:
          'The client validates the `nonce` of the ID Token of the token response, and uses no token before.',
        package: [
          'The whole response is dropped, and its tokens are revoked, when its ID Token is invalid.',
          'security/refused-tokens: the tokens of a token response that is refused are revoked at a sign-in where its ID Token is invalid',
          'security/id-tokens: an invalid ID Token signs no user in the access token of a response with a wrong nonce is not used',
          'authorization-server/id-token: an ID Token with no nonce is rejected',
        ],
      },
    ],
  ],
  [
    '4.6 Access token injection',
    [
      {
        requirement: 'The client compares `at_hash` of the ID Token with the access token.',
        package: [
          'A wrong `at_hash` is refused, in the code flow too.',
          "authorization-server/id-token: an ID Token with another access token's at_hash is rejected",
        ],
        mock: [
          'Each ID Token of the token endpoint has it.',
          'mock-provider/endpoints/token: the ID Token has the claims of the service spec',
        ],
      },
    ],
  ],
  [
    '4.7 Cross-site request forgery',
    [
      {
        requirement: 'A client that relies on PKCE makes sure that the server supports it.',
        package: [
          'This package relies on `state`, and on PKCE in addition.',
          'security/transactions: an authorization response that belongs to no attempt of this browser without state, or with two, is refused',
          'authorization-server/discovery: discovery rejects a document with PKCE without S256',
        ],
      },
      {
        requirement: 'Application data in `state` is protected against changes and exchange.',
        package: [
          '`state` is random. Application data is in the sealed cookie of the attempt.',
          'passport/strategy: options of passport.authenticate() state and returnTo are in authInfo after the login, and state is not sent to the service',
          'security/transactions: the cookie of a login attempt is ignored when it is %s',
        ],
      },
    ],
  ],
  [
    '4.9 Access token leakage at the resource server',
    [
      {
        requirement: 'A client is not directed to a resource server of an attacker.',
        package: [
          'The address of the API is the option `apiURL`. No document of the service changes it.',
          'security/token-recipients: no document of the service changes which addresses receive tokens and the client secret, in the %s flow',
        ],
      },
      {
        requirement: 'Tokens are treated as secrets, and never stored or sent in plain text.',
        package: [
          'Stored tokens are sealed. No event, page, error or log line contains one.',
          'security/secret-leaks.ts: with %s, in the %s flow no event, log line, page, header, session or store contains a token, code, verifier or secret',
          'token-vault/token-vault: add passes the user to the store, and no token in plain text',
          'session/revocations: a revocation that fails saves neither the user nor the token in plain text',
          'integration/two-processes.redis: Redis and the printed output contain no token, code or secret',
          'security/error-data: text from the token endpoint does not reach the browser in the %s flow',
          'security/error-data: a token in a response that is not valid HTTP is not printed',
        ],
        mock: [
          'Records, problems and traces mask them.',
          'mock-provider/recording/leaks: records contain no secret every secret of a sign-in, a refresh, API requests and a logout is masked',
        ],
      },
    ],
  ],
  [
    '4.10 Misuse of stolen access tokens',
    [
      {
        requirement: 'Access tokens are bound to their sender, and restricted to an audience.',
        reason:
          'The service has neither, see 2.2 and 2.3. A stolen access token is valid until it expires or is revoked.',
        package: [
          'A sign-out, and a denial by the site, revoke it.',
          'security/sessions: signing out destroys the session, revokes at the service, and the old cookie signs no user in',
          'integration/sign-in: a sign-in that is denied by the site: shows its reason, and revokes the tokens',
        ],
        mock: [
          'A refresh revokes the pair before it.',
          'mock-provider/endpoints/token: a refresh revokes the old pair at once and returns a new one',
        ],
      },
    ],
  ],
  [
    '4.11 Open redirection',
    [
      {
        requirement: 'The authorization server never redirects for an invalid client or redirect URI.',
        mock: [
          'A page shows the error.',
          'mock-provider/endpoints/authorize: client_id a request of an unknown client is not redirected, not even with prompt=none',
          'security/advisories: the mock provider redirects no error to an unregistered redirect URI, also with prompt=none',
        ],
      },
      {
        requirement:
          'The authorization server authenticates the user before each redirect, and redirects automatically to trusted clients only.',
        reason:
          'The mock provider redirects errors without a sign-in: its clients are those of the tests, and it has no real users.',
      },
    ],
  ],
  [
    '4.12 307 redirect',
    [
      {
        requirement: 'A redirect after a form with credentials has status 303, never 307.',
        mock: [
          'Status 303 after POST, 302 after GET.',
          'mock-provider/server/every-endpoint: redirects have 302 after GET and 303 after POST, and are not stored',
          'mock-provider/interactions/sign-in: the login page redirects with 303 to the consent page, which redirects with 303 to the application',
        ],
        package: [
          'Status 303 after POST.',
          'integration/forget: POST /auth/forget from a page of the site forgets the signed-in user in every session',
        ],
      },
    ],
  ],
  [
    '4.13 TLS terminating reverse proxies',
    [
      {
        requirement:
          'A proxy removes forwarding headers of its clients, and its connection to the application is protected.',
        package: [
          'Origin, redirect URI and cookie attributes follow `callbackURL`, not headers.',
          'security/return-to: Host and forwarding headers do not change the redirect URI',
          'testing/https: a site whose callbackURL is on https without trust proxy: the agent is not signed in, as behind a real proxy',
        ],
        mock: [
          'Forwarding headers are ignored.',
          'mock-provider/server/every-endpoint: plain http needs a loopback host forwarded headers are ignored',
        ],
        site: 'Let the proxy set `X-Forwarded-Proto` itself, and set `trust proxy` to that proxy only.',
      },
    ],
  ],
  [
    '4.14 Refresh token protection',
    [
      {
        requirement: 'A refresh token is bound to the scope that the user approved.',
        package: [
          'A refresh that returns more scope is refused.',
          'authorization-server/refresh: a refresh rejects a scope that was not granted',
        ],
        mock: [
          'More scope is an invalid scope.',
          'mock-provider/endpoints/token: scope at a refresh email is refused when it was not granted',
        ],
      },
      {
        requirement: 'Refresh tokens are rotated, and the use of an old one revokes the current one.',
        package: [
          'A refresh token is used once, by all processes on one token store together.',
          'token-vault/concurrency: concurrent requests in two processes on one store cause one refresh',
          'integration/two-processes.redis: 200 parallel requests with expired tokens make one refresh',
        ],
        mock: [
          'A second use revokes the current pair.',
          'mock-provider/endpoints/token: a second use of a refresh token revokes the current pair',
        ],
      },
      {
        requirement: 'Refresh tokens are confidential where they are stored and sent, and cannot be guessed.',
        package: [
          'The browser never has one. The token store has it sealed.',
          'security/sessions: the session contains no token and no profile, and printed objects contain no secret',
          'token-vault/token-vault: add passes the user to the store, and no token in plain text',
        ],
        mock: ['Tokens are random.', 'mock-provider/endpoints/token: tokens are opaque, long and different'],
      },
      {
        requirement: 'Refresh tokens may be revoked at logout and after a password change.',
        package: [
          'Each sign-out revokes, through Passport too. A revocation that fails is repeated.',
          "integration/passport-login: a login through passport.authenticate('clinician'), routes: %s ends with req.logout() of Passport%s, and its tokens are revoked",
          'integration/repeated-revocations.ts: with %s, in the %s flow no token is valid after an hour in which the service revokes none',
        ],
        mock: [
          'The client revokes them: a logout does not.',
          'mock-provider/endpoints/logout: tokens remain valid after logout',
        ],
      },
      {
        requirement: 'Refresh tokens expire when they are not used.',
        package: [
          'Unused tokens are erased after 30 days.',
          'token-vault/token-vault: add unused tokens expire after 30 days',
        ],
        mock: [
          'They expire 30 days after the last use.',
          'mock-provider/endpoints/token: a refresh token expires 30 days after the last use',
        ],
      },
    ],
  ],
  [
    '4.15 Client impersonating resource owner',
    [
      {
        requirement: 'The id of a client cannot be confused with the id of a user.',
        mock: [
          'No token has a client as its subject: the client credentials grant is refused. `sub` is a UUID.',
          'mock-provider/endpoints/token: grant_type client_credentials is refused as unsupported',
          'mock-provider/endpoints/token: sub is a UUID, different for each user, and not the email address',
        ],
      },
    ],
  ],
  [
    '4.16 Clickjacking',
    [
      {
        requirement: 'Pages of the authorization server, and those that sign users in, cannot be framed.',
        package: [
          'Pages send `X-Frame-Options` and a policy. A sign-in in a frame is refused.',
          'security/response-headers: the start and the end of a login send no referrer, are not cached, and their pages are not framed',
          'security/silent-sign-in: a sign-in that a frame starts is refused without an authorization request (%s)',
          'html/session-check: the session-check page has a policy: framed only by the site, frames only the service',
        ],
        mock: [
          'Every page forbids frames but the session check page, which shows nothing.',
          'browser/mock-provider-pages: no page can be framed',
          'mock-provider/endpoints/authorize: a request for a frame is refused with a page, also with prompt=none',
        ],
        site: 'Use `helmet(clinician.helmet())`, so that your own pages cannot be framed.',
      },
    ],
  ],
  [
    '4.17 Attacks on in-browser communication flows',
    [
      {
        requirement: 'Messages are sent to one exact origin, never to `*`, and accepted of one exact origin.',
        package: [
          'The session check posts to the origin of the service, and ignores messages of other windows and origins. No message has an authorization response.',
          'html/session-check: the session check posts client_id and session_state to the frame of the service, for its origin only',
          'html/session-check: the session check ignores messages of another window or another origin than the frame of the service',
          'html/popup: the last page of a popup sends signed-in on the channel, then closes the popup',
        ],
        mock: [
          'The session check page responds to the window and origin of the message only.',
          'browser/mock-provider-session-state: responds only to the window that sent the message, and not to a frame without an origin',
          'browser/mock-provider-session-state: responds changed on another origin and for another client',
        ],
      },
    ],
  ],
];
