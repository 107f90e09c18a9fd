import { resolveClientConfig } from '../../authorization-server/client-config.js';
import { flows } from '../../authorization-server/flows.js';
import { usableKeys } from '../../authorization-server/jwks.js';
import { specMetadata, validateMetadata } from '../../authorization-server/metadata.js';
import { systemClock } from '../../clock.js';
import { isClinicianError } from '../../errors.js';
import type { Fetch } from '../../http.js';
import { type CheckResult, ok, problem, skipped, warning } from './check-result.js';
import { type ServiceResponse, send } from './request.js';
import type { Settings } from './settings.js';

const METADATA_PATH = '/.well-known/openid-configuration';
/** As much as passport-clinician allows an ID Token's times to be off. */
const TOLERATED_MS = 60_000;
const NOTABLE_MS = 10_000;

/** The addresses of the service's endpoints. */
export type ServerMetadata = ReturnType<typeof specMetadata>;

/** What was found of the service, and its endpoints where they are known. */
export interface Service {
  readonly findings: readonly CheckResult[];
  readonly metadata: ServerMetadata | undefined;
}

/** Reads the metadata document as the site will, and looks at the clock of whoever sent it. */
export async function checkMetadata(settings: Settings, fetch: Fetch): Promise<Service> {
  const { issuer } = settings;
  const answer = await send(fetch, issuer.replace(/\/$/, '') + METADATA_PATH);
  if (typeof answer === 'string') {
    const fix = 'Compare CLINICIAN_ISSUER with what the service told you, and see whether this machine reaches it.';
    return { findings: [problem('metadata', answer, fix)], metadata: undefined };
  }
  const clock = checkClock(answer);
  if (!flows[settings.flow as 'openid'].discovery) {
    const used = ok('metadata', 'the profile flow uses the fixed paths below the issuer');
    return { findings: [used, clock], metadata: specMetadata(issuer) };
  }
  const { status, json } = answer;
  if (status !== 200 || json === undefined) {
    const fix = 'Compare CLINICIAN_ISSUER with what the service told you: the document stands below it.';
    const sentence = `${METADATA_PATH} came with status ${status}${status === 200 ? ' and is no JSON object' : ''}.`;
    return { findings: [problem('metadata', sentence, fix), clock], metadata: undefined };
  }
  return { ...readMetadata(settings, fetch, json, clock) };
}

function readMetadata(
  settings: Settings,
  fetch: Fetch,
  document: Record<string, unknown>,
  clock: CheckResult,
): Service {
  const { issuer, clientID, clientSecret, callbackURL, flow, allowedEndpointOrigins } = settings;
  try {
    const options = { issuer, clientID, clientSecret, redirectURI: callbackURL, flow: flow as 'openid' };
    const party = resolveClientConfig({ ...options, allowedEndpointOrigins, clock: systemClock, fetch });
    const metadata = validateMetadata(document, party);
    const found = ok(
      'metadata',
      `issuer equal letter by letter, every endpoint at ${party.endpointOrigins.join(' or ')}`,
    );
    return { findings: [found, ...whatIsMissing(document), clock], metadata };
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    const fix = 'Nobody can sign in like this. If the setting is right, tell whoever runs the service.';
    return { findings: [problem('metadata', error.message, fix), clock], metadata: undefined };
  }
}

/** What a document may leave out, or say, without being refused. */
function whatIsMissing(document: Record<string, unknown>): CheckResult[] {
  const lists = (name: string, word: string): boolean | undefined =>
    Array.isArray(document[name]) ? document[name].includes(word) : undefined;
  const tell = 'Tell whoever runs the service.';
  const findings: CheckResult[] = [];
  if (lists('id_token_signing_alg_values_supported', 'RS256') === false) {
    findings.push(
      problem('metadata', 'The service does not say that it signs ID Tokens with RS256, and no other will do.', tell),
    );
  }
  if (lists('token_endpoint_auth_methods_supported', 'client_secret_basic') === false) {
    findings.push(
      problem(
        'metadata',
        'The service does not say that it takes client_secret_basic, which the openid flow uses.',
        tell,
      ),
    );
  }
  if (lists('code_challenge_methods_supported', 'S256') === undefined) {
    findings.push(
      warning('metadata', 'The service does not say whether it supports PKCE; it is used all the same.', tell),
    );
  }
  if (document.end_session_endpoint === undefined) {
    findings.push(warning('metadata', 'There is no end_session_endpoint: signing out ends with this site.', tell));
  }
  return findings;
}

function checkClock({ headers, askedAt, answeredAt }: ServiceResponse): CheckResult {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return skipped('clock', 'the service sent no Date');
  const age = Number(headers.get('age') ?? 0) * 1000 || 0;
  // The header leaves out what is below a second.
  const off = (askedAt + answeredAt) / 2 - (date + age + 500);
  const seconds = Math.round(Math.abs(off) / 1000);
  const sentence = `The clocks of this machine and of the service differ by ${seconds} seconds.`;
  const fix = 'Let this machine keep its time by NTP.';
  if (Math.abs(off) > TOLERATED_MS) return problem('clock', `${sentence} ID Tokens are refused beyond 60.`, fix);
  return Math.abs(off) > NOTABLE_MS
    ? warning('clock', sentence, fix)
    : ok('clock', `less than ${seconds + 1} s from the service`);
}

export async function checkKeys({ flow }: Settings, { jwks_uri }: ServerMetadata, fetch: Fetch): Promise<CheckResult> {
  if (!flows[flow as 'openid'].expectsIDToken || jwks_uri === undefined) {
    return skipped('keys', `the ${flow} flow has no ID Token to check`);
  }
  const fix = 'Nobody can sign in until this is mended: tell whoever runs the service.';
  const answer = await send(fetch, jwks_uri);
  if (typeof answer === 'string') return problem('keys', answer, fix);
  const keys = usableKeys(answer.json ?? {});
  if (answer.status !== 200 || keys.length === 0) {
    return problem(
      'keys',
      `The document at jwks_uri (status ${answer.status}) holds no RSA key that RS256 can be checked with.`,
      fix,
    );
  }
  if (keys.length > 1 && keys.some(({ kid }) => kid === undefined)) {
    return warning(
      'keys',
      `Of ${keys.length} keys one has no kid, so it cannot be chosen.`,
      'Tell whoever runs the service.',
    );
  }
  return ok('keys', `${keys.length} usable`);
}

/** Without a token the resource API has one right answer, 401. */
export async function checkAPI({ apiURL }: Settings, fetch: Fetch): Promise<CheckResult> {
  if (apiURL === '') return skipped('api', 'CLINICIAN_API_URL is not set');
  const fix = 'Compare CLINICIAN_API_URL with what the service told you.';
  const answer = await send(fetch, `${apiURL.replace(/\/$/, '')}/api/v1/users/current`);
  if (typeof answer === 'string') return problem('api', answer, fix);
  if (answer.status === 401) return ok('api', 'it answers, and asks for a token');
  return warning('api', `Asked for a profile without a token, it answered ${answer.status} instead of 401.`, fix);
}
