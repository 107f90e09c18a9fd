import type { MockRequest } from '../http/request.js';
import { conditionalResponse, jsonResponse, type Representation, representation } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import type { Endpoint, EndpointResult } from '../protocol/endpoint.js';
import { Refusal, type Refused, refuse, refuseBlacklisted } from '../protocol/refusal.js';
import type { MockClock } from '../state/clock.js';
import type { Grant } from '../state/grants.js';
import { type RateLimiter, type RateState, rateHeaders } from '../state/rate-limiter.js';

const CHALLENGE = `Bearer realm="${REALM}"`;
const DOCUMENTATION = 'https://developer.service.example/errors';
const CACHING = { 'Cache-Control': 'private, max-age=0, must-revalidate', Vary: 'Authorization, Accept' };

/** Defines one resource of the API. */
export interface Resource {
  /** The scope that it needs. */
  readonly scope?: string;
  /** True for the rate-limit status, which does not count and is never stored. */
  readonly isUncounted?: boolean;
  read(http: MockRequest, grant: Grant, rates: RateState): Representation | Refusal;
}

/** Serves GET /api/v1/rate_limit. */
export const RATE_LIMIT_STATUS: Resource = {
  isUncounted: true,
  read: (_http, _grant, { limit, remaining, reset }) => representation(JSON.stringify({ limit, remaining, reset })),
};

/** The resource API: counts its requests, and serves its resources. */
export class ResourceAPI {
  readonly #rates: RateLimiter;
  readonly #clock: MockClock;

  constructor(rates: RateLimiter, clock: MockClock) {
    this.#rates = rates;
    this.#clock = clock;
  }

  /** @returns the endpoint of a resource. */
  endpoint(resource: Resource): Endpoint {
    return (http, grant) =>
      grant === undefined
        ? unauthorized(http.bearer !== undefined, this.#rates.peek())
        : this.#read(http, grant, resource);
  }

  /** @returns the headers of every response, for one that does not count. */
  rateHeaders(grant: Grant | undefined): Record<string, string> {
    return rateHeaders(this.#rates.peek(grant && rateKey(grant)));
  }

  /** Refuses a request that reaches no resource. It counts, and has the headers of every response of the API. */
  refuse(grant: Grant | undefined, refusal: Refusal, headers: Record<string, string> = {}): Refused {
    const state = grant === undefined ? this.#rates.peek() : this.#refuseOrCount(grant);
    return 'refusal' in state ? state : apiError(refusal, state, headers);
  }

  /** Counts the request, unless it is of a blacklisted client. @returns the state, or the refusal of a request above the limit */
  #refuseOrCount(grant: Grant, isUncounted = false): Refused | RateState {
    if (grant.client.isBlacklisted) return refuseBlacklisted();
    const key = rateKey(grant);
    if (isUncounted) return this.#rates.peek(key);
    const state = this.#rates.count(key);
    if (state.excess === 0) return state;
    if (state.excess === 1) grant.client.countAbuse();
    const wait = Math.max(1, state.reset - Math.floor(this.#clock.now() / 1000));
    const refusal = refuse('rate-limit-not-exceeded', 429, 'API rate limit exceeded');
    return apiError(refusal, state, { Status: '429 Too Many Requests', 'Retry-After': String(wait) });
  }

  #read(http: MockRequest, grant: Grant, resource: Resource): EndpointResult {
    const state = this.#refuseOrCount(grant, resource.isUncounted);
    if ('refusal' in state) return state;
    const { scope } = resource;
    if (scope !== undefined && !grant.accessScope.includes(scope)) {
      const refusal = refuse('api-scope-granted', 403, `Requires the scope ${scope}`);
      const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`;
      return apiError(refusal, state, { 'WWW-Authenticate': challenge });
    }
    const found = resource.read(http, grant, state);
    if (found instanceof Refusal) return apiError(found, state);
    const headers = { 'Content-Type': 'application/json', ...rateHeaders(state) };
    if (!resource.isUncounted) return conditionalResponse(found, { ...headers, ...CACHING }, http.ifNoneMatch);
    return { status: 200, headers: { ...headers, 'Cache-Control': 'no-store' }, body: found.body };
  }
}

/** @returns the key of a rate window: one user at one application. */
function rateKey({ account, client }: Grant): string {
  return `${account.id} ${client.id}`;
}

/** Refuses a request without a valid token. It does not count against the rate limit. */
function unauthorized(hasToken: boolean, state: RateState): Refused {
  const message = hasToken ? 'The access token is expired, revoked or unknown' : 'Requires authentication';
  const challenge = hasToken ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
  const refusal = refuse(hasToken ? 'access-token-valid' : 'access-token-required', 401, message);
  return apiError(refusal, state, { 'WWW-Authenticate': challenge });
}

function apiError(refusal: Refusal, state: RateState, headers: Record<string, string> = {}): Refused {
  const body = { message: refusal.description, documentation_url: DOCUMENTATION };
  const all = { 'Cache-Control': 'no-store', ...headers, ...rateHeaders(state) };
  return { refusal, response: jsonResponse(refusal.status, body, all) };
}
