import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { clinicianLogin, type LoginOptions, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteOf } from './login-paths.js';
import { loginOptions, navigation, signedInAt, siteFor } from './site.js';

type Agent = ReturnType<typeof supertest.agent>;

/** The path with the routes of this package, and one through Passport. */
const PATHS = ['drop-in', 'Passport last'] as const;

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;
const parametersOf = (location: unknown) => Object.fromEntries(new URL(location as string).searchParams);

describe.each(PATHS)('on a site that signs in by: %s', (path) => {
  /** A site with a page that needs a recent login, and one that starts a login, and a browser that is signed in there. */
  async function signedIn(options: LoginOptions = {}, settings: Parameters<typeof siteOf>[2] = {}) {
    const tokenStore = new MemoryTokenStore();
    const clock = provider.clock;
    const scopes = { scope: 'openid basic', optionalScope: 'colleagues email' };
    const site = siteOf(provider, path, { tokenStore, clock, onEvent: () => undefined, ...scopes, ...settings });
    site.app.get(
      '/delete',
      site.clinician.requireRecentLogin({ maxAge: 60_000 }),
      (_req, res) => void res.send('deleted'),
    );
    site.app.get('/more', async (req, res) => {
      await site.clinician.login(req, res, options).catch(({ code }) => void res.status(500).json({ code }));
    });
    const agent = await signedInAt(site.app, provider);
    return { ...site, agent, tokenStore };
  }

  describe('requireRecentLogin()', () => {
    test('lets a recent login pass, and leads a later one to the password and back', async () => {
      const { agent, tokenStore } = await signedIn();
      await agent.get('/delete').expect(200, 'deleted');
      provider.clock.advance('3 minutes');
      expect((await agent.get('/delete').expect(401)).body).toMatchObject({ code: 'recent_login_required' });
      const { headers } = await agent.get('/delete').set(navigation).expect(302);
      expect(headers.location).toBe('/auth/login?returnTo=%2Fdelete&prompt=login&maxAge=60000');
      const login = await agent.get(headers.location as string).expect(302);
      expect(parametersOf(login.headers.location)).toMatchObject({ prompt: 'login', max_age: '60' });
      const page = await signIn(agent, provider, { as: 'verified', loginPath: headers.location as string });
      expect(page.text).toBe('deleted');
      expect([revocations(), tokenStore.size]).toEqual([1, 1]);
    });

    test('is not passed by a login without the password, and does not redirect in a loop', async () => {
      const { agent } = await signedIn();
      provider.clock.advance('3 minutes');
      await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login' });
      const page = await agent.get('/delete').set(navigation).expect(401);
      expect(page.text).toContain('or this page needs a recent one');
      expect(page.text).toContain('href="/auth/login?returnTo=%2Fdelete&amp;prompt=login&amp;maxAge=60000"');
    });

    test('is not passed by a login whose ID Token has no auth_time', async () => {
      provider.faults.next('missingAuthTime');
      const { agent } = await signedIn();
      expect((await agent.get('/delete').expect(401)).body).toMatchObject({ code: 'recent_login_required' });
      await agent.get('/me').expect(200);
    });

    test('is not passed when the browser removes prompt and max_age from the request', async () => {
      const { agent, tokenStore } = await signedIn();
      provider.clock.advance('3 minutes');
      const { headers } = await agent.get('/auth/login?prompt=login&maxAge=60000').expect(302);
      const url = new URL(headers.location as string);
      url.searchParams.delete('prompt');
      url.searchParams.delete('max_age');
      const back = new URL(await provider.signIn(url.href, { as: 'verified', browser: agent }));
      const response = await agent.get(back.pathname + back.search);
      expect(response.status).toBeGreaterThanOrEqual(400);
      await agent.get('/delete').expect(401);
      await agent.get('/me').expect(200);
      expect(tokenStore.size).toBe(1);
    });
  });

  describe('clinician.login()', () => {
    test('requests one more scope, which replaces the granted one, and revokes the tokens before', async () => {
      const { agent, tokenStore } = await signedIn({ scope: 'openid basic email', returnTo: '/me' });
      await agent.get('/email').expect(403);
      const page = await signIn(agent, provider, { as: 'verified', loginPath: '/more' });
      expect(page.body.scope).toEqual(['openid', 'basic', 'email']);
      await agent.get('/email').expect(200, 'email');
      expect([revocations(), tokenStore.size]).toEqual([1, 1]);
    });

    test('keeps the current login where the user denies the request', async () => {
      const { agent } = await signedIn({ scope: 'openid basic colleagues' });
      const { headers } = await agent.get('/more').expect(302);
      const denied = await provider.signIn(headers.location as string, { as: 'verified', deny: true, browser: agent });
      const back = new URL(denied);
      await agent.get(back.pathname + back.search).expect(403);
      expect((await agent.get('/me').expect(200)).body.scope).toEqual(['openid', 'basic']);
      expect(revocations()).toBe(0);
    });

    test('sends every option', async () => {
      const { agent } = await signedIn({ prompt: 'login consent', maxAge: 0, idTokenHint: 'a.b.c', display: 'page' });
      expect(parametersOf((await agent.get('/more').expect(302)).headers.location)).toMatchObject({
        ...{ prompt: 'login consent', max_age: '0', id_token_hint: 'a.b.c', display: 'page', scope: 'openid basic' },
      });
    });

    test.each(['', false])('returns to the front page if the request has %j as the path', async (returnTo) => {
      const { agent } = await signedIn({ returnTo: returnTo as string });
      const page = await signIn(agent, provider, { as: 'verified', loginPath: '/more' });
      expect(page.body).toEqual([true, expect.anything()]);
    });
  });
});

