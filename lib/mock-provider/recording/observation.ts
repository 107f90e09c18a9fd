import { digest } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import type { RecordedRequest } from './recorded-request.js';

/** What tells that two requests belong together, and how good a secret is: digests and lengths, taken while a request is recorded. */
export interface Observation {
  /** The authorization request as a whole: who reloads the page asks again for the same. */
  readonly authorization: string | undefined;
  /** Digests of what the request brought, by parameter. */
  readonly requestDigests: Readonly<Record<string, string>>;
  /** Digests of what the answer gave. */
  readonly responseDigests: Readonly<Record<string, string>>;
  /** How long a secret of the client's own making is, and the digest of its first half. */
  readonly lengths: Readonly<Record<string, number>>;
  readonly prefixDigests: Readonly<Record<string, string>>;
  /** The parameters that were sent more than once. */
  readonly repeated: readonly string[];
  /** Basic credentials that are not form-url-encoded, or were right if they were. */
  readonly isBasicRaw: boolean;
  /** Milliseconds since this process began: the provider's clock may stand still. */
  readonly realTime: number;
}

/** An exchange with what was observed in it. */
export interface RecordedExchange {
  readonly record: RecordedRequest;
  readonly seen: Observation;
  /** No answer arrived. */
  readonly isLost: boolean;
  /** Why it was refused. */
  readonly refusal: Pick<Refusal, 'rule' | 'reason' | 'source' | 'fix'> | undefined;
  /** When a rate limit ends that this request ran into, by the provider's clock. */
  readonly rateLimitedUntil: number | undefined;
}

/** Parameters and JSON members as name and value. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** True when a secret is a client's. */
export type IsSecretOf = (clientID: string, secret: string) => boolean;

const BEARER = /^bearer +(.*?) *$/i;
const INTERACTION_IN_PAGE = /name="interaction" value="([^"]+)"/;
const LINKING: ReadonlySet<string> = new Set([
  ...['interaction', 'code', 'refresh_token', 'token', 'access_token', 'id_token_hint'],
  ...['state', 'nonce', 'code_challenge', 'code_verifier'],
]);
const MADE_BY_CLIENTS: ReadonlySet<string> = new Set(['state', 'nonce']);
const GIVEN_BY_TOKEN_ENDPOINT = ['access_token', 'refresh_token', 'id_token'];
const SHORTEST_START = 4;
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});
const NONE: readonly string[] = Object.freeze([]);

export interface ObservationInput {
  readonly http: MockRequest;
  /** As the endpoint gave it, before a fault spoilt it: a pair whose answer was lost is a pair. */
  readonly answer: ProviderResponse;
  readonly parameters: Pairs;
  /** What the answer's Location says. */
  readonly location: Pairs;
  /** What the answer's JSON says. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly isSecretOf: IsSecretOf;
  /** The client's credentials were looked at before. */
  readonly isKnownGood: boolean;
}

export function observe({
  http,
  answer,
  parameters,
  location,
  body,
  isSecretOf,
  isKnownGood,
}: ObservationInput): Observation {
  const brought: Record<string, string> = {};
  let lengths: Record<string, number> = NOTHING;
  let starts: Record<string, string> = NOTHING;
  for (const [name, value] of parameters) {
    if (value === '' || !LINKING.has(name)) continue;
    brought[name] = digest(value);
    if (!MADE_BY_CLIENTS.has(name)) continue;
    lengths = { ...lengths, [name]: value.length };
    const half = value.length >> 1;
    if (half >= SHORTEST_START) starts = { ...starts, [name]: digest(value.slice(0, half)) };
  }
  const { authorization } = http.headers;
  const [, bearer] = (authorization && BEARER.exec(authorization)) || [];
  if (bearer) brought.access_token = digest(bearer);
  return {
    authorization: isAuthorization(http) ? digest(`${http.search} ${http.body}`) : undefined,
    requestDigests: brought,
    responseDigests: givenBy(http, answer, location, body),
    lengths,
    prefixDigests: starts,
    repeated: repeatedIn(http),
    isBasicRaw:
      authorization !== undefined && bearer === undefined && !isKnownGood && isRaw(authorization, answer, isSecretOf),
    realTime: Math.round(performance.now()),
  };
}

function isAuthorization({ path, method }: MockRequest): boolean {
  return path === PATHS.authorize && (method === 'GET' || method === 'POST');
}

function givenBy(
  { path }: MockRequest,
  answer: ProviderResponse,
  location: Pairs,
  body: ObservationInput['body'],
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of location) {
    if (name === 'code' || name === 'id_token' || name === 'interaction') given[name] = digest(value);
  }
  if (path === PATHS.token && answer.status === 200) {
    for (const name of GIVEN_BY_TOKEN_ENDPOINT) {
      const value = body?.[name];
      if (typeof value === 'string') given[name] = digest(value);
    }
  }
  const type = answer.headers['Content-Type'];
  if (typeof type !== 'string' || !type.startsWith('text/html')) return given;
  const [, shown] = INTERACTION_IN_PAGE.exec(answer.body) ?? [];
  if (shown) given.interaction = digest(shown);
  return given;
}

function repeatedIn(http: MockRequest): readonly string[] {
  const query = http.search === '' ? undefined : http.query.repeated;
  const form = http.isForm ? http.form.repeated : undefined;
  if (!query?.size && !form?.size) return NONE;
  return [...(query ?? NONE), ...(form ?? NONE)];
}

/** What a half of Basic credentials may be made of once it is form-url-encoded, with what encodeURIComponent leaves alone. */
const ENCODED = /^(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2})*$/;

/** RFC 6749 section 2.3.1. A secret with a plus or a percent sign in it shows by being right as it stands, and wrong decoded. */
function isRaw(authorization: string, { status }: ProviderResponse, isSecretOf: IsSecretOf): boolean {
  const [, encoded] = /^basic +(.+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return false;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return false;
  const [id, secret] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return !ENCODED.test(id) || !ENCODED.test(secret) || (status === 401 && isSecretOf(id, secret));
}
