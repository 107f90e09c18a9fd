import type { Statements } from './statement.js';

/** Lists the statements about the resource API. */
export const RESOURCE_API_STATEMENTS: Statements = {
  'profile-address': {
    statement: 'GET /api/v1/users/current returns the profile.',
    rules: ['path-known', 'method-allowed'],
    mock: 'mock-provider/resources/resources: the profile has the fields of the list, with their types and the names of the sample',
    client: 'resource-api/resource-api: profile() sends the access token in the header and not in the URL',
  },
  'api-origin': {
    statement: 'The resource API has another address than the authorization server.',
    rules: ['path-at-its-address', 'credentials-out-of-place'],
    mock: 'mock-provider/server/api-port: with apiPort the resource API has its own origin, and only there',
    client: 'integration/report: the report on this relying party has no findings in either flow',
  },
  'profile-needs-basic': {
    statement: 'The profile needs a Bearer token with the scope basic.',
    rules: ['api-scope-granted', 'api-token-required'],
    mock: 'mock-provider/resources/resources: each resource needs its scope',
    client: 'resource-api/resource-api: other responses 403 names the missing scope',
  },
  'colleagues-address': {
    statement: 'GET /api/v1/colleagues returns a page of the colleague list.',
    rules: ['path-known', 'colleague-page-members'],
    mock: 'mock-provider/resources/resources: the colleague list has 30 entries on the first page',
    client: 'resource-api/colleagues: a page of colleagues is parsed with the counts of the service',
  },
  'colleagues-need-scope': {
    statement: 'The colleague list needs a Bearer token with the scope colleagues.',
    rules: ['api-scope-granted', 'api-token-required'],
    mock: 'mock-provider/resources/resources: each resource needs its scope',
    client: 'resource-api/colleagues: a page of colleagues without the scope rejects with its name',
  },
  'colleagues-page-parameter': {
    statement: 'page is an integer, and 1 by default.',
    rules: ['paging-whole-numbers', 'colleague-page-members'],
    mock: 'mock-provider/resources/resources: the colleague list has 30 entries on the first page',
    client: 'resource-api/colleagues: a page of colleagues number %p is rejected without a request',
  },
  'colleagues-per-page-parameter': {
    statement: 'per_page is an integer, and 30 by default.',
    rules: ['paging-whole-numbers', 'page-size-limited', 'colleagues-page-size'],
    mock: 'mock-provider/resources/resources: the colleague list has 30 entries on the first page',
    client:
      'resource-api/colleagues: a page of colleagues without options is the first, with the default size of the service',
  },
  'rate-limit-address': {
    statement: '/api/v1/rate_limit returns the rate-limit status.',
    rules: ['rate-limit-status-uncounted', 'rate-limit-status-members'],
    mock: 'mock-provider/resources/resources: the rate limit has a status for GET and HEAD only',
    client: 'resource-api/rate-limit: rateLimit() returns the requests left, and the end of the window in milliseconds',
  },
  'rate-limit-status-not-counted': {
    statement: 'The rate-limit status does not count against the limit.',
    rules: ['rate-limit-status-uncounted'],
    mock: 'mock-provider/resources/resources: the rate limit does not count failed authentications and the status, which works above the limit',
    client: 'resource-api/rate-limit: rateLimit() is sent without a wait when no request is left',
  },
  'inbox-link': {
    statement: 'The link /inbox/conversations/new_message opens a new message.',
    rules: ['new-message-needs-session', 'new-message-sent-by-button'],
    mock: 'mock-provider/resources/inbox: a new message requires a sign-in, then has the shared values',
    client: 'html/buttons: the share button opens the inbox below %s',
  },
  'inbox-link-query': {
    statement: 'Its query url, message and subject is optional.',
    rules: ['new-message-fields-limited'],
    mock: 'mock-provider/resources/inbox: a new message without values is not sent, and each field has its problem',
    client: 'html/buttons: the share button opens an empty message without url, message and subject',
  },
  'share-markup-anchor': {
    statement: 'The share button is an a element of the class service-share-button, with the link as href.',
    rules: ['share-script'],
    mock: 'browser/mock-provider-share-button: the link becomes a button of 140 by 30 points, under a strict policy',
    client:
      'html/buttons: the share button with the script has data- attributes, and a plain link for browsers that run no scripts',
  },
  'share-markup-script': {
    statement: 'The button has a script element with async that loads the script of the service.',
    rules: ['share-script'],
    mock: 'mock-provider/endpoints/share-script: the share button script is JavaScript with an ETag for any site and sets no cookie',
    client: "html/buttons: the share button adds the service's script as async if there is one",
  },
  'share-without-script': {
    statement: 'Without the script a plain link with escaped query parameters works.',
    rules: ['share-script', 'new-message-fields-limited'],
    mock: 'browser/mock-provider-share-button: without JavaScript it is a plain link with the query of the site',
    client: 'html/buttons: the share button without the script is a link with query parameters and no data- attributes',
  },
};
