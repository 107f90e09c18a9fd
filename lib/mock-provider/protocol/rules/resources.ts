/** The rules of userinfo and the resource API. */
export const RESOURCE_RULES = {
  'access-token-sent-once': {
    rule: 'Userinfo gets the access token once, in the Authorization header or in a POST form, never in the query.',
    source: 'RFC 6750 section 2',
    fix: 'Send the access token in the Authorization header, once.',
  },
  'access-token-required': {
    rule: 'Without an access token the response is 401 and a challenge without an error code; the resource API reads only the header.',
    source: 'RFC 6750 section 3.1',
    fix: 'Send Authorization: Bearer with the access token.',
  },
  'access-token-valid': {
    rule: 'The access token is known and neither expired nor revoked; otherwise 401 invalid_token.',
    source: 'RFC 6750 section 3.1',
    fix: 'After a 401 refresh once, then sign in again.',
  },
  'userinfo-needs-openid': {
    rule: 'At userinfo the access token has the scope openid; otherwise 403 insufficient_scope.',
    source: 'RFC 6750 section 3.1',
    fix: 'Request the scope openid at sign-in.',
  },
  'api-scope-granted': {
    rule: 'The profile needs basic, the colleague list needs colleagues, the rate-limit status needs no scope; otherwise 403 insufficient_scope.',
    source: 'RFC 6750 section 3.1',
    fix: 'Request this scope at sign-in.',
  },
  'paging-whole-numbers': {
    rule: 'page and per_page are integers from 1.',
    source: 'service spec: resource API',
    fix: 'Count page and per_page from 1; a page has at most 100 entries.',
  },
  'rate-limit-not-exceeded': {
    rule: 'A request above the limit gets 429, with Status and Retry-After; failed authentications do not count.',
    source: 'service spec: errors',
    fix: 'Wait until X-Rate-Limit-Reset, space calls out, and send If-None-Match.',
  },
  'blacklisted-client-no-response': {
    rule: 'A blacklisted application gets no response from the resource API and userinfo: the connection is closed.',
    source: 'service spec: errors',
    fix: 'Ask the operator of the service to remove the application from the blacklist; here: call provider.unblacklist().',
  },
};
