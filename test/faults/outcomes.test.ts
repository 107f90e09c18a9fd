import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  FAULTS,
  type FaultName,
  type FlowName,
  type MockProvider,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';
import type { FaultySite } from './faulty-site.js';
import { type Outcome, SIGN_IN_SCENARIOS } from './outcome.js';
import { OUTCOMES } from './outcomes.js';
import { canSignInAgain, repeat, runScenario } from './scenarios.js';

let usual: MockProvider;
/** Sends iss in every authorization response (RFC 9207). */
let withIss: MockProvider;
beforeAll(async () => {
  usual = await startMockProvider();
  withIss = await startMockProvider({ issParameter: true });
});
afterAll(() => Promise.all([usual.stop(), withIss.stop()]));

const rows = Object.entries(OUTCOMES) as [FaultName, readonly Outcome[]][];

function titleOf({ scenario, flow, options, status, code, isSignedIn }: Outcome): string {
  const condition = [scenario, flow, options?.endpoint, options?.grantType].filter(Boolean).join(', ');
  const result = [status, code, isSignedIn ? 'signed in' : 'not signed in'].filter(Boolean).join(', ');
  return `${condition}: ${result}`;
}

test('each fault of the catalogue has an outcome', () => {
  const missing = Object.keys(FAULTS).filter((name) => !Object.hasOwn(OUTCOMES, name));
  expect(missing.map((name) => `fault ${name} has no entry in test/faults/outcomes.ts`)).toEqual([]);
});

describe.each(rows)('%s', (fault, outcomes) => {
  /** The site of the latest outcome with a signed-in user, by flow: its user is signed in again. */
  const sites = new Map<FlowName, FaultySite>();
  afterAll(() => {
    usual.reset();
    withIss.reset();
  });

  test.each(outcomes.map((outcome) => [titleOf(outcome), outcome] as const))('%s', async (_title, outcome) => {
    const provider = fault === 'missingIssParameter' ? withIss : usual;
    const { scenario, flow, status, code, isSignedIn, isRevoked = false, isRequested = true } = outcome;
    const signedIn = sites.get(flow);
    sites.delete(flow);
    const { site, page, ...result } = await runScenario(provider, { fault, ...outcome }, signedIn);
    expect(result).toEqual({ status, code, isSignedIn, isRevoked, isApplied: isRequested });
    expect(page).not.toMatch(/eyJ|^\s*at .+:\d+:\d+/m);
    // The part for developers, which is not shown in production, has the message.
    expect(page.split('<summary>For developers</summary>')[0]).not.toContain('RS256');
    const isSignIn = SIGN_IN_SCENARIOS.includes(scenario);
    if (status >= 400 && isSignIn) {
      expect(page).toContain('href="/auth/login');
      if (status !== 403) expect(page).toContain(code);
    }
    if (status >= 500 && ['refresh', 'profile', 'colleagues'].includes(scenario)) {
      expect(page).toBe(status === 503 ? 'retryable' : 'not retryable');
    }
    if (outcome.recovers) provider.clock.advance(outcome.recovers);
    const { afterwards = 200 } = outcome;
    if (isSignedIn && !isSignIn) expect(await repeat(site, scenario)).toBe(afterwards);
    if (isSignIn || !isSignedIn || afterwards !== 200) expect(await canSignInAgain(site, provider)).toBe(true);
    // A revocation that has failed is repeated, which is not a request of the next outcome.
    if (isSignIn || scenario === 'logout') await site.clinician.close();
    else sites.set(flow, site);
  });
});
