import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';

test('the profile flow without scope basic, which identifies the user, does not start', () => {
  expect(() => siteFor(provider, { flow: 'profile', scope: 'colleagues' })).toThrow(/must have 'basic'/);
});

test('a service that grants less than scope basic in the profile flow signs no user in', async () => {
  const narrowing: typeof fetch = async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (!String(url).endsWith('/oauth/token')) return response;
    return Response.json({ ...((await response.json()) as object), scope: 'colleagues' }, response);
  };
  const site = siteFor(provider, { flow: 'profile', fetch: narrowing as never });
  const agent = supertest.agent(site.app);
  const page = await signIn(agent, provider, { as: 'verified' });
  expect(page).toMatchObject({ status: 403, text: expect.stringContaining('scope_missing') });
  await agent.get('/me').expect(401);
});
