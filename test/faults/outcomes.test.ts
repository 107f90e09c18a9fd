import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { FAULTS, type FaultName, type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../integration/site.js';
import type { Outcome } from './outcome.js';
import { OUTCOMES } from './outcomes.js';
import { canSignInAgain, play, SIGNING_IN, tryAgain } from './scenes.js';

let usual: MockProvider;
/** Says in every redirect who it is (RFC 9207). */
let withIss: MockProvider;
beforeAll(async () => {
  usual = await startMockProvider();
  withIss = await startMockProvider({ issParameter: true });
});
afterEach(() => {
  usual.reset();
  withIss.reset();
});
afterAll(() => Promise.all([usual.stop(), withIss.stop()]));

const rows = Object.entries(OUTCOMES) as [FaultName, readonly Outcome[]][];

function nameOf(outcome: Outcome): string {
  const { attack, scene, flow, options, status, code, isSignedIn } = outcome;
  const where = [scene, flow, options?.endpoint, options?.grantType].filter(Boolean).join(', ');
  const what = [status, code, isSignedIn ? 'signed in' : 'nobody is signed in'].filter(Boolean).join(', ');
  return `${attack ? `${attack}: ` : ''}${where}: ${what}`;
}

test('there is an outcome for each fault of the catalogue', () => {
  expect(Object.keys(FAULTS).filter((name) => !Object.hasOwn(OUTCOMES, name))).toEqual([]);
});

describe.each(rows)('%s', (fault, outcomes) => {
  test.each(outcomes.map((outcome) => [nameOf(outcome), outcome] as const))('%s', async (_name, outcome) => {
    const provider = fault === 'missingIssParameter' ? withIss : usual;
    const { scene, status, code, isSignedIn, isRevoked = false, isAsked = true, afterwards = 200, recovers } = outcome;
    const { site, page, ...seen } = await play(provider, { fault, ...outcome });
    expect(seen).toEqual({ status, code, isSignedIn, isRevoked, hasStruck: isAsked });
    expect(page).not.toMatch(/eyJ|RS256|at .+:\d+:\d+/);
    if (status >= 400 && SIGNING_IN.includes(scene)) {
      expect(page).toContain('href="/auth/login'); // a way on
      if (status !== 403) expect(page).toContain(code);
    }
    if (status >= 500 && ['refresh', 'profile', 'colleagues'].includes(scene)) {
      expect(page).toBe(status === 503 ? 'try again' : 'over'); // error.retryable
    }
    if (recovers) provider.clock.advance(recovers);
    if (isSignedIn && !SIGNING_IN.includes(scene)) expect(await tryAgain(site, scene)).toBe(afterwards);
    expect(await canSignInAgain(site, provider)).toBe(true);
  });
});

const refusals = rows.flatMap(([fault, outcomes]) => {
  const { code } =
    outcomes.find(({ scene, status, ...more }) => scene === 'sign-in' && status === 502 && !more.loginPath) ?? {};
  return FAULTS[fault].kind === 'idToken' && code ? [[fault, code] as const] : [];
});

test.each(refusals)('%s: a site with onError hears %s, and nobody is signed in', async (fault, code) => {
  const heard: string[] = [];
  const { app } = siteFor(usual, {
    onError: (error, _req, res) => {
      heard.push(error.code);
      res.status(error.status).send('our own page');
    },
  });
  const agent = supertest.agent(app);
  usual.faults.next(fault);
  expect(await signIn(agent, usual, { as: 'verified' })).toMatchObject({ status: 502, text: 'our own page' });
  expect(heard).toEqual([code]);
  await agent.get('/me').expect(401);
});
