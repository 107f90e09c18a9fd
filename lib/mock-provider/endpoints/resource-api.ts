import { type Answer, emptyAnswer, jsonAnswer, matchesETag } from '../answer.js';
import { digest } from '../digest.js';
import type { House } from '../house.js';
import { bearerToken } from '../middleware/bearer.js';
import { type RateState, rateHeaders } from '../middleware/rate-limiter.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import type { TokenPair } from '../stores/grants.js';

const REALM = 'Bearer realm="passport-clinician mock provider"';
const DOCUMENTATION = 'https://developer.service.example/errors';
const CACHING = { 'Cache-Control': 'private, max-age=0, must-revalidate', Vary: 'Authorization, Accept' };

/** An error of the resource API (decision 86). */
function apiError(status: number, message: string, headers: Record<string, string>): Answer {
  return jsonAnswer(status, { message, documentation_url: DOCUMENTATION }, { ...headers, 'Cache-Control': 'no-store' });
}

/** What a resource answers, once the token is good. */
export interface Resource {
  /** The scope it needs; none for the rate-limit status. */
  scope: string | undefined;
  /** Decision 95: the status does not count. */
  free?: boolean;
  read(house: House, pair: TokenPair, rates: RateState): unknown;
}

function unauthorized(house: House, request: MockRequest, hasToken: boolean): Answer {
  const challenge = hasToken ? `${REALM}, error="invalid_token"` : REALM;
  const state = house.rates.look(`address:${request.headers.host ?? ''}`);
  const message = hasToken ? 'The access token is expired, revoked or unknown' : 'Requires authentication';
  house.problems.add(
    house.clock.now(),
    request.path,
    undefined,
    new Refusal('invalid_token', message, { decision: 87, source: 'RFC 6750 section 3.1', status: 401 }),
  );
  return apiError(401, message, { 'WWW-Authenticate': challenge, ...rateHeaders(state) });
}

/** Decision 93: a strong ETag over the body, after the token has been checked. */
function conditional(house: House, request: MockRequest, body: string, rateKey: string, state: RateState): Answer {
  const etag = `"${digest(body)}"`;
  const headers = { ETag: etag, ...CACHING };
  if (matchesETag(request.headers['if-none-match'], etag))
    return emptyAnswer(304, { ...headers, ...rateHeaders(house.rates.giveBack(rateKey)) });
  return { status: 200, headers: { 'Content-Type': 'application/json', ...headers, ...rateHeaders(state) }, body };
}

/** Decisions 86 to 99: one resource. */
export function answerResource(house: House, request: MockRequest, resource: Resource): Answer {
  const bearer = bearerToken(request.headers);
  const pair = bearer !== undefined && bearer !== 'malformed' ? house.grants.byAccessToken(bearer.token) : undefined;
  if (pair === undefined) return unauthorized(house, request, bearer !== undefined);
  if (pair.grant.client.isBlacklisted) return { ...emptyAnswer(403), silence: 'reset' };
  const rateKey = JSON.stringify([pair.grant.account.sub, pair.grant.client.id]);
  const state = resource.free ? house.rates.look(rateKey) : house.rates.count(rateKey);
  if (state.isExceeded && !resource.free) {
    const wait = Math.max(1, state.reset - Math.floor(house.clock.now() / 1000));
    return apiError(429, 'API rate limit exceeded', {
      Status: '429 Too Many Requests',
      'Retry-After': String(wait),
      ...rateHeaders(state),
    });
  }
  if (resource.scope !== undefined && !pair.scope.includes(resource.scope)) {
    const challenge = `${REALM}, error="insufficient_scope", scope="${resource.scope}"`;
    return apiError(403, `Requires the scope ${resource.scope}`, {
      'WWW-Authenticate': challenge,
      ...rateHeaders(state),
    });
  }
  const body = JSON.stringify(resource.read(house, pair, state));
  if (resource.free)
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...rateHeaders(state) },
      body,
    };
  return conditional(house, request, body, rateKey, state);
}
