import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { sameOriginForm, signedInAt, siteFor } from '../integration/site.js';

// What the service spec requires of a client, in addition to test/integration/login-paths.test.ts.

const FLOWS = ['openid', 'profile'] as const;

test('both flows use the same endpoints', async () => {
  const pathsOf = async (flow: (typeof FLOWS)[number]): Promise<string[]> => {
    provider.reset();
    await signedInAt(siteFor(provider, { flow }).app, provider);
    return provider.requests.map(({ path }) => path).filter((path) => /^\/(oauth|api)\//.test(path));
  };
  const paths = await pathsOf('profile');
  expect(paths).toEqual(expect.arrayContaining(['/oauth/authorize', '/oauth/token', '/api/v1/users/current']));
  expect(await pathsOf('openid')).toEqual(paths);
});

test.each(FLOWS)('token and revocation requests are forms in UTF-8, in the %s flow', async (flow) => {
  const types: Record<string, unknown> = {};
  const recording: typeof fetch = (url, init) => {
    if (init?.method === 'POST') types[new URL(String(url)).pathname] = new Headers(init.headers).get('content-type');
    return fetch(url, { ...init, redirect: 'manual' });
  };
  const agent = await signedInAt(siteFor(provider, { flow, fetch: recording as never }).app, provider);
  await agent.post('/auth/logout').set(sameOriginForm);
  const form = expect.stringMatching(/^application\/x-www-form-urlencoded; ?charset=UTF-8$/i);
  expect(types).toEqual({ '/oauth/token': form, '/oauth/revoke': form });
});

test.each(FLOWS)(
  'the redirect_uri of the authorization request is sent with the code, in the %s flow',
  async (flow) => {
    await signedInAt(siteFor(provider, { flow }).app, provider);
    const [asked, redeemed] = ['/oauth/authorize', '/oauth/token'].map((sent) =>
      provider.requests.find(({ path }) => path === sent),
    );
    expect(asked?.query.redirect_uri).toBe('http://127.0.0.1:3000/auth/callback');
    expect(redeemed?.form.redirect_uri).toBe(asked?.query.redirect_uri);
  },
);

test.each(FLOWS)('an email address that the user did not approve is not granted, in the %s flow', async (flow) => {
  const { app, clinician } = siteFor(provider, { flow, clock: provider.clock });
  app.get('/email', clinician.requireScope('email'), (_req, res) => void res.send('email'));
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified', approve: flow === 'openid' ? ['openid', 'basic'] : ['basic'] });
  // A refresh changes nothing.
  for (const passed of ['0s', '2 hours'] as const) {
    provider.clock.advance(passed);
    const { body } = await agent.get('/profile').expect(200);
    expect(body).toMatchObject({ firstName: 'Vera' });
    expect(body).not.toHaveProperty('email');
    await agent.get('/email').expect(403);
  }
});

test('a site requests the scope openid only, and no profile, by default', async () => {
  await signedInAt(siteFor(provider, { scope: undefined as never }).app, provider);
  expect(provider.requests.find(({ path }) => path === '/oauth/authorize')?.query.scope).toBe('openid');
  expect(provider.requests.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
});
