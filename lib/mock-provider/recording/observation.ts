import { digest } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import type { Exchange, ExchangeParameters } from './exchange.js';
import type { ObservedParameters } from './observed-parameters.js';
import type { RecordedRequest } from './recorded-request.js';

/** Holds digests and lengths of secrets: they show which requests belong together and how strong a secret is. */
export interface Observation {
  /** The digest of a whole authorization request. A reload of the page sends the same request again. */
  readonly authorizationDigest: string | undefined;
  /** Digests of the parameters of the request, by name. */
  readonly requestDigests: Readonly<Record<string, string>>;
  /** Digests of the values that the response issued, by name. */
  readonly responseDigests: Readonly<Record<string, string>>;
  /** Lengths of the random values that the client generated, by name. */
  readonly lengths: Readonly<Record<string, number>>;
  /** Digests of the first halves of these values, by name. */
  readonly prefixDigests: Readonly<Record<string, string>>;
  /** Names of the parameters that were sent more than once. */
  readonly repeated: readonly string[];
  /** True for Basic credentials that are not form-url-encoded. */
  readonly isBasicUnencoded: boolean;
  /** Milliseconds since the process started: the provider's clock may be frozen. */
  readonly monotonicMs: number;
}

/** Holds a recorded request with the observations that the report rules use. */
export interface RecordedExchange {
  readonly record: RecordedRequest;
  readonly observation: Observation;
  readonly parameters: ObservedParameters;
  /** True when no response, or only a part of one, arrived. */
  readonly isLost: boolean;
  readonly refusal: Pick<Refusal, 'rule' | 'reason' | 'source' | 'fix'> | undefined;
  /** When the rate limit that this request exceeded ends, in milliseconds by the provider's clock. */
  readonly rateLimitedUntil: number | undefined;
}

/** @returns true when a client has this secret. */
type IsSecretOf = (clientID: string, secret: string) => boolean;

const BEARER = /^bearer +(.*?) *$/i;
const INTERACTION_IN_PAGE = /name="interaction" value="([^"]+)"/;
const DIGESTED_PARAMETERS: ReadonlySet<string> = new Set([
  ...['interaction', 'code', 'refresh_token', 'token', 'access_token', 'id_token_hint'],
  ...['state', 'nonce', 'code_challenge', 'code_verifier'],
]);
const DIGESTED_LOCATION_PARAMETERS: ReadonlySet<string> = new Set(['code', 'id_token', 'interaction']);
const DIGESTED_MEMBERS = ['access_token', 'refresh_token', 'id_token'];
const GENERATED_BY_CLIENTS: ReadonlySet<string> = new Set(['state', 'nonce']);
const MIN_PREFIX_LENGTH = 4;
const NO_MEMBERS: Readonly<Record<string, never>> = Object.freeze({});
const NO_NAMES: readonly string[] = Object.freeze([]);

export function observe(exchange: Exchange, parameters: ExchangeParameters, isSecretOf: IsSecretOf): Observation {
  const { http, originalResponse } = exchange;
  return {
    authorizationDigest: isAuthorizationRequest(http) ? digest(`${http.search} ${http.body}`) : undefined,
    ...observeRequest(http, parameters),
    responseDigests: responseDigests(http, originalResponse, parameters),
    repeated: repeatedParameters(http),
    isBasicUnencoded: isBasicUnencoded(http, originalResponse, isSecretOf),
    monotonicMs: Math.round(performance.now()),
  };
}

function isAuthorizationRequest({ path, method }: MockRequest): boolean {
  return path === PATHS.authorize && (method === 'GET' || method === 'POST');
}

function observeRequest(
  http: MockRequest,
  { query, form }: ExchangeParameters,
): Pick<Observation, 'requestDigests' | 'lengths' | 'prefixDigests'> {
  const requestDigests: Record<string, string> = {};
  let lengths: Record<string, number> = NO_MEMBERS;
  let prefixDigests: Record<string, string> = NO_MEMBERS;
  for (const pairs of [query, form]) {
    for (const [name, value] of pairs) {
      if (value === '' || !DIGESTED_PARAMETERS.has(name)) continue;
      requestDigests[name] = digest(value);
      if (!GENERATED_BY_CLIENTS.has(name)) continue;
      lengths = { ...lengths, [name]: value.length };
      const prefix = value.slice(0, value.length >> 1);
      if (prefix.length >= MIN_PREFIX_LENGTH) prefixDigests = { ...prefixDigests, [name]: digest(prefix) };
    }
  }
  const [, bearer] = BEARER.exec(http.headers.authorization ?? '') ?? [];
  if (bearer) requestDigests.access_token = digest(bearer);
  return { requestDigests, lengths, prefixDigests };
}

/** Returns the digests of the tokens in the original response: tokens whose response was lost belong to their login too. */
function responseDigests(
  { path }: MockRequest,
  { status, headers, body: text }: ProviderResponse,
  { location, body }: ExchangeParameters,
): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [name, value] of location) if (DIGESTED_LOCATION_PARAMETERS.has(name)) digests[name] = digest(value);
  if (path === PATHS.token && status === 200) {
    for (const name of DIGESTED_MEMBERS) {
      const value = body?.[name];
      if (typeof value === 'string') digests[name] = digest(value);
    }
  }
  const type = headers['Content-Type'];
  if (typeof type === 'string' && type.startsWith('text/html')) {
    const [, interaction] = INTERACTION_IN_PAGE.exec(text) ?? [];
    if (interaction) digests.interaction = digest(interaction);
  }
  return digests;
}

function repeatedParameters(http: MockRequest): readonly string[] {
  const query = http.search === '' ? undefined : http.query.repeated;
  const form = http.isForm ? http.form.repeated : undefined;
  if (!query?.size && !form?.size) return NO_NAMES;
  return [...(query ?? NO_NAMES), ...(form ?? NO_NAMES)];
}

/** The form-url-encoded characters, and the ones that encodeURIComponent leaves unchanged. */
const ENCODED = /^(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2})*$/;

/**
 * Checks for credentials that are not form-url-encoded (RFC 6749 section 2.3.1). A secret with a plus or a percent sign also
 * matches {@link ENCODED} when it is not encoded. Then the decoded secret is wrong, and the secret as sent is correct.
 */
function isBasicUnencoded({ headers }: MockRequest, { status }: ProviderResponse, isSecretOf: IsSecretOf): boolean {
  const [, encoded] = /^basic +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return false;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return false;
  const [id, secret] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return !ENCODED.test(id) || !ENCODED.test(secret) || (status === 401 && isSecretOf(id, secret));
}
