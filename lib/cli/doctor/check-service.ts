import { systemClock } from '../../async/clock.js';
import { resolveClientConfig } from '../../authorization-server/client-config.js';
import { flows, parseScope, unlistedScopeProblem } from '../../authorization-server/flows.js';
import { readKeys } from '../../authorization-server/jwks.js';
import { findRevocationEndpoint, readMetadata, specMetadata } from '../../authorization-server/metadata.js';
import { isClinicianError } from '../../errors/errors.js';
import type { Fetch, FetchResponse } from '../../http/http.js';
import { type CheckResult, ok, problem, skipped, warning } from './check-result.js';
import { send } from './request.js';
import type { Settings } from './settings.js';

/** The tolerance for the times of an ID Token. */
const MAX_DIFFERENCE_MS = 60_000;
const NOTABLE_DIFFERENCE_MS = 10_000;
const REPORT_TO_OPERATOR = 'Report it to the operator of the service.';

/** The URLs of the service's endpoints. */
export type ServerMetadata = ReturnType<typeof specMetadata>;

/** The headers of a response, with the times of request and response in milliseconds since the epoch. */
interface TimedResponse {
  readonly headers: FetchResponse['headers'];
  readonly requestedAt: number;
  readonly respondedAt: number;
}

/** The results of the checks, and the metadata if it is valid. */
interface Service {
  readonly results: readonly CheckResult[];
  readonly metadata: ServerMetadata | undefined;
}

/** Reads the metadata document as the site does, and checks the clock of the service. */
export async function checkMetadata(settings: Settings, fetch: Fetch): Promise<Service> {
  let latest: TimedResponse | undefined;
  const timedFetch: Fetch = async (url, init) => {
    const requestedAt = Date.now();
    const response = await fetch(url, init);
    latest = { headers: response.headers, requestedAt, respondedAt: Date.now() };
    return response;
  };
  const service = await checkDocument(settings, timedFetch);
  return latest === undefined ? service : { ...service, results: [...service.results, checkClock(latest)] };
}

async function checkDocument(settings: Settings, fetch: Fetch): Promise<Service> {
  const { issuer, clientID, clientSecret, callbackURL, flow, allowedEndpointOrigins } = settings;
  const options = { issuer, clientID, clientSecret, redirectURI: callbackURL, flow };
  try {
    const config = resolveClientConfig({ ...options, allowedEndpointOrigins, clock: systemClock, fetch });
    if (!config.discovery) {
      await fetch(issuer);
      const paths = ok('metadata', 'the profile flow uses fixed paths below the issuer');
      return { results: [paths], metadata: specMetadata(issuer) };
    }
    const found = await readMetadata(config);
    const { document, metadata } = found;
    const valid = ok('metadata', `the issuer matches, every endpoint is at ${config.endpointOrigins.join(' or ')}`);
    const revocation = checkRevocation(await findRevocationEndpoint(config, found));
    const scope = checkScope(settings, metadata);
    return { results: [valid, ...revocation, ...checkFeatures(document), ...scope], metadata };
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    const fix = `Sign-ins fail until this is fixed. Check CLINICIAN_ISSUER. If it is right: ${REPORT_TO_OPERATOR}`;
    return { results: [problem('metadata', error.message, fix)], metadata: undefined };
  }
}

function checkRevocation(endpoint: string | undefined): CheckResult[] {
  if (endpoint !== undefined) return [];
  const message =
    'The metadata has no revocation_endpoint: a sign-out erases the tokens at this site, and they expire at the service.';
  return [warning('metadata', message, REPORT_TO_OPERATOR)];
}

/** Checks the scopes that the metadata must list. */
function checkScope({ flow, scope }: Settings, metadata: ServerMetadata): CheckResult[] {
  const phrase = unlistedScopeProblem(flows[flow], parseScope(scope), metadata);
  return phrase === undefined ? [] : [problem('metadata', `CLINICIAN_SCOPE ${phrase}`, 'Set CLINICIAN_SCOPE.')];
}

