import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { afterAll, beforeEach, test } from 'vitest';
import { site } from './site.js';

const provider = await startMockProvider();
beforeEach(({ onTestFailed }) => {
  provider.reset();
  onTestFailed(() => console.error(provider.problems, provider.trace()));
});
afterAll(() => provider.stop());

test('two browsers have separate sessions', async () => {
  const app = site(provider);
  const [first, second] = [request.agent(app), request.agent(app)];
  await signIn(first, provider, { as: 'verified' });
  await signIn(second, provider, { as: 'pending' });
  await first.get('/notes').expect(200);
  await second.get('/notes').expect(403);
});

test('the site also signs out at the service', async () => {
  const agent = request.agent(site(provider));
  await signIn(agent, provider, { as: 'verified' });
  await agent.post('/auth/logout').set({ 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' }).expect(200);
  await provider.requests.waitFor(({ path }) => path === '/oauth/revoke');
});
