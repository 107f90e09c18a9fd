import { fingerprint } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import { type Exchange, type ExchangeParameters, firstValue } from './exchange.js';
import type { ObservedParameters } from './observed-parameters.js';
import type { RecordedRequest } from './recorded-request.js';

type Fingerprints = Readonly<Record<string, number>>;

/** Holds fingerprints and lengths of secrets: they show which requests belong together and how strong a secret is. */
export interface Observation {
  /** The fingerprint of a whole authorization request. A reload of the page sends the same request again. */
  readonly authorizationFingerprint: number | undefined;
  /** Fingerprints of the parameters of the request, by name. */
  readonly requestFingerprints: Fingerprints;
  /** Fingerprints of the values that the response issued, by name. */
  readonly responseFingerprints: Fingerprints;
  /** Lengths of the random values that the client generated, by name. */
  readonly lengths: Readonly<Record<string, number>>;
  /** Fingerprints of the first halves of these values, by name. */
  readonly prefixFingerprints: Fingerprints;
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
const OBSERVED_PARAMETERS: ReadonlySet<string> = new Set([
  ...['interaction', 'code', 'refresh_token', 'token', 'access_token', 'id_token_hint'],
  ...['state', 'nonce', 'code_challenge', 'code_verifier'],
]);
const ISSUED_LOCATION_PARAMETERS = ['code', 'id_token', 'interaction'];
const ISSUED_MEMBERS = ['access_token', 'refresh_token', 'id_token'];
const GENERATED_BY_CLIENTS: ReadonlySet<string> = new Set(['state', 'nonce']);
const MIN_PREFIX_LENGTH = 4;
const NO_MEMBERS: Readonly<Record<string, never>> = Object.freeze({});
const NO_NAMES: readonly string[] = Object.freeze([]);
const NOTHING_SENT = { requestFingerprints: NO_MEMBERS, lengths: NO_MEMBERS, prefixFingerprints: NO_MEMBERS };

export function observe(exchange: Exchange, parameters: ExchangeParameters, isSecretOf: IsSecretOf): Observation {
  const { http, originalResponse } = exchange;
  return {
    authorizationFingerprint: isAuthorizationRequest(http) ? fingerprint(`${http.search} ${http.body}`) : undefined,
    ...observeRequest(http, parameters),
    responseFingerprints: responseFingerprints(http, originalResponse, parameters),
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
): Pick<Observation, 'requestFingerprints' | 'lengths' | 'prefixFingerprints'> {
  const [, bearer] = BEARER.exec(http.headers.authorization ?? '') ?? [];
  if (!bearer && query.size === 0 && form.size === 0) return NOTHING_SENT;
  const requestFingerprints: Record<string, number> = {};
  const lengths: Record<string, number> = {};
  const prefixFingerprints: Record<string, number> = {};
  for (const parameters of [query, form]) {
    for (const [name, value] of parameters) {
      if (value === '' || !OBSERVED_PARAMETERS.has(name)) continue;
      requestFingerprints[name] = fingerprint(value);
      if (!GENERATED_BY_CLIENTS.has(name)) continue;
      lengths[name] = value.length;
      const prefix = value.slice(0, value.length >> 1);
      if (prefix.length >= MIN_PREFIX_LENGTH) prefixFingerprints[name] = fingerprint(prefix);
    }
  }
  if (bearer) requestFingerprints.access_token = fingerprint(bearer);
  return { requestFingerprints, lengths, prefixFingerprints };
}

/** Returns the fingerprints of the tokens in the original response: tokens whose response was lost belong to their login too. */
function responseFingerprints(
  { path }: MockRequest,
  { status, headers, body: text }: ProviderResponse,
  { location, body }: ExchangeParameters,
): Fingerprints {
  if (headers.Location !== undefined) return fingerprintsOf(location, ISSUED_LOCATION_PARAMETERS);
  if (path === PATHS.token && status === 200 && body !== undefined) return fingerprintsOf(body, ISSUED_MEMBERS);
  const type = headers['Content-Type'];
  const isPage = typeof type === 'string' && type.startsWith('text/html');
  const [, interaction] = (isPage && INTERACTION_IN_PAGE.exec(text)) || [];
  return interaction ? { interaction: fingerprint(interaction) } : NO_MEMBERS;
}

function fingerprintsOf(values: Readonly<Record<string, unknown>>, names: readonly string[]): Fingerprints {
  const fingerprints: Record<string, number> = {};
  for (const name of names) {
    const value = firstValue(values, name);
    if (typeof value === 'string') fingerprints[name] = fingerprint(value);
  }
  return fingerprints;
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
