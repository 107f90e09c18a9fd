/** The rules of every endpoint. */
export const EVERY_ENDPOINT_RULES = {
  'path-known': {
    rule: 'An unknown path gets 404.',
    source: 'RFC 9110 section 15.5.5',
    fix: 'Read the path in the metadata or in the service specification.',
  },
  'path-at-its-address': {
    rule: 'With the option apiPort the resource API and the inbox have their own address, and only there; it has no other endpoint.',
    source: 'service spec: resource API',
    fix: 'Send requests for /api and the inbox to apiURL, and all others to the issuer.',
  },
  'method-allowed': {
    rule: 'A method that the path does not have gets 405 and an Allow header.',
    source: 'RFC 9110 section 15.5.6',
    fix: 'Use a method of the Allow header.',
  },
  'head-is-get-without-body': {
    rule: 'HEAD is GET without a body, except at the authorization endpoint and at logout, where GET changes state.',
    source: 'RFC 9110 section 9.3.2',
  },
  'options-lists-methods': {
    rule: 'OPTIONS gets 204 and an Allow header.',
    source: 'RFC 9110 section 9.3.7',
  },
  'cors-public-documents': {
    rule: 'Pages of any origin read the metadata documents and the key set.',
    source: 'RFC 9700 section 2.6',
  },
  'cors-userinfo': {
    rule: 'Pages of any origin read userinfo with an access token.',
    source: 'OpenID Connect Core section 5.3',
  },
  'cors-none-elsewhere': {
    rule: 'The authorization, token, revocation, session check and logout endpoints send no CORS headers.',
    source: 'RFC 9700 section 2.6',
  },
  'plain-http-loopback-only': {
    rule: 'The provider listens on plain HTTP only on a loopback address, or if publicURL is set: for a TLS proxy or a network of containers.',
    source: 'service spec: what the service does',
  },
  'body-size-limited': {
    rule: 'A body above 100,000 bytes gets 413.',
    source: 'RFC 9110 section 15.5.14',
    fix: 'Send a body of at most 100,000 bytes.',
  },
  'body-is-text': {
    rule: 'A body that is not UTF-8 text gets 400.',
    source: 'RFC 6749 appendix B',
    fix: 'POST application/x-www-form-urlencoded in UTF-8.',
  },
  'parameter-sent-once': {
    rule: 'Each parameter is sent at most once.',
    source: 'RFC 6749 section 3.1',
    fix: 'Send each parameter once: set it where you append it.',
  },
  'empty-parameter-absent': {
    rule: 'A parameter without a value counts as absent.',
    source: 'RFC 6749 section 3.1',
  },
  'unknown-parameter-ignored': {
    rule: 'Unknown parameters are ignored.',
    source: 'RFC 6749 section 3.1',
  },
  'error-description-characters': {
    rule: 'error_description has only the characters %x20-21, %x23-5B and %x5D-7E.',
    source: 'RFC 6749 section 4.1.2.1',
  },
  'errors-without-secrets': {
    rule: 'No error contains a secret or a token.',
    source: 'service spec: authentication',
  },
  'constant-time-comparison': {
    rule: 'Secrets, tokens and code verifiers are compared in constant time.',
    source: 'RFC 6749 section 10',
  },
  'records-without-secrets': {
    rule: 'Recorded requests, problems and traces mask secrets and tokens.',
    source: 'service spec: authentication',
  },
  'pages-not-framed': {
    rule: 'Pages are never stored and cannot be shown in a frame; the session check page is the exception.',
    source: 'service spec: authentication',
  },
  'redirect-status': {
    rule: 'A redirect has status 302 after GET and 303 after POST, so that no form is sent again; a logout has 302 after POST too.',
    source: 'RFC 9700 section 4.12',
  },
  'redirect-retains-query': {
    rule: 'A redirect retains the query of its target and appends parameters.',
    source: 'RFC 6749 section 3.1.2',
  },
  'cookie-attributes': {
    rule: 'Cookies are HttpOnly, SameSite=Lax on HTTP, and SameSite=None with Secure on TLS; each provider has its own names.',
    source: 'RFC 6265 section 8.5',
  },
};

/** The rules of the metadata documents and the key set. */
export const METADATA_RULES = {
  'metadata-cacheable': {
    rule: 'The metadata documents and the key set have an ETag and may be cached for 300 seconds.',
    source: 'OpenID Connect Discovery section 4.3',
  },
  'issuer-exact': {
    rule: 'Both metadata documents have the same issuer: the address of the provider without a trailing slash, equal to iss.',
    source: 'RFC 8414 section 3',
  },
  'openid-configuration-complete': {
    rule: 'The OpenID configuration has every required member and names the supported prompts, displays and claims.',
    source: 'OpenID Connect Discovery section 3',
  },
  'metadata-lists': {
    rule: 'The metadata lists the scopes, the authentication method and the locale of the service spec.',
    source: 'service spec: server metadata documents',
  },
  'jwks-public-members-only': {
    rule: 'The key set has public members only.',
    source: 'RFC 7517 section 4',
  },
  'keys-published-while-in-use': {
    rule: 'The key set has the next key from its publication, and a retired key until its last ID Token expires.',
    source: 'OpenID Connect Core section 10.1.1',
  },
};
