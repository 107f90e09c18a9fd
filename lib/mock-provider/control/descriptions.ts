// Generated from the TSDoc of the interfaces by npm run docs:openapi.

/** Maps the title of each schema to the descriptions of its members. */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ClientRegistration: {
    clientID: 'The `client_id`.',
    clientSecret: 'The `client_secret`.',
    flow: '`profile` is Form A of the service spec, `openid` is Form B.',
    redirectURIs: 'The addresses that an authorization response may go to, compared byte for byte.',
    postLogoutRedirectURIs: 'The addresses that a sign-out may end at, compared byte for byte.',
    scope: 'The scope that the client may request.',
    developer: 'The developer who registers the client. A developer has 25 clients at most.',
    name: 'Shown on the consent page.',
    requirePKCE: 'False accepts requests of an openid client without PKCE: for conformance runs only.',
    allowLoopbackPort: 'True accepts any port in an http loopback redirect URI (RFC 8252 section 7.3).',
    responseTypes: 'The `response_type` values that the client may request.',
    grantTypes: 'The `grant_type` values that the client may use.',
    tokenEndpointAuthMethod:
      'How a client of the profile flow authenticates at the token endpoint. A client of the openid flow always uses `client_secret_basic`.',
    userinfoSignedResponseAlg: '`RS256` makes UserInfo responses signed JWTs (OpenID Connect Core section 5.3.2).',
  },
  ClinicianOptions: {
    username: 'The name that the clinician signs in with.',
    password: 'The password that the clinician signs in with.',
    id: "The service's id of the clinician, an integer.",
    sub: 'The `sub` of ID Tokens.',
    verified: 'A clinician who is not verified waits in the verification queue.',
    verifiedAfter:
      'When the clinician is verified, counted from now: the time in the verification queue. Not together with `verified`.',
    email: "The clinician's address, for scope `email`.",
    colleagueCount: 'How many colleagues the clinician has; each is generated when it is requested.',
  },
  ClockState: { now: 'Milliseconds since the Unix epoch.', offset: "Milliseconds ahead of the machine's clock." },
  Fault: {
    aliases: 'Other names of the fault.',
    source: 'The specification that the fault violates or that describes it.',
    endpoint: 'The path where it applies by default; undefined for the first of `endpoints` that is requested.',
    endpoints: 'The paths that the option `endpoint` accepts.',
    grantType: 'The only grant type that it applies to; undefined for any.',
    options: 'The options that it accepts.',
  },
  FaultOptions: {
    client:
      'Applies only to this client_id. Not at the metadata and the JWKS, whose requests do not identify the client.',
    endpoint: "Applies only at this path, such as '/oauth/token'.",
    nth: 'Applies to the nth matching exchange.',
    grantType: 'At the token endpoint: applies only to this grant type.',
    delay: '`delay`, `slowKeys`: how late the response is, up to an hour.',
    offset: '`serverClockOff`: how far the clock is ahead; negative when it is behind.',
    window: '`rateLimited`: the time until the window ends.',
    status: 'The status of the response, 500 to 599.',
    error: '`authorizationError`: the error code (RFC 6749 section 4.1.2.1).',
  },
  Finding: {
    rule: 'The id of the rule: see docs/report.md.',
    severity: '`error`: a login fails or can be hijacked. `warning`: the client works, but should be improved.',
    message: 'What was seen, in which requests, and what to change.',
    source: 'The section of an RFC, or the part of the service specification, that the rule follows.',
    requests: 'The numbers of the requests in `provider.requests`.',
  },
  GrantState: {
    login: 'The login of the grant, while its requests are recorded.',
    pair: 'The number of the current token pair: 0 before the code is redeemed, 2 after one refresh.',
  },
  LifetimeOptions: {
    code: 'An authorization code, 10 minutes at most.',
    accessToken: 'An access token.',
    refreshToken: 'A refresh token, since its last use.',
    session: "A clinician's session at the provider.",
  },
  MockProviderOptions: {
    port: 'The port to listen on.',
    host: 'The address to listen on, and the host name of the issuer. One that other machines reach needs `https` or `publicURL`, and is reported as a process warning.',
    https:
      'Serves https. `true` creates a certificate for `host`, the host name of `publicURL`, `localhost`, `127.0.0.1` and `::1`, and its authority, `provider.ca`. Or pass your own key and certificate, in PEM.',
    publicURL:
      'The issuer: the address of a proxy that terminates TLS, the address in the network of containers, such as `http://mock:4400` with host `0.0.0.0`, or the address at which an Express app mounts `provider.app`, such as `http://127.0.0.1:5001/idp`.',
    clients: 'Clients to register, in addition to the two default clients.',
    clinicians: 'Clinicians to add, in addition to the test users.',
    lifetimes: 'How long codes, tokens and sessions are valid.',
    refreshGrace: 'How long a replaced refresh token still returns the pair that replaced it.',
    rateLimit: 'The rate limit of the resource API.',
    spelling:
      "The member names of the API: as in the service's sample payload (firstname), its field list (first_name), or both.",
    omitUnsetMembers:
      'Omits the members of profiles and colleagues that a clinician lacks, as a service that differs from its spec may. Otherwise they are null, empty or a value of their type.',
    verification:
      'A clinician who creates an account is verified at once, or waits in the verification queue for three days.',
    shareScriptPort: 'A port, and so an origin, that serves only the share-button script; 0 for any free port.',
    profileFlowScope:
      'Adds `scope` to token responses of the profile flow when it differs from the requested one (RFC 6749 section 5.1).',
    issParameter: 'Adds `iss` to authorization responses and announces it in the metadata (RFC 9207).',
    sessionStateOnErrors: 'Adds `session_state` to error responses of the openid flow too.',
    logoutRevokesTokens: 'Sign-out revokes the tokens that the client received for this clinician.',
    apiCORS: 'Allows pages of any origin to read the resource API.',
    blacklisted:
      'What the API and userinfo do with a request of a blacklisted client: close the connection, or respond 403.',
    control:
      'Opens the control API, `/_mock/`. `true`: to programs on this machine, with a loopback `host` and no `publicURL`. With a token of 128 random bits: to every program that sends it as `Authorization: Bearer <token>`.',
    allowInProduction:
      'Starts although NODE_ENV is production. Tokens can then be forged: the signing key is published with this package.',
  },
  Problem: {
    at: "Milliseconds since the Unix epoch, by the provider's clock.",
    endpoint: 'The path of the endpoint that refused: `/oauth/token`.',
    error: 'The error code in the response.',
    reason: 'What the client did wrong.',
    rule: 'The id of the rule, as docs/service-rules.md lists it: `pkce-s256-only`.',
    source: 'The section of an RFC, or the part of the service specification, that defines the rule.',
    fix: 'What to change in the client; missing when the user denied the access.',
    request: 'The number of the request in `provider.requests`.',
    login: 'The number of the login in `provider.logins`, if the request belongs to one.',
  },
  QueuedFault: {
    once: 'False for one that applies every time.',
    remaining: 'The number of matching exchanges until it applies: 1 for the next one.',
  },
  RateLimitOptions: {
    limit: 'The number of requests in a window.',
    window: 'The length of a window.',
    countNotModified: 'Counts a 304 response as any other.',
    blacklistAfter: 'Blacklists a client that exceeds the limit in this many windows.',
  },
  RateWindow: { reset: 'Seconds since the Unix epoch.' },
  RecordedRequest: {
    number: 'Counts from 1 since the start or the last `reset()`.',
    at: "Milliseconds since the Unix epoch, by the provider's clock.",
    authorization: 'The scheme of the Authorization header.',
    headers: 'The few headers that describe the client.',
    cookies: 'The names of the cookies that the client sent.',
    setCookies: 'The names of the cookies that the response sets.',
    location: 'The redirect target, with the secret values of its parameters masked.',
    response: 'The members error, error_description, expires_in, scope and token_type of a JSON response.',
    clientID: 'The client that sent the request, if known.',
    login: 'The login that the request belongs to: a number in `provider.logins`.',
    clinician: "The clinician's username, if known.",
    fault: 'The fault that was applied.',
  },
  Report: {
    passed: 'The ids of the rules that the client follows.',
    notChecked: 'The ids of the rules for which no request was seen.',
  },
};
