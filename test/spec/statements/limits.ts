import type { Statements } from './statement.js';

/** Lists the statements about errors. */
export const ERROR_STATEMENTS: Statements = {
  'error-denied': {
    statement: 'When the user denies, the redirect has error=access_denied, and the description says so.',
    rules: ['user-approval-required'],
    mock: 'mock-provider/endpoints/authorize: a denial redirects with access_denied and state',
    client:
      'passport/strategy: a sign-in that fails a denial by the user calls fail() with the text of the page, which has no description from the service',
  },
  'error-prompt-none': {
    statement: 'prompt=none without an authenticated user returns an error to the redirect address.',
    rules: ['prompt-none-without-ui', 'errors-redirected'],
    mock: 'mock-provider/endpoints/authorize: prompt=none without a session gets login_required and sets no cookie',
    client:
      'integration/sign-in-modes: silent sign-in a user without a session at the service remains signed out, and is not redirected again',
  },
  'error-rate-limit-status': {
    statement: 'Above the rate limit the response is 429 with a Status header.',
    rules: ['rate-limit-not-exceeded'],
    mock: 'mock-provider/resources/resources: the rate limit refuses a request above the limit with 429 until the window ends',
    client: 'resource-api/rate-limit: a 429 rejects at once by default, and no request is sent until the reset',
  },
  'error-rate-limit-headers': {
    statement: 'That response has the three X-Rate-Limit headers.',
    rules: ['rate-limit-headers'],
    mock: 'mock-provider/resources/resources: the rate limit refuses a request above the limit with 429 until the window ends',
    client:
      'integration/unavailable-profile: the rate limit of a user is on the 503 page and in the problem document of a guard',
  },
  'error-rate-limit-body': {
    statement: 'Its JSON body has message and documentation_url.',
    rules: ['api-error-body'],
    mock: 'mock-provider/resources/resources: the rate limit refuses a request above the limit with 429 until the window ends',
  },
  'error-token-revoked': {
    statement: 'A revoked access token gets 401.',
    rules: ['api-token-valid'],
    mock: 'mock-provider/resources/resources: the access token malformed, replaced, revoked or expired gets invalid_token',
    client: 'resource-api/resource-api: a 401 to the retry too rejects with access_token_refused',
  },
  'error-token-expired': {
    statement: 'An expired access token gets 401, and the client obtains a new one.',
    rules: ['api-token-valid', 'expired-token-reused'],
    mock: 'mock-provider/resources/resources: the access token malformed, replaced, revoked or expired gets invalid_token',
    client: 'resource-api/resource-api: a 401 causes one retry, with a new token',
  },
  'error-session-check': {
    statement: 'A failed session check replies error.',
    rules: ['session-check-message', 'session-check-blocked-cookies'],
    mock: 'browser/mock-provider-session-state: responds error where the browser blocks cookies in frames, so that the client stops polling',
    client: 'html/session-check: the session check ends after error, without another request',
  },
  'error-blacklisted': {
    statement: 'A blacklisted application gets no response from the API.',
    rules: ['blacklisted-client-no-response', 'client-not-blacklisted'],
    mock: 'mock-provider/resources/resources: a blacklisted application gets no response until unblacklist()',
    client:
      'resource-api/circuit-breaker: after five calls without a response no call is sent for five seconds, and no access token is read',
  },
};

