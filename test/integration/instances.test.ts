import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { type ClinicianLoginOptions, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, sameOriginForm, sealingSecret } from './site.js';

const SITE = 'http://127.0.0.1:3000';
let service: MockProvider;
let otherService: MockProvider;
beforeAll(async () => {
  [service, otherService] = await Promise.all([startMockProvider(), startMockProvider()]);
});
afterEach(() => Promise.all([service.reset(), otherService.reset()]));
afterAll(() => Promise.all([service.stop(), otherService.stop()]));

type Settings = Partial<ClinicianLoginOptions>;

/** The second instance of a site, and its service. */
const SECOND: [string, () => [MockProvider, Settings]][] = [
  ['another service', () => [otherService, {}]],
  [
    'another client of the same service',
    () => {
      const redirectURIs = [`${SITE}/b/callback`];
      const postLogoutRedirectURIs = [`${SITE}/b/logged-out`];
      const registered = { redirectURIs, postLogoutRedirectURIs, scope: ['openid', 'basic', 'colleagues', 'email'] };
      const { clientID, clientSecret } = service.registerClient({ flow: 'openid', ...registered });
      return [service, { clientID, clientSecret }];
    },
  ],
  ['the other flow of the same service', () => [service, { flow: 'profile' }]],
];
const MODES = ['drop-in', 'Passport'] as const;

function siteWith([second, settings]: [MockProvider, Settings], mode: (typeof MODES)[number]) {
  const tokenStore = new MemoryTokenStore();
  const instanceOf = (provider: MockProvider, name: string, options: Settings) =>
    clinicianLogin({
      ...loginOptions(provider, { tokenStore, onEvent: () => undefined, ...options }),
      callbackURL: `${SITE}/${name}/callback`,
      routes: { base: `/${name}` },
      // One user of the site for both services, as a site finds it by the NPI.
      onSignIn: ({ profile }) => ({ id: profile?.npi, from: name }),
    });
  const [a, b] = [instanceOf(service, 'a', {}), instanceOf(second, 'b', settings)];
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  const passport = new Passport();
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  if (mode === 'Passport') app.use(passport.session() as RequestHandler);
  for (const [name, instance] of Object.entries({ a, b })) {
    if (mode === 'Passport') {
      passport.use(name, instance.strategy);
      app.get(`/${name}/login`, passport.authenticate(name));
      app.get(`/${name}/callback`, passport.authenticate(name), (_req, res) => res.redirect('/'));
    }
    app.use(instance);
    const answer: RequestHandler = async (req, res) => {
      const { npi } = await instance.api(req).profile();
      res.json({ npi, user: req.user, flow: req.clinician.flow, issuer: req.clinician.identity?.issuer });
    };
    app.get(`/${name}/me`, instance.requireVerified(), answer);
  }
  app.post('/draft', (req, res) => void res.send(Object.assign(req.session, { draft: 'draft' }).draft));
  app.get('/draft', (req, res) => void res.send(Object(req.session).draft ?? ''));
  app.get('/', (req, res) => {
    const { isAuthenticated, flow } = req.clinician;
    const states = [a.user(req), b.user(req)].map((user) => user !== undefined);
    res.json({ isAuthenticated, flow, states, user: req.user ?? null });
  });
  const agent = supertest.agent(app);
  const signInAt = (name: 'a' | 'b', as = 'verified') =>
    signIn(agent, name === 'a' ? service : second, { as: as as 'verified', loginPath: `/${name}/login` });
  const states = async () => (await agent.get('/').expect(200)).body.states as boolean[];
  return { app, a, b, agent, tokenStore, signInAt, states, second };
}

const revoked = (provider: MockProvider) =>
  provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200).length;

