import { bearerToken } from '../http/bearer.js';
import type { MockRequest } from '../http/request.js';
import {
  emptyResponse,
  jsonResponse,
  matchesETag,
  type ProviderResponse,
  type Representation,
} from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { RuleID } from '../protocol/rules.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Grant } from '../state/grants.js';
import { type RateState, rateHeaders } from '../state/rate-limiter.js';

const CHALLENGE = `Bearer realm="${REALM}"`;
const DOCUMENTATION = 'https://developer.service.example/errors';
const CACHING = { 'Cache-Control': 'private, max-age=0, must-revalidate', Vary: 'Authorization, Accept' };

/** One resource of the API, for whom the access token stands for. */
export interface Resource {
  /** The scope that it needs. */
  readonly scope?: string;
  /** Decision 95: the rate-limit status does not count, and is never kept. */
  readonly isUncounted?: boolean;
  read(instance: ProviderInstance, http: MockRequest, grant: Grant, rates: RateState): Representation | Refusal;
}

/** What there is of no method and no path has no resource: it is refused, but counted (decision 96). */
interface Nothing {
  readonly refusal: Refusal;
  readonly headers?: Record<string, string>;
}

/** Decisions 86 to 99: one request to the resource API. */
export function answerResource(
  instance: ProviderInstance,
  http: MockRequest,
  resource: Resource,
): ProviderResponse | Refused {
  const bearer = bearerToken(http.headers);
  const grant = granted(instance, http);
  if (grant === undefined) return unauthorized(instance, bearer !== undefined);
  return silenceOrLimit(instance, grant, resource.isUncounted) ?? read(instance, http, grant, resource);
}

/** Decisions 1, 96 and 99: an unknown path or method of the API, with the headers that each of its answers has. */
export function answerNothing(
  instance: ProviderInstance,
  http: MockRequest,
  { refusal, headers = {} }: Nothing,
): Refused {
  const grant = granted(instance, http);
  const stopped = grant && silenceOrLimit(instance, grant, false);
  return stopped ?? apiError(refusal, instance.rates.peek(grant && rateKey(grant)), headers);
}

export function isAPI(path: string): boolean {
  return path.startsWith('/api/');
}

function granted(instance: ProviderInstance, http: MockRequest): Grant | undefined {
  const bearer = bearerToken(http.headers);
  return bearer === undefined || bearer === 'malformed' ? undefined : instance.grants.byAccessToken(bearer.token);
}

/** Decision 96: a bucket for each clinician at each application. */
/** One window for each clinician at each application (decision 96). */
export function rateKey({ account, client }: Grant): string {
  return `${account.id} ${client.id}`;
}

/** Counts the request. @returns what comes in place of the resource: nothing at all (98), or 429 (97). */
function silenceOrLimit(instance: ProviderInstance, grant: Grant, isFree = false): Refused | undefined {
  const { rules } = instance;
  if (grant.client.isBlacklisted) return blacklisted(instance, grant);
  if (isFree) return undefined;
  const state = instance.rates.count(rateKey(grant));
  if (state.excess === 0) return undefined;
  if (state.excess === 1) grant.client.noteAbuse(rules.blacklistAfter);
  const wait = Math.max(1, state.reset - Math.floor(instance.clock.now() / 1000));
  const refusal = refuse('rate-limit-not-exceeded', 429, 'API rate limit exceeded');
  return apiError(refusal, state, { Status: '429 Too Many Requests', 'Retry-After': String(wait) });
}

function blacklisted(instance: ProviderInstance, grant: Grant): Refused {
  const refusal = refuse('blacklisted-client-unanswered', 403, 'This application is blacklisted');
  const refused = apiError(refusal, instance.rates.peek(rateKey(grant)));
  if (instance.rules.blacklisted === 'forbidden') return refused;
  return { refusal, response: { ...refused.response, connectionFault: 'reset' } };
}

function read(
  instance: ProviderInstance,
  http: MockRequest,
  grant: Grant,
  resource: Resource,
): ProviderResponse | Refused {
  const key = rateKey(grant);
  const state = instance.rates.peek(key);
  const { scope, isUncounted: isFree = false } = resource;
  if (scope !== undefined && !grant.accessScope.includes(scope)) {
    const refusal = refuse('api-scope-granted', 403, `Requires the scope ${scope}`);
    const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`;
    return apiError(refusal, state, { 'WWW-Authenticate': challenge });
  }
  const found = resource.read(instance, http, grant, state);
  if (found instanceof Refusal) return apiError(found, state);
  const { body, etag } = found;
  if (isFree) return jsonText(body, { 'Cache-Control': 'no-store', ...rateHeaders(state) });
  if (!matchesETag(http.ifNoneMatch, etag)) {
    return jsonText(body, { ETag: etag, ...CACHING, ...rateHeaders(state) });
  }
  // Decision 94: what was not sent again does not count, unless an option says so.
  const after = instance.rules.countNotModified ? state : instance.rates.refund(key);
  return emptyResponse(304, { ETag: etag, ...CACHING, ...rateHeaders(after) });
}

/** Decision 87: without a token there is no error code in the challenge. A failed authentication does not count. */
function unauthorized(instance: ProviderInstance, hasToken: boolean): Refused {
  const message = hasToken ? 'The access token is expired, revoked or unknown' : 'Requires authentication';
  const challenge = hasToken ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
  const refusal = refuse(hasToken ? 'api-token-valid' : 'api-token-required', 401, message);
  return apiError(refusal, instance.rates.peek(), { 'WWW-Authenticate': challenge });
}

function refuse(rule: RuleID, status: number, message: string): Refusal {
  return new Refusal(rule, String(status), message, { status });
}

/** Decision 86: one body for all errors of the API. */
function apiError(refusal: Refusal, state: RateState, headers: Record<string, string> = {}): Refused {
  const body = { message: refusal.description, documentation_url: DOCUMENTATION };
  const all = { 'Cache-Control': 'no-store', ...headers, ...rateHeaders(state) };
  return { refusal, response: jsonResponse(refusal.status, body, all) };
}

function jsonText(body: string, headers: Record<string, string>): ProviderResponse {
  return { status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
