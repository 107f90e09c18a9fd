import type { Statements } from './statement.js';

/** Lists the statements about codes, tokens and other states. */
export const STATE_STATEMENTS: Statements = {
  'code-expires': {
    statement: 'A code expires after a few minutes.',
    rules: ['code-lifetime', 'code-redeemed-late'],
    mock: 'mock-provider/endpoints/authorize: codes are random and expire after five minutes',
  },
  'access-token-expires': {
    statement: 'An access token expires after expires_in seconds, and a new one must be issued.',
    rules: ['api-token-valid', 'expired-token-reused'],
    mock: 'mock-provider/endpoints/token: the token response has an access token that expires after expires_in',
    client: 'token-vault/token-vault: a refresh happens one minute before the access token expires, not earlier',
  },
  'refresh-revokes-access-token': {
    statement: 'A refresh revokes the access token.',
    rules: ['refresh-rotates-both-tokens'],
    mock: 'mock-provider/endpoints/token: a refresh revokes the old pair at once and returns a new one',
    client: 'token-vault/concurrency: concurrent requests at expiry cause one refresh and share its token',
  },
  'refresh-revokes-refresh-token': {
    statement: 'A refresh revokes the refresh token that was used.',
    rules: ['refresh-rotates-both-tokens', 'refresh-token-single-use', 'refresh-token-reused'],
    mock: 'mock-provider/endpoints/token: a refresh revokes the old pair at once and returns a new one',
    client: 'token-vault/concurrency: concurrent requests in two processes on one store cause one refresh',
  },
  'refresh-issues-pair': {
    statement: 'A refresh issues a new access token and a new refresh token.',
    rules: ['refresh-rotates-both-tokens'],
    mock: 'mock-provider/endpoints/token: a refresh revokes the old pair at once and returns a new one',
    client: 'authorization-server/refresh: a refresh returns a new pair and a new ID Token of the same user',
    site: 'example-app/pages: the site by $signInBy, in the $flow flow /account refreshes the access token, and shows until when the new one is valid',
  },
  'revocation-of-access-token': {
    statement: 'The revocation endpoint revokes an access token.',
    rules: ['revocation-ends-token-pair'],
    mock: 'mock-provider/endpoints/revoke: revocation of a token pair by its access_token revokes both tokens',
  },
  'revocation-of-refresh-token': {
    statement: 'The revocation endpoint revokes a refresh token.',
    rules: ['revocation-ends-token-pair'],
    mock: 'mock-provider/endpoints/revoke: revocation of a token pair by its refresh_token revokes both tokens',
    client:
      'authorization-server/revoke: a revocation authenticates with Basic in the openid flow, without the secret in the body',
  },
  'revocation-of-pair': {
    statement: 'A revocation also revokes the other token of the pair.',
    rules: ['revocation-ends-token-pair', 'pair-revoked-twice'],
    mock: 'mock-provider/endpoints/revoke: revocation of a token pair by its %s revokes both tokens',
  },
  'revoked-access-token-refused': {
    statement: 'A resource request with a revoked access token gets 401.',
    rules: ['api-token-valid', 'userinfo-token-valid', 'token-after-revocation'],
    mock: 'mock-provider/resources/resources: the access token malformed, replaced, revoked or expired gets invalid_token',
  },
  'new-token-after-revocation': {
    statement: 'After the 401 the application requests a new token.',
    rules: ['expired-token-reused'],
    client: 'resource-api/resource-api: a 401 causes one retry, with a new token',
  },
  'verified-values': {
    statement: 'verified has the values true and false.',
    rules: ['new-account-verified'],
    mock: 'mock-provider/resources/resources: the profile changes verified with the clock',
    client: 'express/request-state: req.clinician with the verification %s, verified is %s',
    site: 'browser/reference-site: with the default settings a pending clinician gets a page about the verification, and the notes after it',
  },
  'session-check-values': {
    statement: 'The session check returns changed, unchanged or error.',
    rules: ['session-check-message', 'browser-state-cookie'],
    mock: 'mock-provider/provider: provider.checkSession() returns unchanged, changed or error',
    client: 'html/session-check: the session check ends after %s, without another request',
  },
};
