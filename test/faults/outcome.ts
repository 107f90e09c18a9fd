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

/** The requests of a site to the service: each endpoint once, and those of a sign-in apart from those of a signed-in user. */
export const REQUESTS: readonly (readonly [Scenario, FlowName, endpoint: string])[] = [
  ['start', 'openid', METADATA],
  ['sign-in', 'openid', JWKS],
  ['sign-in', 'openid', TOKEN],
  ['sign-in', 'profile', PROFILE],
  ['refresh', 'openid', METADATA],
  ['refresh', 'openid', TOKEN],
  ['profile', 'openid', PROFILE],
  ['verified', 'openid', PROFILE],
  ['colleagues', 'openid', COLLEAGUES],
];

export const reauthentication: More = { loginPath: '/auth/login?prompt=login' };
export const inProfile = { scenario: 'sign-in', flow: 'profile' } as const;
export const everyTime: More = { always: true };

/** The response to a refresh is refused, which ends the login. */
export const refusedRefresh = { status: 401, code: 'grant_ended', isSignedIn: false };
export const refreshRefused: Outcome = { scenario: 'refresh', flow: 'openid', ...refusedRefresh, isRevoked: true };

interface ExchangeOutcome extends Pick<Outcome, 'always' | 'options' | 'recovers'> {
  code?: string;
  status: number;
  /** True when the service processes the request: a refresh then rotates tokens that the site does not receive. */
  isProcessed?: boolean;
}

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
  { code = 'response_malformed', status, isProcessed = false, options = {}, ...more }: ExchangeOutcome,
  requests: typeof REQUESTS = REQUESTS,
): Outcome[] {
  const isLost = (scenario: Scenario, endpoint: string) => isProcessed && scenario === 'refresh' && endpoint === TOKEN;
  return requests.map(([scenario, flow, endpoint]) => ({
    ...more,
    scenario,
    flow,
    options: { ...options, endpoint },
    status,
    code,
    isSignedIn: scenario !== 'sign-in' && scenario !== 'start',
    isRevoked: isSignInWithTokens(scenario, endpoint),
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
  { scenario: 'refresh', flow: 'openid', status: 503, code, isSignedIn: true, ...EVERYWHERE },
  { scenario: 'logout', flow: 'profile', ...works, isSignedIn: false, ...EVERYWHERE },
];
/** One request of each kind of document. */
const SOME: typeof REQUESTS = REQUESTS.filter(([scenario]) => ['start', 'refresh', 'colleagues'].includes(scenario));
export const atSome = (outcome: ExchangeOutcome): Outcome[] => atEach(outcome, SOME);
export const malformed = (): Outcome[] => atSome({ status: 502, isProcessed: true });
export const authorizationServer: typeof REQUESTS = REQUESTS.filter(([, , endpoint]) => !endpoint.startsWith('/api/'));
export const api: typeof REQUESTS = REQUESTS.filter(([, , endpoint]) => endpoint.startsWith('/api/'));
