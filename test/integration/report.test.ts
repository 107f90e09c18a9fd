import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const ownPage = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };

/** A whole life at a site: signs in, reads the profile twice, outlives the access token, reads colleagues, signs out. */
async function live(flow: 'openid' | 'profile', as: string): Promise<void> {
  const site = siteFor(provider, { flow, clock: provider.clock });
  const app = express().use(site.app);
  app.get('/colleagues', site.clinician.requireLogin(), async (req, res) => {
    const names: unknown[] = [];
    for await (const colleague of site.clinician.api(req).colleagues()) names.push(colleague.id);
    res.json(names);
  });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as });
  for (let turn = 0; turn < 2; turn += 1) await agent.get('/profile').expect(200);
  provider.clock.advance('2 hours');
  await agent.get('/profile').expect(200);
  await agent.get('/notes').expect(200);
  await agent.get('/colleagues').expect(200);
  const { headers } = await agent.post('/auth/logout').set(ownPage).expect(303);
  if (flow === 'openid') await fetch(headers.location as string, { redirect: 'manual' });
}

test('our own relying party has a clean report, over whole lives in both flows', async () => {
  await live('openid', 'verified');
  await live('profile', 'verified');
  await live('openid', 'connected');
  const report = provider.report();
  expect(String(report)).toContain('0 errors, 0 warnings');
  expect(report.findings).toEqual([]);
  expect(report.passed).toEqual(
    expect.arrayContaining([
      ...['state-reused', 'nonce-reused', 'pkce-reused', 'code-reused', 'refreshed-early', 'refresh-token-reused'],
      ...[
        'profile-unconditional',
        'colleagues-too-fast',
        'tokens-not-revoked',
        'logout-without-state',
        'keys-not-cached',
      ],
    ]),
  );
});
