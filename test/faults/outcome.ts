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
type More = Partial<Outcome>;

/** Scenarios that start without a session. */
export const SIGN_IN_SCENARIOS: readonly Scenario[] = ['start', 'sign-in', 'twice'];

export const both: readonly FlowName[] = ['openid', 'profile'];
export const signIn: Pick<Outcome, 'scenario' | 'flow'> = { scenario: 'sign-in', flow: 'openid' };
export const inProfile = { scenario: 'sign-in', flow: 'profile' } as const;
export const works = { status: 200, isSignedIn: true };
export const failed = { status: 502, isSignedIn: false };
export const reauthentication: More = { loginPath: '/auth/login?prompt=login' };

const TOKEN = '/oauth/token';
const METADATA = '/.well-known/openid-configuration';
const JWKS = '/.well-known/jwks.json';
const PROFILE = '/api/v1/users/current';

/** The requests of a site to the service: each endpoint once, and those of a sign-in apart from those of a signed-in user. */
const REQUESTS: readonly (readonly [Scenario, FlowName, endpoint: string])[] = [
  ['start', 'openid', METADATA],
  ['sign-in', 'openid', JWKS],
  ['sign-in', 'openid', TOKEN],
  ['sign-in', 'profile', PROFILE],
  ['refresh', 'openid', METADATA],
  ['refresh', 'openid', TOKEN],
  ['profile', 'openid', PROFILE],
  ['verified', 'openid', PROFILE],
  ['colleagues', 'openid', '/api/v1/colleagues'],
];

/** The sign-in fails, because the response of the service is invalid or forged. Its tokens are revoked. */
export const refused = (code: string, more: More = {}): Outcome[] => [
  { ...signIn, ...failed, isRevoked: true, code, ...more },
];
export const accepted = (more: More = {}): Outcome[] => [{ ...signIn, ...works, ...more }];
export const inBoth = (outcome: Omit<Outcome, 'flow' | 'scenario'> & { scenario?: Scenario }): Outcome[] =>
  both.map((flow) => ({ scenario: 'sign-in', ...outcome, flow }));
export const malformedResponse = (): Outcome[] => inBoth({ ...failed, isRevoked: true, code: 'response_malformed' });

/** The response to a refresh is refused, which ends the login. */
export const refusedRefresh = { status: 401, code: 'grant_ended', isSignedIn: false };
export const refreshRefused: Outcome = { scenario: 'refresh', flow: 'openid', ...refusedRefresh, isRevoked: true };

/** A refresh is not answered, and the user remains signed in. */
export const unansweredRefresh = (code: string, more: More = {}): Outcome => {
  const refresh = { scenario: 'refresh', flow: 'openid', options: { endpoint: TOKEN } } as const;
  return { ...refresh, status: 503, code, isSignedIn: true, ...more };
};
/** The service processes a refresh, and the site cannot read the response: the refresh token is used up. */
export const unreadable = (): Outcome[] => [unansweredRefresh('grant_ended', refusedRefresh)];

/** The profile cannot be read at the sign-in: it succeeds in the `openid` flow, and fails in the `profile` flow. */
export const withoutProfile = (code: string, status: number): Outcome[] => [
  { ...signIn, ...works, code },
  { ...inProfile, status, code, isSignedIn: false, isRevoked: true },
];

/** A failure has the same outcome in every request whose endpoint starts with a path, and ends no session. */
export const atEach = (outcome: Pick<Outcome, 'code' | 'status' | 'recovers'>, path = '/'): Outcome[] =>
  REQUESTS.filter(([, , endpoint]) => endpoint.startsWith(path)).map(([scenario, flow, endpoint]) => ({
    ...outcome,
    scenario,
    flow,
    options: { endpoint },
    isSignedIn: !SIGN_IN_SCENARIOS.includes(scenario),
    // The sign-in fails after the service has issued tokens.
    isRevoked: scenario === 'sign-in' && endpoint !== TOKEN,
  }));

/** A sign-out at the site does not wait for the service, and reports a revocation only if its repetitions fail too. */
export const atLogout: Outcome[] = both.map((flow) => ({
  scenario: 'logout',
  flow,
  options: { endpoint: '/oauth/revoke' },
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
