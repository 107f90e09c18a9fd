import { randomUUID } from 'node:crypto';
import type { FaultName, FaultOptions, FlowName, MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type FaultySite, faultySiteFor } from './faulty-site.js';
import { SIGN_IN_SCENARIOS } from './outcome.js';

/** What a user does while the fault applies. */
export type Scenario = 'start' | 'sign-in' | 'twice' | 'refresh' | 'profile' | 'verified' | 'colleagues' | 'logout';

/** Faults after which the site gets no response. */
const WITHOUT_RESPONSE: readonly FaultName[] = ['noResponse', 'stalledResponse'];

/** A fault, and the exchange that it applies to. */
export interface FaultCase {
  fault: FaultName;
  scenario: Scenario;
  flow: FlowName;
  options?: FaultOptions;
  always?: boolean;
  /** The path that starts the sign-in. */
  loginPath?: string;
}

export interface ScenarioResult {
  /** Of the last page. */
  status: number;
  /** The code that the site reported; the last one if there are several. */
  code: string | undefined;
  page: string;
  isSignedIn: boolean;
  /** True when tokens were revoked at the service. */
  isRevoked: boolean;
  isApplied: boolean;
  site: FaultySite;
}

interface Page {
  status: number;
  text: string;
}

const ORIGIN = 'http://127.0.0.1:3000';

const PATHS: Partial<Record<Scenario, string>> = {
  start: '/auth/login',
  refresh: '/profile',
  profile: '/profile',
  verified: '/notes',
  colleagues: '/colleagues',
};

function logIn({ agent }: FaultySite, provider: MockProvider, loginPath = '/auth/login'): Promise<Page> {
  return signIn(agent as never, provider, { as: 'verified', loginPath }) as Promise<Page>;
}

/** Loads the callback twice. @returns the second page */
async function callBackTwice({ agent }: FaultySite, provider: MockProvider): Promise<Page> {
  const redirect = await agent.get('/auth/login').redirects(0);
  const callback = new URL(await provider.signIn(redirect.headers.location as string, { as: 'verified' }));
  await agent.get(callback.pathname + callback.search).redirects(0);
  return agent.get(callback.pathname + callback.search).redirects(1);
}

/** Signs out at the site, and at the service where the site continues there. */
async function logOut({ agent }: FaultySite, provider: MockProvider): Promise<Page> {
  const script = { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' };
  const { body } = await agent.post('/auth/logout').set(script);
  let next = new URL(body.url, ORIGIN);
  const { headers } = await agent.get(body.url).redirects(0);
  if (headers.location?.startsWith(provider.issuer)) {
    next = new URL((await provider.fetch(headers.location)).headers.get('location') as string);
  }
  return agent.get(next.pathname + next.search).redirects(0);
}

function run(site: FaultySite, provider: MockProvider, { scenario, loginPath }: FaultCase): PromiseLike<Page> {
  if (scenario === 'sign-in') return logIn(site, provider, loginPath);
  if (scenario === 'twice') return callBackTwice(site, provider);
  if (scenario === 'logout') return logOut(site, provider);
  return site.agent.get(PATHS[scenario] as string).redirects(0);
}

export async function isSignedIn({ agent }: FaultySite): Promise<boolean> {
  return (await agent.get('/me').set('Accept', 'application/json')).status === 200;
}

/**
 * Runs a scenario with a fault.
 * @param signedIn a site where the user is signed in. Without it, and for a sign-in, a new site is created
 */
export async function runScenario(
  provider: MockProvider,
  faultCase: FaultCase,
  signedIn?: FaultySite,
): Promise<ScenarioResult> {
  const { fault, scenario, flow, options, always } = faultCase;
  const isSignIn = SIGN_IN_SCENARIOS.includes(scenario);
  const site = (isSignIn ? undefined : signedIn) ?? faultySiteFor(provider, flow);
  if (!isSignIn && site !== signedIn) await logIn(site, provider);
  // The access token expires, or the cached verification becomes too old.
  if (scenario === 'refresh') provider.clock.advance('2 hours');
  if (scenario === 'verified') provider.clock.advance('6 minutes');
  // A changed profile: the service sends it again instead of 304.
  if (PATHS[scenario] !== undefined) provider.clinicians.update('verified', { city: `City ${randomUUID()}` });
  site.reported();
  const before = provider.requests.length;

  provider.faults[always ? 'always' : 'next'](fault, options);
  const slowEndpoint = WITHOUT_RESPONSE.includes(fault) ? options?.endpoint : undefined;
  const { status, text: page } = await site.withShortTimeout(slowEndpoint, () => run(site, provider, faultCase));
  const isApplied = provider.faults.queued.length === 0 || always === true;
  provider.faults.clear();

  const requests = provider.requests.slice(before);
  const isRevoked = requests.some((request) => request.path === '/oauth/revoke' && request.status === 200);
  return { status, page, code: site.reported().at(-1), isSignedIn: await isSignedIn(site), isRevoked, isApplied, site };
}

/** Repeats a scenario without the fault. @returns the status of its page */
export async function repeat({ agent }: FaultySite, scenario: Scenario): Promise<number> {
  return (await agent.get(PATHS[scenario] as string).redirects(0)).status;
}

/** @returns true when the same browser can sign in afterwards. */
export async function canSignInAgain(site: FaultySite, provider: MockProvider): Promise<boolean> {
  await logIn(site, provider);
  return isSignedIn(site);
}
