import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { emptyResponse, jsonResponse, type ProviderResponse, TOKEN_HEADERS } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import { EVERY_ENDPOINT } from './endpoints.js';
import type { FaultDefinition, FaultOptions, KindDefaults } from './fault.js';
import type { FailureFaultName } from './fault-names.js';

/** Answers in place of the endpoint. `now`: milliseconds by the provider's clock. */
export type FailureFault = FaultDefinition<(options: FaultOptions, now: number, http: MockRequest) => ProviderResponse>;

const AN_HOUR = 3600;
const API = [PATHS.currentUser, PATHS.colleagues, PATHS.rateLimit] as const;
const SERVER_ERRORS = 'RFC 9110 section 15.6';

export const FAILURE_DEFAULTS: KindDefaults = { endpoint: PATHS.token, endpoints: EVERY_ENDPOINT };

function unavailable({ status = 503 }: FaultOptions): ProviderResponse {
  return jsonResponse(status, { error: 'temporarily_unavailable' }, { 'Cache-Control': 'no-store' });
}

/** Decision 97. */
function rateLimited({ seconds = AN_HOUR }: FaultOptions, now: number): ProviderResponse {
  const body = { message: 'API rate limit exceeded', documentation_url: 'https://developer.service.example/errors' };
  return jsonResponse(429, body, {
    'Cache-Control': 'no-store',
    Status: '429 Too Many Requests',
    'Retry-After': String(seconds),
    'X-Rate-Limit-Limit': '5000',
    'X-Rate-Limit-Remaining': '0',
    'X-Rate-Limit-Reset': String(Math.ceil(now / 1000) + seconds),
  });
}

function refused(description: string): () => ProviderResponse {
  const body = JSON.stringify({ error: 'invalid_grant', error_description: description });
  return () => ({ status: 400, headers: { ...TOKEN_HEADERS }, body });
}

/** What is answered in place of what an endpoint does: no code and no token is used up. */
export const FAILURE_FAULTS: Readonly<Record<FailureFaultName, FailureFault>> = {
  reset: {
    description: 'The connection is cut before the request does anything.',
    source: 'RFC 9110 section 9.2.2',
    apply: () => ({ status: 503, headers: {}, body: '', connectionFault: 'reset' }),
  },
  noResponse: {
    description: 'Nothing is ever answered, and the request does nothing.',
    source: 'RFC 9110 section 9.2.2',
    apply: () => ({ status: 503, headers: {}, body: '', connectionFault: 'hang' }),
  },
  serverError: {
    description: 'The answer is 500, or the status that is asked for, with a page.',
    source: SERVER_ERRORS,
    options: ['status'],
    apply: ({ status = 500 }) => ({
      status,
      headers: { 'Content-Type': 'text/html' },
      body: '<h1>Internal Server Error</h1>',
    }),
  },
  unavailable: {
    description: 'The answer is 503, or the status that is asked for, with JSON.',
    source: SERVER_ERRORS,
    options: ['status'],
    apply: unavailable,
  },
  errorWithSuccess: {
    description: 'The answer is an error in JSON, with status 200.',
    source: 'RFC 6749 section 5.2',
    apply: () => jsonResponse(200, { error: 'server_error' }, { 'Cache-Control': 'no-store' }),
  },
  redirectInsteadOfAnswer: {
    description:
      'A redirect comes (307) that makes the client send the same once more: who follows it sends secrets wherever it leads.',
    source: 'RFC 9700 section 4.12',
    apply: (_options, _now, http) =>
      emptyResponse(307, {
        Location: http.search === '' ? http.path : `${http.path}?${http.search}`,
        'Cache-Control': 'no-store',
      }),
  },
  rateLimited: {
    description: 'The rate limit is used up: 429, with the time at which the window ends.',
    source: 'Service spec: limits; RFC 6585 section 4',
    endpoint: PATHS.currentUser,
    options: ['seconds'],
    apply: rateLimited,
  },
  keysDown: {
    description: 'The keys cannot be read.',
    source: SERVER_ERRORS,
    endpoint: PATHS.jwks,
    endpoints: [PATHS.jwks],
    options: ['status'],
    apply: unavailable,
  },
  revocationFails: {
    description: 'A token is not revoked: the service is unavailable.',
    source: 'RFC 7009 section 2.2.1',
    endpoint: PATHS.revoke,
    endpoints: [PATHS.revoke],
    options: ['status'],
    apply: unavailable,
  },
  codeRefused: {
    description: 'A good code is refused with invalid_grant.',
    source: 'RFC 6749 section 5.2',
    endpoints: [PATHS.token],
    grantType: 'authorization_code',
    apply: refused('The code is unknown, expired or used'),
  },
  refreshRefused: {
    description: 'A good refresh token is refused with invalid_grant.',
    source: 'RFC 6749 section 5.2',
    endpoints: [PATHS.token],
    grantType: 'refresh_token',
    apply: refused('The refresh token is unknown, expired or revoked'),
  },
  accessTokenRefused: {
    description: 'A good access token is refused with 401 invalid_token.',
    source: 'RFC 6750 section 3.1',
    endpoint: PATHS.currentUser,
    endpoints: [...API, PATHS.userinfo],
    apply: () =>
      jsonResponse(
        401,
        { message: 'The access token is expired, revoked or unknown', error: 'invalid_token' },
        { 'Cache-Control': 'no-store', 'WWW-Authenticate': `Bearer realm="${REALM}", error="invalid_token"` },
      ),
  },
};
