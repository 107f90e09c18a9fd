import type { Difference } from './difference.js';

/** Lists where the mock provider refuses or revokes what the specification does not mention. */
export const STRICTER: readonly Difference[] = [
  {
    mock: 'A redirect URI equals a registered one byte for byte, and is https except on loopback addresses.',
    why: 'RFC 9700 sections 2.1 and 2.6: other rules allow an attacker to receive the code.',
    rules: ['redirect-uri-exact-match', 'post-logout-uri-exact-match'],
    test: 'mock-provider/endpoints/authorize: redirect_uri a suffix is refused on a page',
  },
  {
    mock: 'A parameter that is sent twice is refused by the authorization server and the inbox.',
    why: 'RFC 6749 section 3.1: two readers could choose different values.',
    rules: ['parameter-sent-once', 'state-sent-once', 'logout-parameter-sent-once'],
    test: 'mock-provider/server/every-endpoint: parameters %s sent twice is refused',
  },
  {
    mock: 'A second use of a code revokes the tokens that were issued from it.',
    why: 'RFC 6749 section 4.1.2: the code was probably stolen.',
    rules: ['code-single-use'],
    test: 'mock-provider/endpoints/token: a second use of a code revokes its tokens and their successors',
  },
  {
    mock: 'A second use of a refresh token revokes the current pair.',
    why: 'RFC 9700 section 4.14.2: the refresh token was probably stolen.',
    rules: ['refresh-token-single-use'],
    test: 'mock-provider/endpoints/token: a second use of a refresh token revokes the current pair',
  },
  {
    mock: 'code_challenge has exactly 43 characters, and code_verifier 43 to 128.',
    why: 'RFC 7636 section 4: a SHA-256 has no other length.',
    rules: ['code-challenge-format', 'code-verifier-matches'],
    test: 'mock-provider/endpoints/authorize: PKCE a code_challenge that is %s is refused',
  },
  {
    mock: 'A code_verifier for a code without code_challenge is refused.',
    why: 'RFC 9700 section 4.8.2: an attacker may have removed the challenge.',
    rules: ['no-verifier-without-challenge'],
    test: 'mock-provider/endpoints/token: code_verifier for a code without code_challenge is refused',
  },
  {
    mock: 'Two client authentications in one request, and secrets or tokens in a URL, are refused.',
    why: 'RFC 6749 section 2.3 and RFC 9700 section 4.3.2: URLs are logged.',
    rules: ['single-client-authentication', 'parameters-in-body-only', 'userinfo-token-sent-once'],
    test: 'mock-provider/endpoints/token: two client authentications Basic and a valid secret in the body are refused',
  },
  {
    mock: 'Unknown values of prompt and response_mode, and request objects, are refused.',
    why: 'OpenID Connect Core section 3.1.2.6.',
    rules: ['prompt-known', 'response-mode-supported', 'no-request-objects'],
    test: 'mock-provider/endpoints/authorize: prompt bogus is refused',
  },
  {
    mock: 'id_token_hint is an ID Token of this provider for the same client.',
    why: 'OpenID Connect Core section 3.1.2.1.',
    rules: ['id-token-hint-valid'],
    test: 'mock-provider/endpoints/authorize: id_token_hint of another issuer, malformed, or for another client is refused',
  },
  {
    mock: 'response_type code id_token needs a nonce, and its response is never in the query.',
    why: 'OpenID Connect Core section 3.3.2.11.',
    rules: ['id-token-response-needs-nonce', 'id-token-not-in-query'],
    test: 'mock-provider/endpoints/authorize: response_type code id_token without nonce is refused',
  },
  {
    mock: 'A blacklisted application gets neither codes nor tokens.',
    why: 'The specification names only the API; a client should notice as early as possible.',
    rules: ['client-not-blacklisted'],
    test: 'mock-provider/endpoints/authorize: a blacklisted client gets unauthorized_client',
  },
  {
    mock: 'A page of colleagues has at most 100 entries; page and per_page are integers from 1.',
    why: 'The specification gives no maximum. Services of this kind have one.',
    rules: ['page-size-limited', 'paging-whole-numbers', 'colleagues-in-stable-order'],
    test: 'mock-provider/resources/resources: the colleague list has a last page, empty pages after it, at most 100 entries a page, and may be empty',
  },
  {
    mock: 'User ids have 11 digits.',
    why: 'A client that reads them as 32-bit integers fails in tests.',
    rules: ['user-ids-above-32-bits'],
    test: 'mock-provider/resources/resources: user ids are above 32 bits',
  },
  {
    mock: 'A body has at most 100,000 bytes of UTF-8 text.',
    why: 'No request of the service needs more.',
    rules: ['body-size-limited', 'body-is-text'],
    test: 'mock-provider/server/every-endpoint: an unusual request gets a response, and the provider continues with a body of 150 kB %s is refused',
  },
  {
    mock: 'A page can be submitted once, in the browser that it was shown in, and within one hour.',
    why: 'RFC 6749 section 10.12: otherwise another site could submit it.',
    rules: ['form-token-single-use', 'interaction-in-one-browser'],
    test: 'mock-provider/endpoints/authorize: forms from another browser and forms that were already submitted are refused',
  },
  {
    mock: 'The inbox shortens long values, and drops a url that is not http or https.',
    why: 'Otherwise a link could run a script.',
    rules: ['new-message-fields-limited'],
    test: 'mock-provider/resources/inbox: a new message drops the url %j',
  },
];
