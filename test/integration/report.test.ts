import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { logoutURLOf, sameOriginForm, signedInAt, siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ apiPort: 0 });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** Signs in, reads the profile twice, refreshes an expired access token, reads the colleagues and signs out. */
async function useSite(flow: 'openid' | 'profile', as: string): Promise<void> {
  const site = siteFor(provider, { flow, clock: provider.clock });
  const app = express().use(site.app);
  app.get('/colleagues', site.clinician.requireLogin(), async (req, res) => {
    const names: unknown[] = [];
    for await (const colleague of site.clinician.api(req).colleagues()) names.push(colleague.id);
    res.json(names);
  });
  const agent = await signedInAt(app, provider, as);
  for (let count = 0; count < 2; count += 1) await agent.get('/profile').expect(200);
  provider.clock.advance('2 hours');
  await agent.get('/profile').expect(200);
  await agent.get('/notes').expect(200);
  await agent.get('/colleagues').expect(200);
  const response = await agent.post('/auth/logout').set(sameOriginForm);
  if (flow === 'openid') await fetch(await logoutURLOf(agent, response), { redirect: 'manual' });
}

test('the report on this relying party has no findings in either flow', async () => {
  await useSite('openid', 'verified');
  await useSite('profile', 'verified');
  await useSite('openid', 'connected');
  const report = provider.report();
  expect(String(report)).toContain('0 errors, 0 warnings');
  expect(report.findings).toEqual([]);
  expect(report.passed).toEqual(
    expect.arrayContaining([
      ...[
        'credentials-out-of-place',
        'state-reused',
        'nonce-reused',
        'pkce-reused',
        'code-reused',
        'refresh-token-reused',
      ],
      ...['profile-unconditional', 'colleagues-too-fast', 'tokens-not-revoked', 'logout-without-state'],
    ]),
  );
});