/** Lists the statements about limits. */
export const LIMIT_STATEMENTS: Statements = {
  'requests-per-hour': {
    statement: 'The limit is 5000 requests in an hour.',
    rules: ['rate-window', 'rate-limit-not-exceeded'],
    mock: 'mock-provider/resources/resources: the rate limit refuses a request above the limit with 429 until the window ends',
    client:
      'resource-api/rate-limit: the time between two requests of a user limits an hour of requests as fast as possible to the limit and one burst',
  },
  'rate-header-limit': {
    statement: 'Every response has X-Rate-Limit-Limit, the maximum in an hour.',
    rules: ['rate-limit-headers'],
    mock: 'mock-provider/resources/resources: the rate limit has three headers on every response, and a window that starts with the first request',
    client: 'resource-api/rate-limit: calls of one user are spaced out when few requests are left',
  },
  'rate-header-remaining': {
    statement: 'Every response has X-Rate-Limit-Remaining, the requests left in the window.',
    rules: ['rate-limit-headers'],
    mock: 'mock-provider/resources/resources: the rate limit has three headers on every response, and a window that starts with the first request',
    client: 'resource-api/rate-limit: calls of one user share their rate limit',
  },
  'rate-header-reset': {
    statement: 'Every response has X-Rate-Limit-Reset, the end of the window in UTC epoch seconds.',
    rules: ['rate-limit-headers'],
    mock: 'mock-provider/resources/resources: the rate limit has three headers on every response, and a window that starts with the first request',
    client: 'resource-api/rate-limit: calls of one user are sent without a wait after the end of the window',
  },
  'clients-per-developer': {
    statement: 'A developer has 25 access codes, across accounts.',
    rules: ['clients-of-a-developer-limited'],
    mock: 'mock-provider/options/client-registration: a developer has 25 clients at most',
  },
  'brand-marks-removed': {
    statement: 'A site stops to use brand marks within 7 days after a request.',
    reason: 'A duty of the site owner: no software can check it. This package contains no brand marks.',
  },
  'share-button-size': {
    statement: 'The graphic of the share button is 140 pt wide and 30 pt high.',
    rules: ['share-script'],
    mock: 'browser/mock-provider-share-button: the link becomes a button of 140 by 30 points, under a strict policy',
    client:
      "browser/mock-provider-share-button: this package's button %s has 140 by 30 points, a full label and each value once",
  },
  'abuse-blacklisted': {
    statement: 'An application that repeatedly abuses the rate limit is blacklisted.',
    rules: ['blacklisted-after-abuse', 'rate-limit-ignored'],
    mock: 'mock-provider/resources/resources: a blacklisted application is blacklisted in the third window above the limit',
    client: 'resource-api/rate-limit: a 429 rejects at once by default, and no request is sent until the reset',
  },
  'conditional-requests-used': {
    statement: 'Clients cache responses and use conditional requests.',
    rules: ['conditional-requests', 'not-modified-counted', 'profile-unconditional'],
    mock: 'mock-provider/resources/resources: a conditional request for %s gets 304 without a body and counts',
    client: 'resource-api/resource-api: the conditional cache sends the ETag and uses the cached profile after a 304',
  },
  'calls-spaced-out': {
    statement: 'Calls are spaced out.',
    rules: ['colleagues-too-fast'],
    client: 'resource-api/rate-limit: calls of one user to all colleagues are spaced out after the first page',
  },
  'needed-fields-only': {
    statement: 'Only needed fields are requested.',
    rules: ['scope-not-allowed'],
    client: 'spec/client: a site requests the scope openid only, and no profile, by default',
  },
  'stored-id-and-tokens-only': {
    statement: 'Only the user id and the tokens are stored.',
    reason: 'The provider cannot see what a site stores.',
    client: 'spec/client: a site that signs in by: %s stores the user id and sealed tokens only, in the %s flow',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account says that no profile is stored',
  },
  'stored-profile-agreed': {
    statement: 'A profile is stored only if the user agreed explicitly.',
    reason: 'The provider cannot see what a site stores.',
    client: 'spec/client: a site that signs in by: %s stores the user id and sealed tokens only, in the %s flow',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account says that no profile is stored',
  },
  'colleagues-not-stored': {
    statement: 'Colleagues are not stored.',
    reason: 'The provider cannot see what a site stores.',
    client:
      'resource-api/colleagues: iterating over all colleagues requests the pages again each time: nothing is cached',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /colleagues colleagues are requested from the service every time, and never cached',
  },
  'data-deleted-on-request': {
    statement: 'Data is deleted when the user asks for it.',
    reason: 'The provider cannot see what a site stores.',
    client: 'integration/login-paths: a login by: $path, in the $flow flow ends with forget, in every session',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account forgetting a user signs out every device',
  },
  'data-deleted-on-closing': {
    statement: 'Data is deleted when the user uninstalls the application or closes the account.',
    reason: 'The provider cannot see what a site stores.',
    client:
      'integration/forget: clinician.forget(userID) revokes and erases everything, and signs out every session of the user at its next request',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account forgetting a user signs out every device',
  },
};

/** Lists the statements about versions. */
export const VERSION_STATEMENTS: Statements = {
  'version-prefix': {
    statement: 'Resource paths have the prefix /api/v1.',
    rules: ['path-known'],
    mock: 'mock-provider/resources/resources: no other path lists or searches users, or is without the prefix /api/v1',
    client: 'resource-api/resource-api: profile() accepts an API URL with a path and a trailing slash',
  },
  'later-versions': {
    statement: 'The operator may release later versions and require them.',
    reason: 'A right of the operator: no software can check it.',
  },
};
