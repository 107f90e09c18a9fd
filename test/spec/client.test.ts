import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { type SiteOptions, sameOriginForm, siteFor } from '../integration/site.js';

// What the service spec requires of a client, as a site with the drop-in sends it: see docs/service-rules.md.

const FLOWS = ['openid', 'profile'] as const;

async function signedIn(options: SiteOptions = {}) {
  const site = siteFor(provider, options);
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  return { ...site, agent };
}

describe('a site', () => {
  test('uses the same endpoints in both flows', async () => {
    const pathsOf = async (flow: (typeof FLOWS)[number]): Promise<string[]> => {
      provider.reset();
      await signedIn({ flow });
      return provider.requests.map(({ path }) => path).filter((path) => /^\/(oauth|api)\//.test(path));
    };
    const paths = await pathsOf('profile');
    expect(paths).toEqual(expect.arrayContaining(['/oauth/authorize', '/oauth/token', '/api/v1/users/current']));
    expect(await pathsOf('openid')).toEqual(paths);
  });

  test('redirects the browser to the authorization endpoint', async () => {
    const response = await supertest(siteFor(provider).app).get('/auth/login').expect(302);
    expect(response.headers.location).toMatch(`${provider.issuer}/oauth/authorize?`);
  });

  test('sends token and revocation requests as forms in UTF-8', async () => {
    const types = new Map<string, unknown>();
    const recording: typeof fetch = (url, init) => {
      if (init?.method === 'POST')
        types.set(new URL(String(url)).pathname, new Headers(init.headers).get('content-type'));
      return fetch(url, { ...init, redirect: 'manual' });
    };
    for (const flow of FLOWS) {
      types.clear();
      const { agent } = await signedIn({ flow, fetch: recording as never });
      await agent.post('/auth/logout').set(sameOriginForm);
      const form = expect.stringMatching(/^application\/x-www-form-urlencoded; ?charset=UTF-8$/i);
      expect(Object.fromEntries(types)).toEqual({ '/oauth/token': form, '/oauth/revoke': form });
    }
  });

  test('sends the redirect_uri of the authorization request with the code', async () => {
    for (const flow of FLOWS) {
      await signedIn({ flow });
      const [asked, redeemed] = ['/oauth/authorize', '/oauth/token'].map((sent) =>
        provider.requests.find(({ path }) => path === sent),
      );
      expect(asked?.query.redirect_uri).toBe('http://127.0.0.1:3000/auth/callback');
      expect(redeemed?.form.redirect_uri).toBe(asked?.query.redirect_uri);
      provider.reset();
    }
  });

  test('requests the scope openid only, and no profile, by default', async () => {
    await signedIn({ scope: undefined as never });
    expect(provider.requests.find(({ path }) => path === '/oauth/authorize')?.query.scope).toBe('openid');
    expect(provider.requests.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
  });

  test.each(FLOWS)('has no e-mail address that the user did not approve, in the %s flow', async (flow) => {
    const agent = supertest.agent(siteFor(provider, { flow }).app);
    const { location } = (await agent.get('/auth/login').expect(302)).headers;
    const approve = flow === 'openid' ? ['openid', 'basic'] : ['basic'];
    const callback = new URL(await provider.signIn(location as string, { as: 'verified', approve }));
    await agent.get(callback.pathname + callback.search).expect(302);
    const { body } = await agent.get('/profile').expect(200);
    expect(body).toMatchObject({ firstName: 'Vera' });
    expect(body).not.toHaveProperty('email');
  });
});

test('a profile is stored only after the user agreed', async () => {
  const { clinician } = siteFor(provider);
  const profile = { id: '7', firstName: 'Vera', verified: true, raw: {} } as never;
  await expect(clinician.profiles.save('user', profile)).rejects.toMatchObject({ code: 'profile_agreement_missing' });
  await clinician.profiles.recordAgreement('user', 'This site may store my profile.');
  await clinician.profiles.save('user', profile);
  expect(await clinician.profiles.get('user')).toMatchObject({ profile: { firstName: 'Vera' } });
});
