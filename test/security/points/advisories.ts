import type { Advisory } from './point.js';

const FOREIGN_RESPONSE = 'security/transactions: an authorization response that belongs to no attempt of this browser';
const RETURN_TO = 'security/return-to: a returnTo that is not a path of this site is replaced by /';
const ID_TOKEN = 'authorization-server/id-token: an ID Token';
const VERSIONS = 'architecture/minimum-versions: no locked version is below its minimum, at any depth';

/** Lists published vulnerabilities of comparable packages, by subject. */
export const ADVISORIES: readonly (readonly [subject: string, advisories: readonly Advisory[]])[] = [
  [
    'Sessions',
    [
      {
        product: 'passport',
        ids: ['CVE-2022-25896', 'GHSA-v923-w3x8-wh69'],
        fault: 'The session was not replaced at login and logout (session fixation).',
        tests: [
          'security/passport-login: a login through Passport, routes: %s gets a new session id, and the old session is deleted (keepSessionInfo: %s)',
          VERSIONS,
        ],
      },
      {
        product: 'express-openid-connect',
        ids: ['CVE-2021-41246', 'GHSA-7rg2-qxmf-hhx9'],
        fault: 'The session ID was the same before and after login.',
        tests: [
          'security/sessions: session fixation a login gets a new session id, and the old session and its contents are deleted',
        ],
      },
      {
        product: 'on-headers, of express-session',
        ids: ['CVE-2025-7339', 'GHSA-76c9-3jph-rj3q'],
        fault: 'Response headers could be changed when `writeHead()` received an array.',
        tests: [VERSIONS],
      },
      {
        product: 'cookie',
        ids: ['CVE-2024-47764', 'GHSA-pxg6-pf52-xh8x'],
        fault: 'The name of a cookie could set its other attributes.',
        tests: [VERSIONS],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2021-32791', 'GHSA-px3c-6x7j-3r9r'],
        fault: 'Encryption with AES-GCM had a constant IV and constant associated data.',
        tests: [
          'sealer: a sealer seals as base64url, differently each time, without the plain text',
          'sealer: a sealer does not open with other associated data',
        ],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2024-24814', 'GHSA-hxr6-w4gc-7vvv'],
        fault: 'A number in a cookie made the server work without limit.',
        tests: ['security/transactions: the cookie of a login attempt is ignored when it is %s'],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2025-31492', 'GHSA-59jp-rwph-878r'],
        fault: 'The response that led to the login also contained the protected page.',
        tests: [
          'security/advisories: a guarded handler is not called for a refused request, whatever the response to it is',
        ],
      },
    ],
  ],
  [
    'Login CSRF, replay and mix-up',
    [
      {
        product: 'omniauth',
        ids: ['CVE-2015-9284'],
        fault: 'A link on another site started a login that changed the account of the user.',
        tests: [
          'security/silent-sign-in: a link on another site that requests a silent sign-in does not switch a signed-in user',
          'security/user-change: a signed-in user of a site that signs in by: %s that a page of another site leads to the login route remains signed in, and no login starts: %s',
          'security/user-change: a signed-in user of a site that signs in by: %s while another user signs in at the service remains signed in, and is asked at a URL without the response',
          `${FOREIGN_RESPONSE} with the code and state of another browser signs no user in`,
        ],
      },
      {
        product: 'omniauth',
        ids: ['CVE-2017-18076'],
        fault: 'Parameters of the login request were available at the callback.',
        tests: [
          'security/passport-login: a login through Passport, routes: %s started by another route ignores the query of that route',
          'integration/login-link: a link to the login route ignores unknown and empty parameters: %s',
        ],
      },
      {
        product: 'next-auth',
        ids: ['CVE-2023-27490', 'GHSA-7r7x-4c4q-c4qf'],
        fault: 'A response was accepted although its checks of state, nonce or PKCE were missing.',
        tests: [
          'authorization-server/authorization-response: an authorization response with a transaction without its nonce is rejected before a token request',
          'authorization-server/authorization-response: an authorization response with a transaction without its verifier is rejected before a token request',
          `${FOREIGN_RESPONSE} without state, or with two, is refused`,
        ],
      },
      {
        product: '@auth/core, next-auth',
        ids: ['CVE-2026-73419', 'GHSA-x445-f3h2-j279'],
        fault: 'State, nonce and verifier of one provider were accepted at the callback of another one.',
        tests: [
          `${FOREIGN_RESPONSE} of another client of the same site is refused`,
          'security/instances: an instance with another %s does not finish a login attempt, which stays in progress',
          'authorization-server/authorization-response: an authorization response with the transaction of another issuer is rejected before a token request',
        ],
      },
      {
        product: 'oidcc_plug',
        ids: ['CVE-2026-66884', 'GHSA-fg66-w5gp-22cr'],
        fault: 'A callback without a stored attempt was processed with every check disabled.',
        tests: [
          `${FOREIGN_RESPONSE} with an unknown state and an error is refused: state is checked before error is read`,
          `${FOREIGN_RESPONSE} without state, or with two, is refused`,
          'passport/strategy: a sign-in that fails a callback without a login attempt calls fail() with 403',
        ],
      },
      {
        product: 'Authlib',
        ids: ['CVE-2025-68158', 'GHSA-fg6f-75jq-6523'],
        fault: 'State in a shared cache was not bound to the browser of the attempt.',
        tests: [`${FOREIGN_RESPONSE} with the code and state of another browser signs no user in`],
      },
      {
        product: 'Spring Security',
        ids: ['CVE-2021-22119'],
        fault: 'Many started logins exhausted the resources of the server.',
        tests: [
          'security/transactions: login attempts that another site starts do not exceed the size limit of request headers',
          'security/transactions: the cookie of a login attempt is removed for newer attempts, but not for those that another site or a sibling host starts',
          'security/header-sizes: with every cookie at its largest, all together stay below 3 kB',
        ],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2023-28625', 'GHSA-f5xw-rvfr-24qr'],
        fault: 'A cookie that was made for it ended the process.',
        tests: [
          'security/header-sizes: a cookie with the name of a login attempt and then %j causes no error of the site',
        ],
      },
      {
        product: 'Argo CD',
        ids: ['CVE-2022-31034', 'GHSA-2m7h-86qq-fp4v'],
        fault: 'State and verifier were predictable.',
        tests: [
          'authorization-server/request: an authorization request has a new state, nonce and verifier each time',
          'integration/report: the report on this relying party has no findings in either flow',
        ],
      },
      {
        product: 'google-oauth-client (Java)',
        ids: ['CVE-2020-7692'],
        fault: 'The client had no PKCE.',
        tests: [
          'authorization-server/request: an authorization request has state, nonce and an S256 code challenge in the openid flow',
        ],
      },
    ],
  ],
  [
    'Open redirects',
    [
      {
        product: 'express-openid-connect',
        ids: ['CVE-2022-24794', 'GHSA-7p99-3798-f85c'],
        fault: 'A guard on every path redirected from `//evil.example` to that host after login.',
        tests: [
          'integration/guards: a request of a signed-out user whose path looks like another host returns to this site',
        ],
      },
      {
        product: 'next-auth',
        ids: ['CVE-2022-24858', 'GHSA-f9wg-5f46-cjmw'],
        fault: 'The target after login could have another origin.',
        tests: [`${RETURN_TO} "https://evil.example/"`],
      },
      {
        product: 'oauth2-proxy',
        ids: ['CVE-2020-11053', 'GHSA-j7px-6hwj-hpjg'],
        fault: 'White space in the target bypassed its validation.',
        tests: [`${RETURN_TO} "/%09/evil.example"`, `${RETURN_TO} %p`],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2022-23527', 'GHSA-q6f2-285m-gr53'],
        fault: 'A target that begins with a slash and a tab led to another host.',
        tests: [`${RETURN_TO} %p`],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2021-32786', 'GHSA-xm4c-5wm5-jqv7'],
        fault: 'Backslashes in the target of a logout were read otherwise than browsers do.',
        tests: [
          `${RETURN_TO} %p`,
          'integration/logout: signing out of this site only postLogoutRedirectURI replaces the logged-out route, and must be an absolute URL',
        ],
      },
      {
        product: 'mod_auth_openidc',
        ids: ['CVE-2021-39191', 'GHSA-2pgf-8h6h-gqg2'],
        fault: 'A login that another site started had any `target_link_uri`.',
        tests: ['security/advisories: a login link has no target_link_uri, iss or redirect_uri of another site'],
      },
      {
        product: 'express',
        ids: ['CVE-2024-29041', 'GHSA-rv95-896h-c2vc'],
        fault: 'Encoding a malformed URL for the Location header changed its host.',
        tests: [`${RETURN_TO} %p`, VERSIONS],
      },
    ],
  ],
  [
    'Pages and requests',
    [
      {
        product: '@auth0/nextjs-auth0',
        ids: ['CVE-2021-32702', 'GHSA-954c-jjx6-cxv7'],
        fault: 'The `error` parameter of the callback was shown as HTML.',
        tests: [
          'security/advisories: a script in the parameters of an error response is text on the page',
          'html/pages: hostile text is escaped on the page "%s"',
        ],
      },
      {
        product: 'express',
        ids: ['CVE-2024-43796', 'GHSA-qw6h-vgh9-j6wx'],
        fault: 'The body of a redirect contained text of the request as HTML.',
        tests: [
          'security/advisories: no redirect of a login has a script of returnTo in its body or its header',
          VERSIONS,
        ],
      },
      {
        product: 'qs, of express',
        ids: ['CVE-2022-24999'],
        fault: 'A query with `__proto__` and a length blocked the process.',
        tests: [
          'security/advisories: a query that qs once turned into an array of 100 million entries does not block other requests',
        ],
      },
      {
        product: 'node-fetch',
        ids: ['CVE-2022-0235'],
        fault: 'Redirects received the credentials of the request.',
        tests: [
          'http: createFetch a %d is returned and not followed',
          'resource-api/resource-api: other responses the built-in fetch follows no redirect either',
          'security/error-data: a redirect that a custom fetch follows to other %s is refused',
        ],
      },
      {
        product: 'oauth2 (Ruby)',
        ids: ['CVE-2026-54603', 'GHSA-pp92-crg2-gfv9'],
        fault: 'A redirect to `//evil.example` received the access token.',
        tests: [
          'authorization-server/token-response: a token response with status %d is rejected, and the redirect not followed',
          'resource-api/resource-api: other responses %i is rejected, and no redirect is followed',
        ],
      },
    ],
  ],
  [
    'Tokens and users',
    [
      {
        product: 'passport-oauth2',
        ids: ['CVE-2021-41580'],
        fault: 'A response without an access token, such as an error with status 200, signed users in.',
        tests: [
          'authorization-server/token-response: a token response with an error in a 200 is rejected',
          'authorization-server/token-response: a token response with no access_token is rejected',
        ],
      },
      {
        product: 'jsonwebtoken',
        ids: ['CVE-2015-9235'],
        fault: 'A token signed by HMAC with the public key as the secret was valid.',
        tests: [`${ID_TOKEN} signed with HS256 and the public key in PEM is rejected`],
      },
      {
        product: 'Authlib',
        ids: ['CVE-2024-37568'],
        fault: 'HMAC was accepted with any public key, unless the algorithm was given.',
        tests: [
          `${ID_TOKEN} signed with HS256 and the public key in PEM is rejected`,
          `${ID_TOKEN} is checked for RS256, for any algorithms of the metadata document`,
        ],
      },
      {
        product: 'jsonwebtoken',
        ids: ['CVE-2022-23540', 'GHSA-qwph-4952-7xr6'],
        fault: 'Tokens without a signature were valid by default.',
        tests: [`${ID_TOKEN} with alg none and no signature is rejected`, `${ID_TOKEN} with alg none is rejected`],
      },
      {
        product: 'pac4j',
        ids: ['CVE-2021-44878'],
        fault: 'The algorithm `none` was accepted if the metadata announced it.',
        tests: [
          `${ID_TOKEN} is checked for RS256, for any algorithms of the metadata document`,
          `${ID_TOKEN} with alg none and no signature is rejected`,
        ],
      },
      {
        product: 'google-oauth-client (Java)',
        ids: ['CVE-2021-22573'],
        fault: 'The signature of ID Tokens was not verified.',
        tests: [
          `${ID_TOKEN} with a forged signature is rejected`,
          `${ID_TOKEN} with claims changed after signing is rejected`,
        ],
      },
      {
        product: 'omniauth-auth0',
        ids: ['CVE-2020-15240', 'GHSA-58r4-h6v8-jcvm'],
        fault: 'Signatures were not verified outside of the default path.',
        tests: [
          `${ID_TOKEN} signed by another key with the same kid is rejected`,
          'authorization-server/refresh: a refresh rejects a forged signature',
        ],
      },
      {
        product: 'pyoidc',
        ids: ['CVE-2020-26244', 'GHSA-4fjv-pmhg-3rfg'],
        fault: 'Algorithm and `iat` were not checked, and unverified ID Tokens were returned.',
        tests: [
          `${ID_TOKEN} exp, nbf and iat have a tolerance of 60 seconds`,
          `${ID_TOKEN} with alg nOnE is rejected`,
          'authorization-server/authorization-response: an authorization response with an id_token is rejected before a token request',
        ],
      },
      {
        product: 'Authlib',
        ids: ['CVE-2025-59420', 'GHSA-9ggr-2464-2j32'],
        fault: 'Unknown critical headers of a token were ignored.',
        tests: [`${ID_TOKEN} with crit is rejected`],
      },
      {
        product: 'jose',
        ids: ['CVE-2024-28176', 'GHSA-hhhv-q57g-882q'],
        fault: 'A compressed encrypted token used unlimited memory and time.',
        tests: [
          `${ID_TOKEN} with five parts, an encrypted one is rejected`,
          'authorization-server/token-response: a token response with a compressed body is rejected without reading it',
        ],
      },
      {
        product: 'Authlib',
        ids: ['CVE-2025-61920', 'GHSA-pq5p-34cr-23v9'],
        fault: 'Tokens of hundreds of megabytes were decoded before they were refused.',
        tests: [
          'authorization-server/token-response: a token response of more than 100 kB is not read',
          'security/hostile-documents: the document %s that is longer than its limit is not read to its end, also by a custom fetch',
          'security/hostile-documents: the key set of 1,250 keys with long exponents does not block other requests',
        ],
      },
      {
        product: 'Jenkins OpenId Connect Authentication',
        ids: ['CVE-2024-47806', 'CVE-2024-47807'],
        fault: 'Audience and issuer of ID Tokens were not checked.',
        tests: [`${ID_TOKEN} with another audience is rejected`, `${ID_TOKEN} with another issuer is rejected`],
      },
      {
        product: 'omniauth-microsoft_graph',
        ids: ['CVE-2024-21632', 'GHSA-5g66-628f-7cvj'],
        fault: 'Sites identified users by an e-mail address that the user could choose.',
        tests: [
          'security/advisories: a user is identified by the id of the service only also with the e-mail address and the name of another user, in the %s flow',
        ],
      },
      {
        product: 'django-allauth',
        ids: ['CVE-2025-65431'],
        fault: 'Users were identified by a user name that can change, not by `sub`.',
        tests: [
          'security/advisories: a user is identified by the id of the service only also with the e-mail address and the name of another user, in the %s flow',
          'integration/sign-in: a clinician signs in in the openid flow: identified by sub, verified by the profile',
          'security/strategy-user: a UserInfo response of another user (OIDC Core section 5.3.2) can be refused by an overridden userProfile, which receives the sub of the ID Token',
        ],
      },
      {
        product: 'Spring Security',
        ids: ['CVE-2022-31690'],
        fault: 'A user who changed the requested scope got more access than approved.',
        tests: [
          'security/advisories: a scope that the browser changes in the authorization request gives no access to a resource that the user did not approve, in the %s flow',
        ],
      },
    ],
  ],
  [
    'Authorization servers (the mock provider)',
    [
      {
        product: 'authentik',
        ids: ['CVE-2023-48228', 'GHSA-fm34-v8xq-f2c3'],
        fault: 'A token request without a verifier was accepted for a code with a challenge.',
        tests: ['mock-provider/endpoints/token: code_verifier missing is refused'],
      },
      {
        product: 'better-auth',
        ids: ['CVE-2026-67336', 'GHSA-9h47-pqcx-hjr4'],
        fault: 'The metadata announced the algorithm `none`, and plain PKCE was accepted.',
        tests: [
          'mock-provider/endpoints/documents: the OpenID configuration has the required and recommended members',
          'mock-provider/endpoints/authorize: PKCE code_challenge_method plain is refused',
        ],
      },
      {
        product: 'better-auth',
        ids: ['CVE-2026-67333', 'GHSA-86j7-9j95-vpqj'],
        fault: 'A client could be registered with a `javascript:` redirect URI.',
        tests: [
          'mock-provider/options/client-registration: registering %j throws an error that names the option and the fix',
          'mock-provider/endpoints/authorize: redirect_uri javascript: is refused on a page',
        ],
      },
      {
        product: 'Ory Fosite',
        ids: ['CVE-2020-15234', 'GHSA-grfp-q2mm-hfp6'],
        fault: 'Redirect URIs were compared without regard to case.',
        tests: ['mock-provider/endpoints/authorize: redirect_uri capital letters in the path is refused on a page'],
      },
      {
        product: 'Ory Fosite',
        ids: ['CVE-2020-15223', 'GHSA-7mqr-2v3q-v2wm'],
        fault: 'A failed revocation was reported as a success.',
        tests: [
          'authorization-server/revoke: a revocation that fails with status %d rejects',
          'session/token-manager: forgetUser erases the tokens when the revocation %s, and reports it',
        ],
      },
      {
        product: 'doorkeeper',
        ids: ['CVE-2016-6582'],
        fault: 'Any client could revoke any token.',
        tests: [
          'mock-provider/endpoints/revoke: client authentication, in both flows without Basic or with the secret in the body is refused with 401',
          'mock-provider/endpoints/revoke: a token of another client is refused and remains valid',
        ],
      },
      {
        product: 'doorkeeper',
        ids: ['CVE-2018-1000211'],
        fault: 'Revoked tokens remained valid.',
        tests: ['mock-provider/endpoints/revoke: revocation of a token pair by its %s revokes both tokens'],
      },
      {
        product: 'doorkeeper',
        ids: ['CVE-2014-8144'],
        fault: 'Another site could approve an authorization request for the user.',
        tests: [
          'mock-provider/interactions/forms: a form is refused at /oauth/%s without fields',
          'mock-provider/interactions/forms: a form is refused from another browser, also with valid tokens',
        ],
      },
      {
        product: 'doorkeeper-openid_connect',
        ids: ['CVE-2019-9837'],
        fault: 'With `prompt=none`, errors were redirected to any address.',
        tests: [
          'security/advisories: the mock provider redirects no error to an unregistered redirect URI, also with prompt=none',
        ],
      },
      {
        product: 'Dex',
        ids: ['CVE-2022-39222', 'GHSA-vh7g-p26c-j2cw'],
        fault: 'A sign-in that was started in one browser could be approved in another one.',
        tests: ['mock-provider/interactions/forms: a sign-in in progress is not shown at /oauth/%s in another browser'],
      },
    ],
  ],
];
