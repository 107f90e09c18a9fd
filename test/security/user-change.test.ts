import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type AuthenticateOptions, type LoginOptions, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { LOGIN_PATHS, PASSPORT_PATHS, siteOf } from '../integration/login-paths.js';
import { navigation, sameOriginForm, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

type Agent = ReturnType<typeof supertest.agent>;

const crossSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site' };
const ownPage = { ...navigation, 'Sec-Fetch-Site': 'same-origin' };
const oldBrowser = { Accept: 'text/html' };
const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;
const idOf = (name: string) => provider.clinicians.get(name).sub;

/** Signs in at the service with a new browser there. @returns the path of the callback, not requested yet. */
async function callbackOf(location: unknown, as: string): Promise<string> {
  const back = new URL(await provider.signIn(location as string, { as }));
  return back.pathname + back.search;
}

/** Starts a login from a page of the site, which another user finishes. @returns the page that the browser ends on. */
async function finishAs(agent: Agent, as: string, loginPath = '/auth/login?returnTo=%2Fme') {
  const { headers } = await agent.get(loginPath).set(ownPage).expect(302);
  return finishAt(agent, headers.location, as);
}

/** Signs in at the service. @returns the page that the browser ends on */
async function finishAt(agent: Agent, location: unknown, as: string) {
  const { pathname, search } = new URL(await provider.signIn(location as string, { as }));
  return agent
    .get(pathname + search)
    .set(navigation)
    .redirects(1);
}

/** Submits the form of the page that asks. @returns the response */
function confirm(agent: Agent, headers: Record<string, string> = sameOriginForm, form: object = {}) {
  return agent.post('/auth/login').type('form').set(headers).send(form);
}

describe.each(LOGIN_PATHS)('a signed-in user of a site that signs in by: %s', (path) => {
  async function signedIn(settings: Parameters<typeof siteOf>[2] = {}, options: LoginOptions = {}) {
    const tokenStore = new MemoryTokenStore();
    const site = siteOf(provider, path, { tokenStore, onEvent: () => undefined, ...settings });
    site.app.get('/more', async (req, res) => {
      await site.clinician.login(req, res, { returnTo: '/me', ...options });
    });
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    const idIn = settings.flow === 'profile' ? (name: string) => String(provider.clinicians.get(name).id) : idOf;
    const userIs = async (name: string) =>
      expect((await agent.get('/me').expect(200)).body.identity.id).toBe(idIn(name));
    return { ...site, agent, tokenStore, userIs };
  }

  describe('that a page of another site leads to the login route', () => {
    let site: Awaited<ReturnType<typeof signedIn>>;
    beforeAll(async () => {
      site = await signedIn();
    });

    test.each([
      ['a browser', crossSite],
      ['a sibling host', { ...navigation, 'Sec-Fetch-Site': 'same-site' }],
      ['a browser without Sec-Fetch-Site', { ...oldBrowser, Referer: 'https://evil.example/page' }],
      ['a browser without Sec-Fetch-Site, from another port', { ...oldBrowser, Referer: 'http://127.0.0.1:30001/' }],
      [
        'a browser without Sec-Fetch-Site, from a similar origin',
        { ...oldBrowser, Referer: 'http://127.0.0.1:3000.evil.example/' },
      ],
    ])('remains signed in, and no login starts: %s', async (_name, headers) => {
      const { agent, userIs } = site;
      const before = provider.requests.length;
      for (const link of ['/auth/login?returnTo=%2Fme', '/auth/login?returnTo=%2Fme&scope=email']) {
        const response = await agent.get(link).set(headers).expect(302);
        expect(response.headers.location).toBe('/me');
        expect(String(response.headers['set-cookie'])).not.toContain('clinician-tx');
      }
      expect(provider.requests).toHaveLength(before);
      await userIs('verified');
    });

    test('ends a popup that the other site has opened', async () => {
      const { text } = await site.agent.get('/auth/login?display=popup').set(crossSite).expect(200);
      expect(text).toContain('data-clinician-popup');
    });

    test('is asked where the link has a parameter, by a page whose link starts the login', async () => {
      const { agent, userIs } = await signedIn({ scope: 'openid basic', optionalScope: 'colleagues email' });
      for (const query of ['prompt=login', 'prompt=create', 'maxAge=0', 'scope=colleagues']) {
        const link = `/auth/login?returnTo=%2Fme&${query}`;
        const page = await agent.get(link).set(crossSite).expect(200);
        expect(page.text).toContain('<h1>Sign in again?</h1>');
        expect(page.text).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
        expect(String(page.headers['set-cookie'])).not.toContain('clinician-tx');
        await userIs('verified');
        expect((await agent.get(link).set(ownPage).expect(302)).headers.location).toMatch(provider.issuer);
      }
    });

    test('gets a page, not a redirect loop, where requireRecentLogin() has led to it', async () => {
      const { agent, app, clinician } = await signedIn({ clock: provider.clock });
      app.get('/delete', clinician.requireRecentLogin({ maxAge: 0 }), (_req, res) => void res.send('deleted'));
      provider.clock.advance('10 minutes');
      const page = await agent.get('/delete').set(crossSite).redirects(3);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1>Sign in again?</h1>')]);
    });

    test.each([
      ['a page of the site', ownPage],
      ['the address bar', { ...navigation, 'Sec-Fetch-Site': 'none' }],
      ['a page of the site in an old browser', { ...oldBrowser, Referer: 'http://127.0.0.1:3000/' }],
      ['an old browser that sends no Referer', oldBrowser],
    ])('is led to the service by %s', async (_name, headers) => {
      expect((await site.agent.get('/auth/login').set(headers).expect(302)).headers.location).toMatch(provider.issuer);
    });
  });

  describe('while another user signs in at the service', () => {
    test('remains signed in, and is asked at a URL without the response', async () => {
      const { agent, userIs, tokenStore } = await signedIn();
      const page = await finishAs(agent, 'connected');
      expect(page.status).toBe(200);
      expect(page.text).toContain('<h1>Another user is signed in</h1>');
      expect(page.text).toContain(provider.clinicians.get('connected').firstName);
      expect(page.text).toContain('href="/me"');
      expect(page.headers['content-security-policy']).toContain(
        `form-action 'self' ${new URL(provider.issuer).origin};`,
      );
      expect((await agent.get('/auth/callback').set(navigation)).text).toContain('<h1>Another user is signed in</h1>');
      expect([revocations(), tokenStore.size]).toEqual([1, 1]);
      await userIs('verified');
    });

    test('is replaced after the confirmation, and no tokens of the user before remain', async () => {
      const { agent, userIs, tokenStore } = await signedIn();
      await finishAs(agent, 'connected', '/auth/login?returnTo=%2Femail');
      const { headers } = await confirm(agent).expect(303);
      const after = await agent.get(await callbackOf(headers.location, 'connected')).set(navigation);
      expect(after.headers.location).toBe('/email');
      await userIs('connected');
      expect([revocations(), tokenStore.size]).toEqual([2, 1]);
      expect((await agent.get('/auth/callback').set(navigation)).text).not.toContain('Another user is signed in');
    });

    test('is not replaced by a confirmation that another site sends', async () => {
      const { agent, userIs } = await withNodeEnv('production', () => signedIn());
      await finishAs(agent, 'connected');
      const before = provider.requests.length;
      for (const headers of [
        crossSite,
        { ...oldBrowser, Origin: 'https://evil.example' },
        { ...oldBrowser, Origin: 'null' },
      ])
        await confirm(agent, headers).expect(403);
      await agent.get('/auth/login?confirmedUser=x&switchUser=true').set(crossSite).expect(302);
      expect(provider.requests).toHaveLength(before);
      await userIs('verified');
    });

    test('confirms one user: a third user is asked about again', async () => {
      const { agent, userIs } = await signedIn();
      await finishAs(agent, 'connected');
      const { headers } = await confirm(agent).expect(303);
      const page = await agent
        .get(await callbackOf(headers.location, 'pending'))
        .set(navigation)
        .redirects(1);
      expect(page.text).toContain('<h1>Another user is signed in</h1>');
      await userIs('verified');
    });

    test('is asked for a login that the site starts, too, and for one with the password', async () => {
      const { agent, userIs } = await signedIn({}, { prompt: 'login' });
      expect((await finishAs(agent, 'connected', '/more')).text).toContain('Another user is signed in');
      expect((await finishAs(agent, 'pending', '/auth/login?prompt=login')).text).toContain(
        'Another user is signed in',
      );
      await userIs('verified');
    });

    test('is replaced at once where the site sets switchUser', async () => {
      const { agent, userIs } = await signedIn({}, { switchUser: true });
      await finishAs(agent, 'connected', '/more');
      await userIs('connected');
    });

    test('is asked in a popup, which closes after the confirmation', async () => {
      const { agent, userIs } = await signedIn();
      expect((await finishAs(agent, 'connected', '/auth/login?display=popup')).text).toContain(
        'Another user is signed in',
      );
      const { headers } = await confirm(agent).expect(303);
      const end = await agent.get(await callbackOf(headers.location, 'connected')).set(navigation);
      expect(end.text).toContain('data-clinician-popup');
      await userIs('connected');
    });

    test.each([
      ['maxAge=600000&prompt=login', { max_age: '600', prompt: 'login' }, {}],
      ['display=popup', { display: 'popup' }, {}],
      ['type=verify', { type: 'verify' }, { flow: 'profile' }],
    ] as const)(
      'confirms the same login, without its prompt and the ID Token of the user before: %s',
      async (query, parameters, settings) => {
        const { agent, userIs } = await signedIn({ optionalScope: 'email', ...settings });
        const requestAt = (location: unknown) => {
          const { searchParams } = new URL(location as string);
          for (const name of ['state', 'nonce', 'code_challenge']) searchParams.delete(name);
          return Object.fromEntries(searchParams);
        };
        const { headers: started } = await agent.get(`/auth/login?returnTo=%2Fme&${query}`).set(ownPage).expect(302);
        const { id_token_hint: hint, prompt: _, ...common } = requestAt(started.location);
        expect(requestAt(started.location)).toMatchObject(parameters);
        expect(hint !== undefined).toBe(query.includes('prompt=login'));
        expect((await finishAt(agent, started.location, 'connected')).text).toContain('Another user is signed in');
        await userIs('verified');
        const { headers: confirmed } = await confirm(agent).expect(303);
        expect(requestAt(confirmed.location)).toEqual(common);
        expect((await finishAt(agent, confirmed.location, 'connected')).status).toBe(200);
        await userIs('connected');
      },
    );

    test('keeps the data of the session: onSignIn is called once, after the confirmation, and receives none of it', async () => {
      const received: [id: string, data: object][] = [];
      const { agent, app } = await signedIn({
        onSignIn: ({ identity, previousSession }) => {
          received.push([identity.id, previousSession]);
          return { id: identity.id };
        },
      });
      app.post('/draft', (req, res) => void res.send(Object.assign(req.session, { draft: 'private' })));
      await agent.post('/draft').expect(200);
      await finishAs(agent, 'verified');
      expect(received.splice(0)).toEqual([
        [idOf('verified'), {}],
        [idOf('verified'), { draft: 'private' }],
      ]);
      await agent.post('/draft').expect(200);
      await finishAs(agent, 'connected');
      expect(received).toEqual([]);
      const { headers } = await confirm(agent).expect(303);
      await agent.get(await callbackOf(headers.location, 'connected')).set(navigation);
      expect(received).toEqual([[idOf('connected'), {}]]);
    });

    test('confirms the change of one user: the user of another login is asked about again', async () => {
      const { agent, userIs } = await signedIn({}, { switchUser: true });
      await finishAs(agent, 'connected');
      const { headers } = await confirm(agent).expect(303);
      await finishAs(agent, 'pending', '/more');
      const page = await agent
        .get(await callbackOf(headers.location, 'connected'))
        .set(navigation)
        .redirects(1);
      expect(page.text).toContain('<h1>Another user is signed in</h1>');
      await userIs('pending');
    });

    test.each(['/auth/logout', '/auth/forget'])('is no longer named on the page after POST %s', async (end) => {
      const { agent } = await signedIn({ onSignIn: ({ identity }) => ({ id: identity.id, name: 'Private Name' }) });
      expect((await finishAs(agent, 'connected')).text).toContain('Private Name');
      const response = await agent.post(end).set(sameOriginForm);
      expect(String(response.headers['set-cookie'])).toMatch(/clinician-[^;]*-user-change=; Max-Age=0/);
      expect((await agent.get('/auth/callback').set(navigation)).text).not.toContain('Private Name');
    });

    test('is named on the page only while the login that it asks about is in the session', async () => {
      const { agent, clinician, app } = await signedIn();
      app.get('/cookie', (req, res) => void res.send(req.headers.cookie));
      await finishAs(agent, 'connected');
      const { text: cookies } = await agent.get('/cookie');
      const isShown = async (request: supertest.Test) =>
        (await request.set(navigation)).text.includes('Another user is signed in');
      expect(await isShown(agent.get('/auth/callback'))).toBe(true);
      const change = cookies.split('; ').find((cookie) => cookie.includes('-user-change=')) as string;
      expect(await isShown(supertest(app).get('/auth/callback').set('Cookie', change))).toBe(false);
      const other = supertest.agent(app);
      await signIn(other, provider, { as: 'pending' });
      expect(await isShown(other.get('/auth/callback').set('Cookie', change))).toBe(false);
      await clinician.forget(idOf('verified'));
      expect(await isShown(agent.get('/auth/callback'))).toBe(false);
      const { headers } = await confirm(agent).expect(303);
      expect(headers.location).toBe('/auth/login?returnTo=%2F');
    });

    test('gets an error as a script', async () => {
      const { agent } = await signedIn();
      const { headers } = await agent.get('/auth/login').expect(302);
      const response = await agent.get(await callbackOf(headers.location, 'connected')).redirects(1);
      expect([response.status, response.body.code]).toEqual([403, 'user_change_unconfirmed']);
    });
  });

  test('is not asked when the same user signs in again, or when the login before has ended', async () => {
    const { agent, userIs, clinician } = await signedIn();
    expect((await finishAs(agent, 'verified')).status).toBe(200);
    await userIs('verified');
    await clinician.forget(idOf('verified'));
    await finishAs(agent, 'connected');
    await userIs('connected');
  });

  test('is asked where the user of the service has the same id at this site and another identity', async () => {
    const { agent } = await signedIn({ onSignIn: () => ({ id: 'shared' }) });
    expect((await finishAs(agent, 'connected')).text).toContain('Another user is signed in');
  });

  test('is asked where the user of the service has the same identity and another id at this site', async () => {
    let count = 0;
    const { agent } = await signedIn({ onSignIn: () => ({ id: ++count }) });
    expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
  });

  test('is not asked again after the confirmation, or after another sign-in of the same user', async () => {
    const isAsked = async (agent: Agent) =>
      (await agent.get('/auth/callback').set(navigation)).text.includes('Another user is signed in');
    const { agent } = await signedIn();
    await finishAs(agent, 'connected');
    expect(await isAsked(agent)).toBe(true);
    await finishAs(agent, 'verified');
    expect(await isAsked(agent)).toBe(false);
    await finishAs(agent, 'connected');
    await confirm(agent).expect(303);
    expect(await isAsked(agent)).toBe(false);
  });

  test('is asked also after a sign-in that failed, whose page is no longer shown', async () => {
    const { agent } = await signedIn();
    const { headers } = await agent.get('/auth/login').set(ownPage).expect(302);
    const denied = new URL(await provider.signIn(headers.location as string, { as: 'minimal', deny: true }));
    await agent.get(denied.pathname + denied.search).set(navigation);
    expect((await finishAs(agent, 'connected')).text).toContain('Another user is signed in');
  });

  test('has a name that is shown as text', async () => {
    const { agent } = await signedIn({
      onSignIn: ({ identity }) => ({ id: identity.id, name: '<script>alert(1)</script>' }),
    });
    const page = await finishAs(agent, 'connected');
    expect(page.text).toContain('as <strong><bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi></strong>');
    expect(page.text).not.toContain('<script>alert');
  });
});

describe.each(PASSPORT_PATHS)(
  'a signed-in user at a route of the strategy, after a link of another site: %s',
  (path) => {
    async function signedIn(start: AuthenticateOptions = {}) {
      const { app } = siteOf(provider, path, { onEvent: () => undefined, start });
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      return agent;
    }

    test.each(['/auth/login/', '/AUTH/Login', '/start', '/start?returnTo=%2Femail'])(
      'remains signed in, and is asked by a page: %s',
      async (link) => {
        for (const options of [{}, { switchUser: true }, { prompt: 'login' }]) {
          const agent = await signedIn(options);
          const before = provider.requests.length;
          const page = await agent.get(link).set(crossSite).expect(200);
          expect(page.text).toContain('<h1>Sign in again?</h1>');
          expect(page.text).toContain(`href="${link}"`);
          expect(String(page.headers['set-cookie'])).not.toContain('clinician-tx');
          expect(provider.requests).toHaveLength(before);
          expect((await agent.get(link).set(ownPage).expect(302)).headers.location).toMatch(provider.issuer);
        }
      },
    );
  },
);

test('a link of another site to the login route of the strategy, which sets switchUser, asks the signed-in user', async () => {
  const { app } = siteOf(provider, 'Passport first', { onEvent: () => undefined, start: { switchUser: true } });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  expect((await agent.get('/auth/login').set(crossSite).expect(200)).text).toContain('<h1>Sign in again?</h1>');
});

test.each(LOGIN_PATHS)('switchUser has no effect in a login that another site has started: %s', async (path) => {
  const { app, clinician } = siteOf(provider, path, { onEvent: () => undefined, start: { switchUser: true } });
  app.get('/switch', (req, res) => clinician.login(req, res, { switchUser: true }));
  const agent = supertest.agent(app);
  // The session is SameSite=Strict: the first request does not have it.
  for (const link of path.startsWith('Passport') ? ['/switch', '/start'] : ['/switch']) {
    const { headers } = await agent.get(link).set(crossSite).expect(302);
    await signIn(agent, provider, { as: 'verified' });
    const page = await agent
      .get(await callbackOf(headers.location, 'connected'))
      .set(navigation)
      .redirects(1);
    expect(page.text).toContain('Another user is signed in');
    await agent.post('/auth/logout').set(sameOriginForm).expect(200);
  }
});

describe.each(['drop-in, Passport session', ...PASSPORT_PATHS] as const)(
  'a user whom another strategy of Passport has signed in, on a site that signs in by: %s',
  (path) => {
    async function signedIn(settings: Parameters<typeof siteOf>[2] = {}) {
      const { app } = siteOf(provider, path, { onEvent: () => undefined, ...settings });
      const agent = supertest.agent(app);
      await agent.post('/become/another').expect(200);
      return agent;
    }
    const unchanged = [false, { id: 'another' }];

    test('is asked before a clinician replaces the user', async () => {
      const agent = await signedIn();
      expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
      await agent.get('/').expect(200, unchanged);
      const { headers } = await confirm(agent).expect(303);
      await agent
        .get(await callbackOf(headers.location, 'verified'))
        .set(navigation)
        .expect(302);
      expect((await agent.get('/me').expect(200)).body.identity.id).toBe(idOf('verified'));
    });

    test('is asked before the clinician replaces the user who was signed in before', async () => {
      const { app } = siteOf(provider, path, { onEvent: () => undefined });
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      await agent.post('/become/another').expect(200);
      expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
      await agent.get('/').expect(200, unchanged);
    });

    test('has data in the session that onSignIn does not receive', async () => {
      const received: object[] = [];
      const { app } = siteOf(provider, path, {
        onEvent: () => undefined,
        onSignIn: ({ identity, previousSession }) => {
          received.push(previousSession);
          return { id: identity.id };
        },
      });
      app.post('/draft', (req, res) => void res.send(Object.assign(req.session, { draft: 'private' })));
      const agent = supertest.agent(app);
      await agent.post('/become/another').expect(200);
      await agent.post('/draft').expect(200);
      expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
      expect(received).toEqual([{}]);
    });

    test('is no longer named on the page after a sign-out by Passport', async () => {
      const agent = await signedIn();
      expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
      await agent.post('/passport-logout').expect(200);
      expect((await agent.get('/auth/callback').set(navigation)).text).not.toContain('Another user is signed in');
    });

    test('gets a page, not a redirect loop, where another site leads to a guarded page', async () => {
      const agent = await signedIn();
      const page = await agent.get('/me').set(crossSite).redirects(3);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1>Sign in again?</h1>')]);
      await agent.get('/').expect(200, unchanged);
    });

    test.each<[string, object, (user: Express.User) => unknown]>([
      ['_id', { _id: 'local-7' }, ({ _id }: { _id?: string }) => _id],
      ['uid', { uid: 'local-7' }, ({ uid }: { uid?: string }) => ({ uid })],
      ['username', { username: 'local-7' }, (user) => user],
      ['an id that is null', { id: null, username: 'local-7' }, (user) => user],
    ])('is asked where that user is known by: %s', async (_name, user, serialized) => {
      const { app } = siteOf(provider, path, { onEvent: () => undefined, serialized });
      app.post('/sign-in', (req, res, next) => {
        req.logIn(user as Express.User, (error) => (error ? next(error) : res.send('done')));
      });
      const agent = supertest.agent(app);
      await agent.post('/sign-in').expect(200);
      const before = (await agent.get('/')).body;
      expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
      await agent.get('/').expect(200, before);
    });

    test('is asked where the new user cannot be compared: passport.serializeUser fails for it', async () => {
      const serialized = (user: { id?: string }) => {
        if (user.id !== 'another') throw new Error('unknown type of user');
        return user;
      };
      const { app } = siteOf(provider, path, { onEvent: () => undefined, serialized });
      const agent = supertest.agent(app);
      await agent.post('/become/another').expect(200);
      expect((await finishAs(agent, 'verified')).text).toContain('Another user is signed in');
    });

    test('is not asked where onSignIn returns the same user, known by another member than id', async () => {
      const onSignIn = () => ({ _id: 'local-7' });
      const serialized = ({ _id }: { _id?: string }) => _id;
      const { app } = siteOf(provider, path, { onEvent: () => undefined, onSignIn, serialized });
      app.post('/sign-in', (req, res, next) => {
        req.logIn({ _id: 'local-7' } as Express.User, (error) => (error ? next(error) : res.send('done')));
      });
      const agent = supertest.agent(app);
      await agent.post('/sign-in').expect(200);
      expect((await finishAs(agent, 'verified')).status).toBe(200);
      expect((await agent.get('/me').expect(200)).body.identity.id).toBe(idOf('verified'));
    });

    test('is not asked where onSignIn returns the same user', async () => {
      const agent = await signedIn({ onSignIn: () => ({ id: 'another' }) });
      await finishAs(agent, 'verified');
      expect((await agent.get('/me').expect(200)).body.user).toEqual({ id: 'another' });
    });
  },
);

test.each(PASSPORT_PATHS)('a login with session: false replaces no user, and asks nothing: %s', async (path) => {
  const { app } = siteOf(provider, path, { finish: { session: false } });
  const agent = supertest.agent(app);
  await agent.post('/become/another').expect(200);
  const { headers } = await agent.get('/start').set(ownPage).expect(302);
  const response = await agent.get(await callbackOf(headers.location, 'verified')).expect(302);
  expect(JSON.parse(response.headers['x-info'] as string)).toMatchObject({ grantID: expect.any(String) });
  await agent.get('/').expect(200, [false, { id: 'another' }]);
});

test.each(PASSPORT_PATHS)('a confirmed login keeps the option state of Passport: %s', async (path) => {
  const { app } = siteOf(provider, path, { start: { state: 'cart 7' } });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await finishAs(agent, 'connected', '/start');
  const { headers } = await confirm(agent).expect(303);
  const end = await agent.get(await callbackOf(headers.location, 'connected')).expect(302);
  expect(JSON.parse(end.headers['x-info'] as string)).toMatchObject({ state: 'cart 7', returnTo: '/me' });
});

test.each([
  ['offers to sign out first', {}, true],
  ['and a logout route asks the user to sign out first', { logout: false }, false],
] as const)('a site without a login route %s', async (_title, routes, isOffered) => {
  const { app, clinician } = siteFor(provider, { routes: { login: false, ...routes }, onEvent: () => undefined });
  app.get('/start', (req, res) => clinician.login(req, res, { returnTo: '/me' }));
  const agent = supertest.agent(app);
  await finishAs(agent, 'verified', '/start');
  const page = await finishAs(agent, 'connected', '/start');
  expect(page.text).toContain('sign out first');
  expect(page.text.includes('<form')).toBe(isOffered);
  if (isOffered) await agent.post('/auth/logout').set(sameOriginForm).expect(200);
  expect((await agent.get('/me')).status).toBe(isOffered ? 401 : 200);
});

test('a confirmation without a waiting login starts a login as a link does', async () => {
  const { app } = siteFor(provider);
  const { headers } = await supertest(app).post('/auth/login').set(sameOriginForm).expect(303);
  expect(headers.location).toBe('/auth/login?returnTo=%2F');
});
