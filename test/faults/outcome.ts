import type { FlowName } from '../../lib/mock-provider/mock-provider.js';
import type { FaultCase, Scenario } from './scenarios.js';

/** The expected result of one fault in one scenario. */
export interface Outcome extends Omit<FaultCase, 'fault'> {
  /** Of the last page. */
  status: number;
  /** The reported error code. @default none */
  code?: string;
  /** Whether the user is signed in afterwards. */
  isSignedIn: boolean;
  /** Whether tokens are revoked. @default false */
  isRevoked?: boolean;
  /** The status of the same request without the fault. @default 200 */
  afterwards?: number;
  /** False for a fault of something that the site does not request. @default true */
  isRequested?: boolean;
  /** The time after which the site works again. @default at once */
  recovers?: string;
}

/** Scenarios that start without a session. */
export const SIGN_IN_SCENARIOS: readonly Scenario[] = ['start', 'sign-in', 'twice'];

export const both: readonly FlowName[] = ['openid', 'profile'];
export const signIn: Pick<Outcome, 'scenario' | 'flow'> = { scenario: 'sign-in', flow: 'openid' };
export const works = { status: 200, isSignedIn: true };
export const failed = { status: 502, isSignedIn: false };
type More = Partial<Outcome>;

/** The sign-in fails, because the response of the service is invalid or forged. Its tokens are revoked. */
export const refused = (code: string, more: More = {}): Outcome[] => [
  { ...signIn, ...failed, isRevoked: true, code, ...more },
];
export const accepted = (more: More = {}): Outcome[] => [{ ...signIn, ...works, ...more }];
/** The site does not request what the fault changes, so the fault remains in the queue. */
export const notRequested = (): Outcome[] => [{ ...signIn, ...works, isRequested: false }];
export const inBoth = (outcome: Omit<Outcome, 'flow' | 'scenario'> & { scenario?: Scenario }): Outcome[] =>
  both.map((flow) => ({ scenario: 'sign-in', ...outcome, flow }));
export const malformedResponse = (): Outcome[] => inBoth({ ...failed, isRevoked: true, code: 'response_malformed' });

const TOKEN = '/oauth/token';
const REVOKE = '/oauth/revoke';
export const METADATA = '/.well-known/openid-configuration';
export const JWKS = '/.well-known/jwks.json';
const PROFILE = '/api/v1/users/current';
const COLLEAGUES = '/api/v1/colleagues';

/** Every request of a site to the service, with the error code for a response that is not valid JSON. */
export const REQUESTS: readonly (readonly [Scenario, FlowName, endpoint: string, malformed: string])[] = [
  ['start', 'openid', METADATA, 'response_malformed'],
  ['sign-in', 'openid', JWKS, 'response_malformed'],
  ...both.flatMap((flow) => [
    ['sign-in', flow, TOKEN, 'response_malformed'] as const,
    ['sign-in', flow, PROFILE, 'response_malformed'] as const,
    ['refresh', flow, TOKEN, 'response_malformed'] as const,
  ]),
  ['refresh', 'openid', METADATA, 'response_malformed'],
  ['refresh', 'openid', JWKS, 'response_malformed'],
  ['profile', 'openid', PROFILE, 'response_malformed'],
  ['verified', 'openid', PROFILE, 'response_malformed'],
  ['colleagues', 'openid', COLLEAGUES, 'response_malformed'],
];

export const reauthentication: More = { loginPath: '/auth/login?prompt=login' };
export const inProfile = { scenario: 'sign-in', flow: 'profile' } as const;
export const everyTime: More = { always: true };

/** The response to a refresh is refused, which ends the login. */
export const refusedRefresh = { status: 401, code: 'grant_ended', isSignedIn: false };

interface ExchangeOutcome extends Pick<Outcome, 'always' | 'options' | 'recovers'> {
  code?: string;
  status: number;
  /** True when the service processes the request: a refresh then rotates tokens that the site does not receive. */
  isProcessed?: boolean;
}

/** A sign-in in the `openid` flow does not depend on the profile. */
const isOptional = (scenario: Scenario, flow: FlowName, endpoint: string): boolean =>
  scenario === 'sign-in' && flow === 'openid' && endpoint === PROFILE;

/** The sign-in fails after the service has issued tokens. */
const isSignInWithTokens = (scenario: Scenario, endpoint: string): boolean =>
  scenario === 'sign-in' && (endpoint === PROFILE || endpoint === JWKS);

/** The profile cannot be read at the sign-in: it succeeds in the `openid` flow, and fails in the `profile` flow. */
export const withoutProfile = (code: string, status: number): Outcome[] => [
  { ...signIn, ...works, code },
  { ...inProfile, status, code, isSignedIn: false, isRevoked: true },
];

/** A fault of the exchange has the same outcome in every request, and ends no session. */
export function atEach(
  { code, status, isProcessed = false, options = {}, ...more }: ExchangeOutcome,
  requests: typeof REQUESTS = REQUESTS,
): Outcome[] {
  const isLost = (scenario: Scenario, endpoint: string) => isProcessed && scenario === 'refresh' && endpoint === TOKEN;
  return requests.map(([scenario, flow, endpoint, malformed]) => ({
    ...more,
    scenario,
    flow,
    options: { ...options, endpoint },
    status: isOptional(scenario, flow, endpoint) ? 200 : status,
    code: code ?? malformed,
    isSignedIn: (scenario !== 'sign-in' && scenario !== 'start') || isOptional(scenario, flow, endpoint),
    isRevoked: isSignInWithTokens(scenario, endpoint) && !isOptional(scenario, flow, endpoint),
    ...(isLost(scenario, endpoint) && (status === 502 ? refusedRefresh : { afterwards: 401 })),
  }));
}
/** A sign-out at the site does not wait for the service, and reports a revocation only if its repetitions fail too. */
export const atLogout: Outcome[] = both.map((flow) => ({
  scenario: 'logout',
  flow,
  options: { endpoint: REVOKE },
  status: 200,
  isSignedIn: false,
}));
const EVERYWHERE: More = { always: true, options: { endpoint: '*' } };

/** The whole service fails: no sign-in starts, no login ends, and a sign-out does not wait for the service. */
export const atEveryEndpoint = (code: string): Outcome[] => [
  { ...signIn, ...failed, scenario: 'start', status: 503, code, ...EVERYWHERE },
  ...(['refresh', 'profile', 'verified', 'colleagues'] as const).map((scenario): Outcome => {
    return { scenario, flow: 'openid', status: 503, code, isSignedIn: true, ...EVERYWHERE };
  }),
  { scenario: 'logout', flow: 'profile', ...works, isSignedIn: false, ...EVERYWHERE },
];
export const malformed = (more: More = {}): Outcome[] => atEach({ status: 502, isProcessed: true, ...more });
export const authorizationServer: typeof REQUESTS = REQUESTS.filter(([, , endpoint]) => !endpoint.startsWith('/api/'));
export const api: typeof REQUESTS = REQUESTS.filter(([, , endpoint]) => endpoint.startsWith('/api/'));