test('requireRecentLogin() throws in the profile flow, which cannot prove the time of the login', () => {
  const clinician = clinicianLogin(loginOptions(provider, { flow: 'profile' }));
  expect(() => clinician.requireRecentLogin()).toThrow('maxAge');
});

describe.each(PATHS)('a signed-in user on a site that signs in by: %s', (path) => {
  const fromOtherSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site' };

  /** Follows at most ten redirects, with the pages of the service. */
  async function follow(agent: Agent, start: string, headers: Record<string, string>) {
    let page = await agent.get(start).set(headers);
    for (let redirects = 0; page.status === 302; redirects += 1) {
      expect(redirects).toBeLessThan(10);
      const { location } = page.headers as { location: string };
      const isService = location.startsWith(provider.issuer);
      const next = isService ? new URL(await provider.signIn(location, { as: 'verified', browser: agent })) : undefined;
      page = await agent.get(next ? next.pathname + next.search : location).set(headers);
    }
    return page;
  }

  test.each([
    [fromOtherSite, ''],
    [navigation, ''],
    [{ ...navigation, 'Sec-Fetch-Site': 'same-site' }, '&n=1'],
    [{ ...navigation, 'Sec-Fetch-Site': 'none' }, '&maxAge=3600000'],
    [fromOtherSite, '&prompt=login'],
  ])('is shown a page where the site redirects to the sign-in: %j%s', async (headers, more) => {
    const { app } = siteOf(provider, path);
    app.get('/loop', (_req, res) => res.redirect(`/auth/login?returnTo=%2Floop${more}`));
    const agent = await signedInAt(app, provider);
    for (const _ of ['', 'again after a click']) {
      const page = await follow(agent, '/loop', headers);
      expect([page.status, page.text.includes('already finished')]).toEqual([200, true]);
    }
    await agent.get('/').expect(({ body }) => expect(body[0]).toBe(true));
  });

  if (!path.startsWith('Passport')) return;
  test.each(['/start', '/deep/../start', '/./START/', '/start?a=1#b'])(
    'is shown a page where a page of the site starts a login that returns to it: %s',
    async (returnTo) => {
      const { app } = siteOf(provider, path, { start: { returnTo } });
      const agent = supertest.agent(app);
      const page = await follow(agent, '/start', fromOtherSite);
      expect([page.status, page.text.includes('already finished')]).toEqual([200, true]);
    },
  );
});

/** Follows the redirects of the site. @returns the authorization request */
async function requestOf(agent: Agent, path: string, from = 'same-origin'): Promise<URL> {
  const { headers } = await agent
    .get(path)
    .set({ ...navigation, 'Sec-Fetch-Site': from })
    .expect(302);
  const location = headers.location as string;
  return location.startsWith('/') ? requestOf(agent, location, from) : new URL(location);
}

test.each<[string, string, boolean, { flow?: 'profile'; signedOut?: boolean; from?: string }]>([
  ['with the password', '/auth/login?prompt=login', true, {}],
  ['with a maximum age', '/auth/login?maxAge=60000', true, {}],
  ['of a guard', '/recent', true, {}],
  ['of a signed-out user', '/auth/login?prompt=login', false, { signedOut: true }],
  ['that may be of any user', '/auth/login', false, {}],
  ['that creates an account', '/auth/login?prompt=create%20login', false, {}],
  ['in the profile flow', '/auth/login?prompt=login', false, { flow: 'profile' }],
  ['that a page of another site starts', '/auth/login?prompt=login', false, { from: 'cross-site' }],
])('a login %s at %s names the user to the service: %s', async (_, path, isNamed, options) => {
  const { signedOut = false, from, ...others } = options;
  const { app, clinician } = siteFor(provider, { clock: provider.clock, ...others });
  if (path === '/recent') app.get(path, clinician.requireRecentLogin({ maxAge: 0 }));
  const agent = await signedInAt(app, provider);
  provider.clock.advance('10 minutes');
  const request = await requestOf(signedOut ? supertest.agent(app) : agent, path, from);
  expect(request.searchParams.has('id_token_hint')).toBe(isNamed);
});

test('a local user that Passport has signed in since gets no hint of the clinician', async () => {
  const { app, clinician } = siteOf(provider, 'Passport last');
  app.get('/local', (req, res, next) => {
    const user = { id: 'local' } as Express.User;
    req.logIn(user, { keepSessionInfo: true, session: true }, (error) => {
      if (error) return next(error);
      clinician.login(req, res, { prompt: 'login' }).catch(next);
    });
  });
  const request = await requestOf(await signedInAt(app, provider), '/local');
  expect(request.searchParams.has('id_token_hint')).toBe(false);
});
