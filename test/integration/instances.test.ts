import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, navigation, sameOriginForm, sealingSecret } from './site.js';

const SITE = 'http://127.0.0.1:3000';
let service: MockProvider;
let otherService: MockProvider;
beforeAll(async () => {
  [service, otherService] = await Promise.all([startMockProvider(), startMockProvider()]);
});
afterEach(() => Promise.all([service.reset(), otherService.reset()]));
afterAll(() => Promise.all([service.stop(), otherService.stop()]));

type Mode = 'drop-in' | 'Passport';

/** The second instance of a site, how its users sign in, and its service. */
const SECOND: [string, Mode, () => MockProvider][] = [
  ['the same client of the same service', 'drop-in', () => service],
  ['another service', 'Passport', () => otherService],
];

function siteWith(second: MockProvider, mode: Mode) {
  const tokenStore = new MemoryTokenStore();
  const instanceOf = (provider: MockProvider, name: string) =>
    clinicianLogin({
      ...loginOptions(provider, { tokenStore, onEvent: () => undefined }),
      callbackURL: `${SITE}/${name}/callback`,
      routes: { base: `/${name}` },
      // One user of the site for both services, as a site finds it by the NPI.
      onSignIn: ({ profile }) => ({ id: profile?.npi, from: name }),
    });
  const [a, b] = [instanceOf(service, 'a'), instanceOf(second, 'b')];
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
      // Also if Passport keeps the other contents of the session, no login of the other instance remains.
      const keepSessionInfo = name === 'a';
      app.get(`/${name}/callback`, passport.authenticate(name, { keepSessionInfo }), (_req, res) => res.redirect('/'));
    }
    app.use(instance);
    const answer: RequestHandler = async (req, res) => {
      const { npi } = await instance.api(req).profile();
      res.json({ npi, user: req.user, flow: req.clinician.flow, issuer: req.clinician.identity?.issuer });
    };
    app.get(`/${name}/me`, instance.requireVerified(), answer);
  }
  app.get('/quiet', b.signInSilently(), (_req, res) => void res.send('page'));
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

describe.each(SECOND)('two instances on one site, the second for %s, by: %s', (_, mode, secondOf) => {
  test('a sign-in with one ends the login with the other, whose guard and api() then refuse', async () => {
    const { a, agent, signInAt, states, tokenStore } = siteWith(secondOf(), mode);
    await signInAt('a');
    expect(await states()).toEqual([true, false]);
    await agent.get('/b/me').expect(401);
    const { npi } = (await agent.get('/a/me').expect(200)).body;
    await agent.post('/draft').expect(200, 'draft');
    await signInAt('b');
    expect(await states()).toEqual([false, true]);
    expect((await agent.get('/b/me').expect(200)).body.npi).toBe(npi);
    await agent.get('/a/me').expect(401);
    await agent.get('/draft').expect(200, '');
    // The middleware of the first instance has received the callback of the second.
    expect([tokenStore.size, revoked(service)]).toEqual([1, 1]);
    await signInAt('a');
    expect(await states()).toEqual([true, false]);
    await agent.get('/a/me').expect(200);
    await agent.get('/b/me').expect(401);
    await a.forget(npi);
    expect(await states()).toEqual([false, false]);
  });

  test.each(['a', 'b'] as const)('a sign-out of %s ends the login with the other', async (name) => {
    const { agent, signInAt, states } = siteWith(secondOf(), mode);
    const other = name === 'a' ? 'b' : 'a';
    await signInAt(other);
    await agent.get(`/${other}/me`).expect(200);
    await agent.post(`/${name}/logout`).set(sameOriginForm);
    expect(await states()).toEqual([false, false]);
    await agent.get(`/${other}/me`).expect(401);
  });

  test('of two attempts in progress in one browser, each can be finished', async () => {
    const { agent, second, states } = siteWith(secondOf(), mode);
    const [first, other] = [await agent.get('/a/login').expect(302), await agent.get('/b/login').expect(302)];
    const backFrom = async (provider: MockProvider, { headers }: typeof first) => {
      const { pathname, search } = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
      await agent.get(pathname + search).expect(302);
    };
    await backFrom(second, other);
    expect(await states()).toEqual([false, true]);
    await backFrom(service, first);
    expect(await states()).toEqual([true, false]);
  });
});

test('with Passport, the login of another user is refused', async () => {
  const { agent, signInAt, states } = siteWith(otherService, 'Passport');
  await signInAt('a');
  await signInAt('b', 'connected');
  expect(await states()).toEqual([true, false]);
  await agent.get('/a/me').expect(200);
  expect(revoked(service) + revoked(otherService)).toBe(1);
});

test('a link of another site ends no login of another user with the other', async () => {
  const { agent, signInAt, states, second } = siteWith(otherService, 'drop-in');
  await signInAt('a');
  for (const [as, expected] of [
    ['connected', [true, false]],
    ['verified', [false, true]],
  ] as const) {
    const { headers } = await agent.get('/b/login').set('Sec-Fetch-Site', 'cross-site');
    const back = new URL(await second.signIn(headers.location as string, { as }));
    await agent.get(back.pathname + back.search);
    expect(await states()).toEqual(expected);
  }
});

test('a silent sign-in does not end the login with the other', async () => {
  const { agent, signInAt, states, second } = siteWith(otherService, 'drop-in');
  await signIn(agent, second, { as: 'verified', loginPath: '/b/login' });
  await signInAt('a');
  await agent
    .get('/quiet')
    .set({ ...navigation, 'Sec-Fetch-Dest': 'document' })
    .expect(200);
  const { headers } = await agent.get('/b/login?prompt=none').set(sameOriginForm).expect(302);
  const back = new URL(await second.signIn(headers.location as string, { as: 'verified', browser: agent }));
  expect(back.searchParams.has('code')).toBe(true);
  await agent.get(back.pathname + back.search).expect(302);
  expect(await states()).toEqual([true, false]);
});
