import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteOf } from '../integration/login-paths.js';
import { logoutURLOf, navigation, type SiteOptions, sameOriginForm, siteFor } from '../integration/site.js';

// What the service spec requires of a client.

const FLOWS = ['openid', 'profile'] as const;
const PATHS = ['drop-in', 'Passport last'] as const;

describe.each(PATHS)('a site that signs in by: %s', (path) => {
  async function signedIn(options: SiteOptions = {}, as = 'verified') {
    const tokenStore = new MemoryTokenStore();
    const site = siteOf(provider, path, { tokenStore, ...options });
    const agent = supertest.agent(site.app);
    const page = await signIn(agent, provider, { as, loginPath: '/auth/login?returnTo=/me' });
    return { ...site, agent, page, tokenStore };
  }

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
    const response = await supertest(siteOf(provider, path).app).get('/auth/login').expect(302);
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

  test.each(FLOWS)('identifies the user in the %s flow, who is verified by the profile', async (flow) => {
    const { sub, id } = provider.clinicians.get('verified');
    const { body } = (await signedIn({ flow })).page;
    expect(body).toMatchObject({ identity: { id: flow === 'openid' ? sub : String(id) }, verified: true });
  });

  test.each(FLOWS)('signs no user in who does not approve, in the %s flow', async (flow) => {
    const agent = supertest.agent(siteOf(provider, path, { flow }).app);
    const { location } = (await agent.get('/auth/login').expect(302)).headers;
    const callback = new URL(await provider.signIn(location as string, { as: 'verified', deny: true }));
    expect([401, 403]).toContain((await agent.get(callback.pathname + callback.search)).status);
    await agent.get('/me').expect(401);
    expect(provider.requests.filter(({ path: sent }) => sent === '/oauth/token')).toEqual([]);
  });

  test('accepts a response only once, and with the state of this browser', async () => {
    const { app } = siteOf(provider, path);
    const attacker = supertest.agent(app);
    const victim = supertest.agent(app);
    const { location } = (await attacker.get('/auth/login').expect(302)).headers;
    const { pathname, search } = new URL(await provider.signIn(location as string, { as: 'hostile' }));
    await victim.get('/auth/login').expect(302);
    await victim.get(pathname + search).expect(403);
    await victim.get('/me').expect(401);
    await attacker.get(pathname + search).expect(302);
    await attacker.get(pathname + search);
    expect(provider.requests.filter(({ path: sent }) => sent === '/oauth/token')).toHaveLength(1);
  });

  test('signs no user in with an ID Token whose signature is forged', async () => {
    provider.faults.next('badSignature');
    const agent = supertest.agent(siteOf(provider, path, { onEvent: () => undefined }).app);
    const { status } = await signIn(agent, provider, { as: 'verified' });
    expect([500, 502]).toContain(status);
    await agent.get('/me').expect(401);
  });

  test('signs out at the service with the ID Token and state, and returns to the registered address', async () => {
    const { app, agent } = await signedIn();
    const url = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    const { id_token_hint: hint, post_logout_redirect_uri: uri, state } = Object.fromEntries(url.searchParams);
    expect([hint, uri]).toEqual([expect.stringMatching(/^ey/), 'http://127.0.0.1:3000/auth/logged-out']);
    const { status, headers } = await fetch(url, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, `${uri}?state=${encodeURIComponent(state as string)}`]);
    const other = await supertest(app).get(`/auth/logged-out?state=${state}`).set(navigation);
    const page = await agent.get(`/auth/logged-out?state=${state}`).set(navigation).expect(200);
    expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
    expect(other.text).not.toContain('and of the sign-in service.');
  });

  test.each(FLOWS)('stores the user id and sealed tokens only, in the %s flow', async (flow) => {
    const issued: string[] = [];
    const recording: typeof fetch = async (url, init) => {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      if (!String(url).endsWith('/oauth/token')) return response;
      const tokens = (await response.clone().json()) as Record<string, string>;
      issued.push(...['access_token', 'refresh_token', 'id_token'].flatMap((name) => tokens[name] ?? []));
      return response;
    };
    const { sessions, tokenStore } = await signedIn({ flow, fetch: recording as never });
    const { sub, id, npi, lastName } = provider.clinicians.get('verified');
    const [grantID] = await tokenStore.grantsOf(flow === 'openid' ? sub : String(id));
    const record = await tokenStore.get(grantID as string);
    const stored = JSON.stringify([sessions, record]);
    expect([record !== undefined, issued.length]).toEqual([true, flow === 'openid' ? 3 : 2]);
    for (const value of [...issued, String(npi), lastName as string]) expect(stored).not.toContain(value);
  });

  test.each(FLOWS)('allows a pending clinician after the verification, in the %s flow', async (flow) => {
    const { agent } = await signedIn({ flow }, 'pending');
    await agent.get('/notes').expect(403);
    provider.clinicians.update('pending', { verified: true });
    await agent.get('/notes').expect(200);
  });

  test.each(FLOWS)('has no email address that the user did not approve, in the %s flow', async (flow) => {
    const agent = supertest.agent(siteOf(provider, path, { flow }).app);
    const { location } = (await agent.get('/auth/login').expect(302)).headers;
    const approve = flow === 'openid' ? ['openid', 'basic'] : ['basic'];
    const callback = new URL(await provider.signIn(location as string, { as: 'verified', approve }));
    await agent.get(callback.pathname + callback.search).expect(302);
    const { body } = await agent.get('/profile').expect(200);
    expect(body).toMatchObject({ firstName: 'Vera' });
    expect(body).not.toHaveProperty('email');
  });
});

test('a site requests the scope openid only, and no profile, by default', async () => {
  await signIn(supertest.agent(siteFor(provider, { scope: undefined as never }).app), provider, { as: 'verified' });
  expect(provider.requests.find(({ path }) => path === '/oauth/authorize')?.query.scope).toBe('openid');
  expect(provider.requests.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
});