describe.each(SECOND)('two instances on one site: the second is for %s', (_, secondOf) => {
  describe.each(MODES)('with logins by: %s', (mode) => {
    test('a user signs in with both, each guard and api() uses its own login', async () => {
      const { agent, signInAt, states } = siteWith(secondOf(), mode);
      await signInAt('a');
      expect(await states()).toEqual([true, false]);
      await agent.get('/b/me').expect(401);
      await signInAt('b');
      expect(await states()).toEqual([true, true]);
      const [first, other] = [(await agent.get('/a/me').expect(200)).body, (await agent.get('/b/me').expect(200)).body];
      expect(first).toMatchObject({ flow: 'openid', issuer: service.issuer, npi: other.npi });
      if (mode === 'drop-in') expect([first.user.from, other.user.from]).toEqual(['a', 'b']);
    });

    test('a sign-out ends only its own login', async () => {
      const { agent, signInAt, states, tokenStore } = siteWith(secondOf(), mode);
      await signInAt('a');
      await signInAt('b');
      await agent.post('/a/logout').set(sameOriginForm);
      expect(await states()).toEqual([false, true]);
      expect([tokenStore.size, revoked(service)]).toEqual([1, 1]);
      await agent.get('/b/me').expect(200);
      await agent.post('/b/logout').set(sameOriginForm);
      expect(await states()).toEqual([false, false]);
      expect(tokenStore.size).toBe(0);
    });

    test('attempts in progress in one browser do not replace each other', async () => {
      const { agent, second, states } = siteWith(secondOf(), mode);
      const [first, other] = [await agent.get('/a/login').expect(302), await agent.get('/b/login').expect(302)];
      const backFrom = async (provider: MockProvider, { headers }: typeof first) => {
        const { pathname, search } = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
        await agent.get(pathname + search).expect(302);
      };
      await backFrom(second, other);
      await backFrom(service, first);
      expect(await states()).toEqual([true, true]);
    });

    test.each([
      ['a', 'b'],
      ['b', 'a'],
    ] as const)(
      'forget() of one instance ends its login, and keeps no data of the site (sign-ins: %s, %s)',
      async (...names) => {
        const { a, agent, signInAt, states } = siteWith(secondOf(), mode);
        for (const name of names) await signInAt(name);
        await agent.post('/draft').expect(200, 'draft');
        const { npi } = (await agent.get('/a/me').expect(200)).body;
        await a.forget(npi);
        expect((await states())[0]).toBe(false);
        await agent.get('/draft').expect(200, '');
      },
    );
  });

  test('with Passport, the login of another user is refused', async () => {
    const { agent, signInAt, states } = siteWith(secondOf(), 'Passport');
    await signInAt('a');
    await signInAt('b', 'connected');
    expect(await states()).toEqual([true, false]);
    await agent.get('/a/me').expect(200);
    expect(revoked(service) + revoked(otherService)).toBe(1);
  });

  test('in the routes of the drop-in, req.clinician and req.user are of the first instance with a signed-in user', async () => {
    const { agent, signInAt } = siteWith(secondOf(), 'drop-in');
    await signInAt('b', 'connected');
    expect((await agent.get('/')).body).toMatchObject({ isAuthenticated: true, user: { from: 'b' } });
    await signInAt('a');
    expect((await agent.get('/')).body).toMatchObject({ isAuthenticated: true, user: { from: 'a' } });
  });

  test('the frames of the session check have their own pages', async () => {
    const { agent, a, b, signInAt } = siteWith(secondOf(), 'drop-in');
    await signInAt('a');
    expect(a.sessionCheckFrame()).toContain('src="/a/session-check"');
    expect(b.sessionCheckFrame()).toContain('src="/b/session-check"');
    expect((await agent.get('/a/session-check')).text).toContain('data-frame');
    expect((await agent.get('/b/session-check')).text).not.toContain('data-frame');
  });
});

test.each(['auth', '/auth/', '/a b', ''])('routes.base must be a path: not %j', (base) => {
  expect(() => clinicianLogin(loginOptions(service, { routes: { base } }))).toThrow(/routes\.base must be a path/);
});