/** Checks members that the metadata may leave out. */
function checkFeatures(document: Record<string, unknown>): CheckResult[] {
  const lists = (name: string, word: string): boolean | undefined =>
    Array.isArray(document[name]) ? document[name].includes(word) : undefined;
  const results: CheckResult[] = [];
  if (lists('id_token_signing_alg_values_supported', 'RS256') === false) {
    results.push(
      problem(
        'metadata',
        'The metadata does not list RS256, the only accepted signature of ID Tokens.',
        REPORT_TO_OPERATOR,
      ),
    );
  }
  if (lists('token_endpoint_auth_methods_supported', 'client_secret_basic') === false) {
    results.push(
      problem(
        'metadata',
        'The metadata does not list client_secret_basic, which the openid flow uses.',
        REPORT_TO_OPERATOR,
      ),
    );
  }
  if (lists('code_challenge_methods_supported', 'S256') === undefined) {
    results.push(
      warning('metadata', 'The metadata does not list PKCE with S256. The site still uses it.', REPORT_TO_OPERATOR),
    );
  }
  if (document.end_session_endpoint === undefined) {
    results.push(
      warning(
        'metadata',
        'The metadata has no end_session_endpoint: a sign-out ends only the session of this site.',
        REPORT_TO_OPERATOR,
      ),
    );
  }
  return results;
}

function checkClock({ headers, requestedAt, respondedAt }: TimedResponse): CheckResult {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return skipped('clock', 'the service sent no Date header');
  const age = Number(headers.get('age') ?? 0) * 1000 || 0;
  // The header has whole seconds: on average, it is half a second too early.
  const difference = Math.abs((requestedAt + respondedAt) / 2 - (date + age + 500));
  const seconds = Math.round(difference / 1000);
  const message = `The clocks of this machine and of the service differ by ${seconds} seconds.`;
  const fix = 'Synchronize the clock of this machine by NTP.';
  if (difference > MAX_DIFFERENCE_MS) return problem('clock', `${message} ID Tokens are rejected above 60.`, fix);
  return difference > NOTABLE_DIFFERENCE_MS
    ? warning('clock', message, fix)
    : ok('clock', `less than ${seconds + 1} s from the service`);
}

export async function checkKeys({ flow }: Settings, { jwks_uri }: ServerMetadata, fetch: Fetch): Promise<CheckResult> {
  if (!flows[flow].expectsIDToken || jwks_uri === undefined) {
    return skipped('keys', `the ${flow} flow has no ID Token`);
  }
  const fix = `Sign-ins fail until this is fixed. ${REPORT_TO_OPERATOR}`;
  const keys = await readKeys(fetch, jwks_uri).catch((error: unknown) => {
    if (isClinicianError(error)) return error.message;
    throw error;
  });
  if (typeof keys === 'string') return problem('keys', keys, fix);
  if (keys.length === 0) return problem('keys', 'The document at jwks_uri has no usable RSA key for RS256.', fix);
  if (keys.length > 1 && keys.some(({ kid }) => kid === undefined)) {
    return warning('keys', `One of ${keys.length} keys has no kid, so it cannot be selected.`, REPORT_TO_OPERATOR);
  }
  return ok('keys', `${keys.length} usable`);
}

/** Checks that the resource API responds 401 to a request without a token. */
export async function checkAPI({ apiURL }: Settings, fetch: Fetch): Promise<CheckResult> {
  if (apiURL === '') return skipped('api', 'CLINICIAN_API_URL is not set');
  const fix = 'Check CLINICIAN_API_URL.';
  const response = await send(fetch, `${apiURL.replace(/\/$/, '')}/api/v1/users/current`);
  if (typeof response === 'string') return problem('api', response, fix);
  if (response.status === 401) return ok('api', 'it responds, and requires a token');
  return warning('api', `A request without a token got status ${response.status} instead of 401.`, fix);
}
