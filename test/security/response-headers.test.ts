import { afterAll, beforeAll, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { navigation, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

test('the start and the end of a login send no referrer, are not cached, and their pages are not framed', async () => {
  const { app } = siteFor(provider);
  for (const path of ['/auth/login', '/auth/callback?state=x']) {
    const { headers } = await supertest(app).get(path).set(navigation);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
  }
  const page = await supertest(app).get('/auth/callback?state=x').set(navigation);
  expect(page.headers['x-frame-options']).toBe('DENY');
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test('form-action allows the redirects of a logout: to the service, and to postLogoutRedirectURI', () => {
  const { clinician } = siteFor(provider, { postLogoutRedirectURI: 'https://bye.example/out' });
  const { directives } = clinician.helmet().contentSecurityPolicy;
  expect(directives['form-action']).toEqual(["'self'", provider.issuer, 'https://bye.example']);
});
