import { fingerprint } from '../http/digest.js';
import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refusal } from '../protocol/refusal.js';
import type { ClientStore } from '../state/clients.js';
import { type Exchange, type ExchangeParameters, firstValue, NO_MEMBERS } from './exchange.js';
import type { RecordedRequest } from './recorded-request.js';

type Fingerprints = Readonly<Record<string, number>>;

/** Fingerprints and lengths of secrets: they show which requests belong together and how strong a secret is. */
export interface Observation {
  /** The fingerprint of a whole authorization request. A reload of the page sends the same request again. */
  readonly authorizationFingerprint: number | undefined;
  /** Fingerprints of the parameters of the request, by name. */
  readonly requestFingerprints: Fingerprints;
  /** Fingerprints of the values that the response issued, by name. */
  readonly responseFingerprints: Fingerprints;
  /** The lengths of state and nonce in an authorization request. */
  readonly lengths: Readonly<Record<string, number>>;
  /** True for Basic credentials that are not form-url-encoded. */
  readonly isBasicUnencoded: boolean;
  /** True for an unknown path that the browser requests by itself, not because of the client. */
  readonly isOfBrowser: boolean;
  /** Milliseconds since the process started: the provider's clock may be frozen. */
  readonly monotonicMs: number;
}

/** A recorded request with the observations that the report rules use. */
export interface RecordedExchange {
  readonly record: RecordedRequest;
  readonly observation: Observation;
  /** True when no response, or only a part of one, arrived. */
  readonly isLost: boolean;
  readonly refusal: Pick<Refusal, 'rule' | 'reason' | 'source' | 'fix'> | undefined;
  /** When the rate limit that this request exceeded ends, in milliseconds by the provider's clock. */
  readonly rateLimitedUntil: number | undefined;
}

const INTERACTION_IN_PAGE = /name="interaction" value="([^"]+)"/;
const OBSERVED_PARAMETERS: ReadonlySet<string> = new Set([
  ...['interaction', 'code', 'refresh_token', 'token', 'access_token', 'id_token_hint'],
  ...['state', 'nonce', 'code_challenge', 'code_verifier'],
]);
const ISSUED_LOCATION_PARAMETERS = ['code', 'id_token', 'interaction'];
const ISSUED_MEMBERS = ['access_token', 'refresh_token', 'id_token'];

export function observe(exchange: Exchange, parameters: ExchangeParameters, clients: ClientStore): Observation {
  const { http, originalResponse, refusal } = exchange;
  const isAuthorization = isAuthorizationRequest(http);
  return {
    authorizationFingerprint: isAuthorization ? fingerprint(`${http.search}?${http.body}`) : undefined,
    requestFingerprints: requestFingerprints(http, parameters),
    lengths: isAuthorization ? lengthsOf(parameters) : NO_MEMBERS,
    responseFingerprints: responseFingerprints(http, originalResponse, parameters),
    isBasicUnencoded: isBasicUnencoded(http, originalResponse, clients),
    isOfBrowser: refusal?.rule === 'path-known' && isOfBrowser(http),
    monotonicMs: Math.round(process.uptime() * 1000),
  };
}

/** Paths that browsers request at every origin, not always with `Sec-Fetch-Dest`. */
const BROWSER_PATHS =
  /^\/(favicon\.ico|robots\.txt|apple-touch-icon[\w-]*\.png|sw\.js|service-worker\.js|\.well-known\/(appspecific\/.*|change-password|resource-that-should-not-exist-.*|passkey-endpoints|traffic-advice))$/;
/** The values of `Sec-Fetch-Dest` that the redirects and frames of a client have. */
const CLIENT_DESTINATIONS: ReadonlySet<unknown> = new Set([undefined, 'document', 'iframe', 'frame']);
/** The values of `Sec-Fetch-Site` for what the pages of a client embed and fetch. */
const CLIENT_SITES: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);

function isOfBrowser({ method, path, headers }: MockRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { 'sec-fetch-dest': destination, 'sec-fetch-site': site } = headers;
  return BROWSER_PATHS.test(path) || (!CLIENT_DESTINATIONS.has(destination) && !CLIENT_SITES.has(site));
}

function isAuthorizationRequest({ path, method }: MockRequest): boolean {
  return path === PATHS.authorize && (method === 'GET' || method === 'POST');
}

function requestFingerprints(http: MockRequest, { query, form }: ExchangeParameters): Fingerprints {
  const { bearer } = http;
  if (bearer === undefined && query.size === 0 && form.size === 0) return NO_MEMBERS;
  const fingerprints: Record<string, number> = {};
  for (const parameters of [query, form]) {
    for (const [name, value] of parameters) {
      if (value !== '' && OBSERVED_PARAMETERS.has(name)) fingerprints[name] = fingerprint(value);
    }
  }
  if (typeof bearer === 'object') fingerprints.access_token = fingerprint(bearer.token);
  return fingerprints;
}

function lengthsOf({ query, form }: ExchangeParameters): Observation['lengths'] {
  const lengthOf = (name: string) => (query.get(name) ?? form.get(name) ?? '').length;
  return { state: lengthOf('state'), nonce: lengthOf('nonce') };
}

/** @returns the fingerprints of the tokens in the original response: tokens whose response was lost belong to their login too. */
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

/** The form-url-encoded characters, and the ones that encodeURIComponent leaves unchanged. */
const ENCODED = /^(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2})*$/;

/**
 * Checks for credentials that are not form-url-encoded (RFC 6749 section 2.3.1). A secret with a plus or a percent sign also
 * matches {@link ENCODED} when it is not encoded. Then the decoded secret is wrong, and the secret as sent is correct.
 */
function isBasicUnencoded({ basic }: MockRequest, { status }: ProviderResponse, clients: ClientStore): boolean {
  if (typeof basic !== 'object') return false;
  const { id, secret } = basic;
  return !ENCODED.test(id) || !ENCODED.test(secret) || (status === 401 && clients.get(id)?.hasSecret(secret) === true);
}
