import { describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn, signOut, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';
import { site } from './sites.js';

/** Two people after each other at one agent, single sign-on between them, and out. */
async function comeAndGo(provider: MockProvider): Promise<void> {
  const agent = request.agent(site(provider));
  for (const as of ['verified', 'pending']) {
    await signIn(agent, provider, { as });
    await signIn(agent, provider, { as, loginPath: '/auth/login?prompt=none' });
    expect((await agent.get('/notes').expect(200)).body).toEqual({ verified: as });
  }
  await signOut(agent, provider);
  expect((await agent.get('/')).body).toEqual({ signedIn: false });
}

describe('the kit is the same', () => {
  test('in sandboxes of one provider at the same time, which share nobody', async () => {
    await withMockProvider(async (provider) => {
      const sandboxes = [provider.sandbox(), provider.sandbox(), provider.sandbox()];
      await Promise.all(sandboxes.map(comeAndGo));
      expect(sandboxes.map((sandbox) => sandbox.logins.length)).toEqual([4, 4, 4]);
      expect(provider.requests).toHaveLength(0);
    });
  });

  test('at a provider that speaks TLS', async () => {
    await withMockProvider({ https: true }, comeAndGo);
  });

  test('at two providers: an agent has a browser at each', async () => {
    const [first, second] = [await startMockProvider(), await startMockProvider()];
    try {
      await Promise.all([comeAndGo(first), comeAndGo(second)]);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});
