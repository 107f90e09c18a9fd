/** The rules of the userinfo endpoint. */
export const USERINFO_RULES = {
  'userinfo-token-sent-once': {
    rule: 'The access token is sent once, in the Authorization header or in a POST form, never in the query.',
    source: 'RFC 6750 section 2',
    fix: 'Send the access token in the Authorization header, once.',
  },
  'userinfo-token-required': {
    rule: 'Without an access token the response is 401 and a challenge without an error code.',
    source: 'RFC 6750 section 3.1',
    fix: 'Send Authorization: Bearer with the access token.',
  },
  'userinfo-token-valid': {
    rule: 'The access token is known and neither expired nor revoked; otherwise 401 invalid_token.',
    source: 'RFC 6750 section 3.1',
    fix: 'Refresh, or sign in again.',
  },
  'userinfo-needs-openid': {
    rule: 'The access token has the scope openid; otherwise 403 insufficient_scope.',
    source: 'RFC 6750 section 3.1',
    fix: 'Request the scope openid at sign-in.',
  },
  'userinfo-claims': {
    rule: 'Userinfo has sub always, the name claims and picture with basic, and email with email.',
    source: 'OpenID Connect Core section 5.3.2',
  },
};

/** The rules of the resource API. */
export const RESOURCE_API_RULES = {
  'api-error-body': {
    rule: 'Every error has a JSON body with message and documentation_url.',
    source: 'service spec: errors',
  },
  'api-token-required': {
    rule: 'The access token is sent in the Authorization header only; without one 401 and a challenge without an error code.',
    source: 'RFC 6750 section 3.1',
    fix: 'Send Authorization: Bearer with the access token.',
  },
  'api-token-valid': {
    rule: 'The access token is known and neither expired nor revoked; otherwise 401 invalid_token.',
    source: 'RFC 6750 section 3.1',
    fix: 'After a 401 refresh once, then sign in again.',
  },
  'api-scope-granted': {
    rule: 'The profile needs basic, the colleague list needs colleagues, the rate-limit status needs no scope; otherwise 403 insufficient_scope.',
    source: 'RFC 6750 section 3.1',
    fix: 'Request this scope at sign-in.',
  },
  'user-ids-above-32-bits': {
    rule: 'User ids are integers of 11 digits, so that clients that narrow them to 32 bits fail in tests.',
    source: 'this mock',
  },
  'profile-member-names': {
    rule: 'The names are firstname, middlename and lastname as in the sample payload, or as in the field list, by option; email needs the scope email.',
    source: 'service spec: profile',
  },
  'profile-members-complete': {
    rule: 'A profile has every member of the field list that has a value; maiden_name, description and email are absent without one.',
    source: 'service spec: profile',
  },
  'profile-members-without-value': {
    rule: 'Without a value a member is null or empty if its type allows it, and else absent: npi, gender, state, lat, lon, credential_id, profile_photo.',
    source: 'this mock',
  },
  'paging-whole-numbers': {
    rule: 'page and per_page are integers from 1.',
    source: 'service spec: resource API',
    fix: 'Count page and per_page from 1; a page has at most 100 entries.',
  },
  'colleague-page-members': {
    rule: 'A page has total_entries, current_page, total_pages, per_page and items; page is 1 and per_page 30 by default.',
    source: 'service spec: colleague list',
  },
  'page-size-limited': {
    rule: 'per_page above 100 is reduced to 100, as the body states; a page after the end is empty.',
    source: 'this mock',
  },
  'colleagues-in-stable-order': {
    rule: 'Colleagues are ordered by id.',
    source: 'this mock',
  },
  'conditional-requests': {
    rule: 'A success has a strong ETag; If-None-Match with it gets 304, after the access token was checked.',
    source: 'RFC 9110 section 13.1.2',
  },
  'not-modified-counted': {
    rule: 'A 304 counts against the rate limit.',
    source: 'service spec: limits',
  },
  'rate-limit-status-members': {
    rule: 'The rate-limit status has limit, remaining and reset, in UTC epoch seconds.',
    source: 'service spec: rate-limit status',
  },
  'rate-limit-status-uncounted': {
    rule: 'The rate-limit status is read by GET, is never stored, does not count, and works when the limit is reached.',
    source: 'service spec: resource API',
  },
  'rate-window': {
    rule: 'The limit is for each user at each application, in a fixed window that starts with the first request.',
    source: 'service spec: limits',
  },
  'clients-of-a-developer-limited': {
    rule: 'A developer has 25 clients at most.',
    source: 'service spec: limits',
  },
  'rate-limit-headers': {
    rule: 'Every response below /api, also an error, a 304 or the one for OPTIONS, has the three X-Rate-Limit headers.',
    source: 'service spec: limits',
  },
  'rate-limit-without-token': {
    rule: 'Without a valid access token the headers are those of an unused window; such a request and OPTIONS do not count.',
    source: 'this mock',
  },
  'rate-limit-not-exceeded': {
    rule: 'A request above the limit gets 429, with Status and Retry-After; failed authentications do not count.',
    source: 'service spec: errors',
    fix: 'Wait until X-Rate-Limit-Reset, space calls out, and send If-None-Match.',
  },
  'blacklisted-client-no-response': {
    rule: 'A blacklisted application gets no response from the resource API and userinfo: the connection is closed.',
    source: 'service spec: errors',
    fix: 'Ask the operator of the service to remove the application from the blacklist; here: in the inspector, or by the control API.',
  },
  'blacklisted-after-abuse': {
    rule: 'An application is blacklisted when it exceeds the limit in the third window.',
    source: 'service spec: limits',
  },
  'json-always': {
    rule: 'Responses are JSON for any Accept header; a path with a trailing slash is unknown.',
    source: 'RFC 9110 section 12.4.1',
  },
};

/** The rules of the share button and the inbox. */
export const SHARE_RULES = {
  'new-message-needs-session': {
    rule: 'The new-message page needs a session at the provider; otherwise the user signs in first and returns.',
    source: 'service spec: resource API',
  },
  'new-message-sent-by-button': {
    rule: 'A message is sent only when the user presses the button, never by GET.',
    source: 'RFC 9110 section 9.2.1',
  },
  'new-message-fields-limited': {
    rule: 'Fields are escaped and shortened to their maximum; a url that is not http or https is dropped.',
    source: 'service spec: share button parameters',
  },
  'share-script': {
    rule: 'The script has an ETag, sets no cookie, and turns each a.service-share-button into a button of 140 x 30 pt; the link works without it.',
    source: 'service spec: limits',
  },
  'share-data-attributes-replace': {
    rule: 'The script replaces query parameters of the link with the data- attributes of the same name, so that each is sent once.',
    source: 'this mock',
  },
};
