/** The rules of the authorization endpoint and its pages. */
export const AUTHORIZATION_RULES = {
  'authorization-post-is-form': {
    rule: 'An authorization request is a GET, or a POST of application/x-www-form-urlencoded.',
    source: 'OpenID Connect Core section 3.1.2.1',
    fix: 'Send the authorization request as a redirect, or as a form that is application/x-www-form-urlencoded.',
  },
  'authorization-not-framed': {
    rule: 'A request for a frame, as Sec-Fetch-Dest states, is refused with a page, also with prompt=none; every response forbids frames.',
    source: 'service spec: authentication',
    fix: 'Send the authorization request in the window itself or in a popup, never in an iframe, also for prompt=none.',
  },
  'client-id-required': {
    rule: 'An authorization request has a client_id; otherwise a page shows the error and nothing is redirected.',
    source: 'RFC 6749 section 4.1.2.1',
    fix: 'Send the client_id that the client was registered with.',
  },
  'client-id-known': {
    rule: 'client_id is registered; otherwise a page shows the error and nothing is redirected.',
    source: 'RFC 6749 section 4.1.2.1',
    fix: 'Send the client_id that the client was registered with.',
  },
  'redirect-uri-required': {
    rule: 'An authorization request has a redirect_uri, also when only one is registered; otherwise a page shows the error.',
    source: 'service spec: GET /oauth/authorize',
    fix: 'Send redirect_uri exactly as it is registered.',
  },
  'redirect-uri-exact-match': {
    rule: 'redirect_uri equals a registered one exactly; otherwise a page shows the error and nothing is redirected.',
    source: 'RFC 9700 section 4.1.3',
    fix: 'Send redirect_uri exactly as it is registered: scheme, host, port, path and trailing slash.',
  },
  'client-not-blacklisted': {
    rule: 'A blacklisted application gets neither codes nor tokens.',
    source: 'service spec: errors',
    fix: 'Ask the operator of the service to remove the application from the blacklist; here: call provider.unblacklist().',
  },
  'client-authorized': {
    rule: 'The client is registered for authorization codes.',
    source: 'RFC 6749 section 4.1.2.1',
    fix: 'Register the client with the grant type authorization_code.',
  },
  'response-type-required': {
    rule: 'An authorization request has a response_type.',
    source: 'RFC 6749 section 3.1.1',
    fix: 'Send response_type=code.',
  },
  'response-type-supported': {
    rule: 'response_type is code or code id_token, in any order.',
    source: 'RFC 6749 section 3.1.1',
    fix: 'Send response_type=code.',
  },
  'response-type-registered': {
    rule: 'The client is registered for the response_type.',
    source: 'RFC 6749 section 3.1.1',
    fix: 'Send response_type=code, or register the client with this response type.',
  },
  'response-mode-supported': {
    rule: 'response_mode is query or fragment.',
    source: 'service spec: GET /oauth/authorize',
    fix: 'Leave response_mode out, or send query or fragment.',
  },
  'id-token-not-in-query': {
    rule: 'The response for response_type code id_token is in the fragment; response_mode=query is refused.',
    source: 'OAuth 2.0 Multiple Response Types section 5',
    fix: 'Leave response_mode out.',
  },
  'id-token-response-needs-nonce': {
    rule: 'response_type code id_token needs a nonce.',
    source: 'OpenID Connect Core section 3.3.2.11',
    fix: 'Send a random nonce, or response_type=code.',
  },
  'id-token-response-needs-openid': {
    rule: 'response_type code id_token needs the scope openid.',
    source: 'OpenID Connect Core section 3.1.2.1',
    fix: 'Request the scope openid, or send response_type=code.',
  },
  'scope-characters': {
    rule: 'scope has only characters that a scope can have.',
    source: 'RFC 6749 section 3.3',
    fix: 'Separate the scopes with single spaces, and send no quotes or backslashes.',
  },
  'scope-known': {
    rule: 'Without openid every scope is known; with openid unknown scopes are ignored.',
    source: 'RFC 6749 section 3.3',
    fix: 'Request scopes of scopes_supported in the metadata.',
  },
  'scope-allowed': {
    rule: 'The client is registered for every requested scope; by default the openid flow has openid only.',
    source: 'service spec: what the service does',
    fix: 'Request only scopes that the client is registered for: the openid flow has only openid unless more was granted.',
  },
  'pkce-required': {
    rule: 'The openid flow needs code_challenge; only a client registered with requirePKCE: false may leave it out.',
    source: 'RFC 7636 section 4.4.1',
    fix: 'Send code_challenge, the SHA-256 of a new random code_verifier in base64url, and code_challenge_method=S256.',
  },
  'pkce-s256-only': {
    rule: 'code_challenge_method is S256; without it the method would be plain.',
    source: 'RFC 7636 section 4.4.1',
    fix: 'Send code_challenge_method=S256.',
  },
  'code-challenge-format': {
    rule: 'code_challenge has exactly 43 characters of base64url, in both flows.',
    source: 'RFC 7636 section 4.2',
    fix: 'Send the SHA-256 of the code_verifier in base64url without padding: 43 characters.',
  },
  'no-request-objects': {
    rule: 'request, request_uri and registration are not supported; this is checked before parameters that they may contain.',
    source: 'OpenID Connect Core section 3.1.2.6',
    fix: 'Send the parameters themselves: request objects and registrations in a request are not supported.',
  },
  'prompt-known': {
    rule: 'prompt has only the values none, login, consent and create.',
    source: 'OpenID Connect Core section 3.1.2.1',
    fix: 'Send prompt=none, or any of login, consent and create, or no prompt.',
  },
  'prompt-combination': {
    rule: 'prompt=none is the only value of prompt.',
    source: 'OpenID Connect Core section 3.1.2.1',
    fix: 'Send prompt=none by itself, or any of login, consent and create.',
  },
  'prompt-none-without-ui': {
    rule: 'prompt=none shows no page and changes no session: login_required, consent_required or interaction_required.',
    source: 'OpenID Connect Core section 3.1.2.6',
    fix: 'Repeat the request without prompt=none, so that a page may be shown.',
  },
  'max-age-integer': {
    rule: 'max_age is a non-negative integer.',
    source: 'OpenID Connect Core section 3.1.2.1',
    fix: 'Send max_age as a whole number of seconds.',
  },
  'id-token-hint-valid': {
    rule: 'id_token_hint is an ID Token that this provider issued to this client; it may be expired.',
    source: 'OpenID Connect Core section 3.1.2.1',
    fix: 'Send an ID Token of this provider, issued to this client, as id_token_hint.',
  },
  'user-approval-required': {
    rule: 'The user approves the access; a denial redirects with access_denied.',
    source: 'service spec: errors',
  },
  'form-token-single-use': {
    rule: 'A form is accepted once, in the browser that it was shown in; otherwise a page with status 403 is shown.',
    source: 'RFC 6749 section 10.12',
    fix: 'Follow the pages in the browser that started, send its cookies, and send each form once.',
  },
  'interaction-in-one-browser': {
    rule: 'A sign-in continues only in the browser in which it started, and for one hour.',
    source: 'RFC 6749 section 10.12',
    fix: 'Follow the pages in the browser that started, send its cookies, and start again after an hour.',
  },
};
