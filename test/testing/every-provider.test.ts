import { describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn, signOut, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest/index.js';
import { site } from './sites.js';

/** Signs two users in one after the other with one agent, each also silently, and signs out. */
async function signInAndOut(provider: MockProvider): Promise<void> {
  const agent = request.agent(site(provider));
  for (const as of ['verified', 'pending']) {
    await signIn(agent, provider, { as });
    await signIn(agent, provider, { as, loginPath: '/auth/login?prompt=none' });
    expect((await agent.get('/notes').expect(200)).body).toEqual({ verified: as });
    await signOut(agent, provider);
  }
  expect((await agent.get('/')).body).toEqual({ signedIn: false });
}

describe('signIn and signOut work', () => {
  test('with a provider on https', async () => {
    await withMockProvider({ https: true }, signInAndOut);
  });

  test('with two providers at the same time', async () => {
    const [first, second] = [await startMockProvider(), await startMockProvider()];
    try {
      await Promise.all([signInAndOut(first), signInAndOut(second)]);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});
