import { afterEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { type ClinicianLoginOptions, clinicianLogin, DeniedError, deny, type SignInEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { shortenSiteTimeout } from '../helpers/site-timeout.js';
import { loginOptions, navigation, sameOriginForm, sealingSecret, siteFor } from './site.js';
import { ALL_LOGIN_PATHS, siteAt } from './strategy-site.js';

test('a user with a property called denied is signed in', async () => {
  const agent = supertest.agent(siteFor(provider, { onSignIn: () => ({ id: 1, denied: false }) }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test.each(['openid', 'profile'] as const)(
  'onSignIn receives the claims of the ID Token, if any: %s flow',
  async (flow) => {
    const events: SignInEvent[] = [];
    const onSignIn = (event: SignInEvent) => {
      events.push(event);
      return { id: event.identity.id };
    };
    await signIn(supertest.agent(siteFor(provider, { flow, onSignIn }).app), provider, { as: 'verified' });
    const claims = { iss: provider.issuer, sub: events[0]?.identity.id };
    expect(events[0]?.claims).toEqual(flow === 'openid' ? expect.objectContaining(claims) : undefined);
  },
);

test.each([
  ['deny()', () => deny('Surgeons only')],
  ['a thrown DeniedError', () => Promise.reject(new DeniedError('sign_in_refused', 'Surgeons only'))],
])('%s denies the sign-in with its reason', async (_name, onSignIn) => {
  const page = await signIn(supertest.agent(siteFor(provider, { onSignIn }).app), provider, { as: 'verified' });
  expect(page).toMatchObject({ status: 403, text: expect.stringContaining('Surgeons only') });
});

test('deny() can have a link, which the page shows, also after a redirect', async () => {
  const onSignIn = () => deny('Surgeons only', { label: 'Apply <here>', url: '/apply?from=a&b' });
  const agent = supertest.agent(siteFor(provider, { onSignIn }).app).set(navigation);
  const { text } = await signIn(agent, provider, { as: 'verified' });
  expect(text).toMatch(/clinician-button[^>]* href="\/apply\?from=a&amp;b"><span>Apply &lt;here&gt;<\/span>/);
  const [, another = ''] = /href="([^"]+)">Use another account</.exec(text) ?? [];
  const { headers } = await agent.get(another.replaceAll('&amp;', '&')).expect(302);
  expect(new URL(headers.location as string).searchParams.get('prompt')).toBe('login');
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'http://apply.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  ' https://a.example',
  'https:',
  'apply',
  '',
  `/apply?${'a'.repeat(1000)}`,
])('deny() refuses a link to %j', (url) => {
  expect(() => deny('No.', { label: 'Apply', url })).toThrow(/the link of deny\(\)/);
  for (const label of ['', 'a'.repeat(101)])
    expect(() => deny('No.', { label, url: '/apply' })).toThrow(/the link of deny\(\)/);
});

test.each([{ oid: 1 }, undefined])('an id that is %j is refused: it would be the same for every user', async (id) => {
  const site = siteFor(provider, { onSignIn: () => ({ id }), onEvent: () => undefined });
  const page = await signIn(supertest.agent(site.app), provider, { as: 'verified' });
  expect(page).toMatchObject({ status: 500, text: expect.stringContaining('user_invalid') });
});

describe("the site's own decision about a user", () => {
  afterEach(() => void jest.restoreAllMocks());

  test.each(ALL_LOGIN_PATHS)('that does not come within 30 seconds ends the sign-in: %s', async (path) => {
    const waits = shortenSiteTimeout();
    let decide: (user: { id: string }) => void = () => undefined;
    const onSignIn = () => new Promise<{ id: string }>((resolve) => (decide = resolve));
    const agent = supertest.agent(siteAt(provider, path, { onSignIn }).app);
    const { status, text } = await signIn(agent, provider, { as: 'verified' });
    expect([status, waits.length]).toEqual([500, 4]);
    expect(text).toContain('site_error');
    expect(provider.requests.filter((request) => request.path === '/oauth/revoke')).toHaveLength(1);
    decide({ id: 'late' });
    await new Promise((resolve) => setImmediate(resolve));
    await agent.get('/me').set('Accept', 'application/json').expect(401);
  });
});

describe('clinician.user(req)', () => {
  const routed = (options: Partial<ClinicianLoginOptions>) => {
    const { app, clinician } = siteFor(provider, options);
    app.get('/user', (req, res) => void res.json({ user: clinician.user(req) ?? null, same: req.user ?? null }));
    return supertest.agent(app);
  };

  test.each([
    ['the user of onSignIn', { onSignIn: () => ({ id: 7, role: 'editor' }) }, { id: 7, role: 'editor' }],
    ['a user with the id of the service', {}, { id: expect.any(String) }],
  ])('is %s, as req.user, until the sign-out', async (_name, options, user) => {
    const agent = routed(options);
    expect((await agent.get('/user')).body).toEqual({ user: null, same: null });
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get('/user');
    expect(body).toEqual({ user, same: body.user });
    await agent.post('/auth/logout').set(sameOriginForm).expect(200);
    expect((await agent.get('/user')).body).toEqual({ user: null, same: null });
  });

  test('is the user of its own instance', async () => {
    const app = express();
    const instance = (name: string) =>
      clinicianLogin({
        ...loginOptions(provider, { flow: name === 'one' ? 'openid' : 'profile' }),
        ...{ callbackURL: `http://127.0.0.1:3000/${name}/callback`, basePath: '', routes: { base: `/${name}` } },
        onSignIn: () => ({ id: name }),
      });
    const [one, two] = [instance('one'), instance('two')];
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), one, two);
    app.get('/users', (req, res) => void res.json([one.user(req)?.id, two.user(req)?.id, req.user]));
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified', loginPath: '/two/login' });
    expect((await agent.get('/users')).body).toEqual([null, 'two', { id: 'two' }]);
  });

  test('throws for a call without a request', () => {
    const { clinician } = siteFor(provider, { onEvent: () => undefined });
    expect(() => clinician.user(undefined as never)).toThrow(/user\(req\)/);
  });
});

describe('data of the session before the sign-in', () => {
  type By = 'drop-in' | 'Passport';
  const BY: By[] = ['drop-in', 'Passport'];

  /** A site whose session contains what is posted to it, also before the sign-in. */
  function shop(by: By, onSignIn: NonNullable<ClinicianLoginOptions['onSignIn']>) {
    const clinician = clinicianLogin(loginOptions(provider, { onSignIn, onEvent: () => undefined }));
    const app = express();
    app.use(express.json(), session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    if (by === 'Passport') {
      const own = new passport.Passport();
      own.use(clinician.strategy);
      own.serializeUser((user, done) => done(null, user));
      own.deserializeUser((user: Express.User, done) => done(null, user));
      app.use(own.session() as express.RequestHandler);
      app.get('/auth/login', own.authenticate('clinician', { state: 'a button' }));
      app.get('/auth/callback', own.authenticate('clinician'), (_req, res) => res.redirect('/session'));
    }
    app.use(clinician);
    app.post('/session', (req, res) => void res.json(Object.assign(req.session, req.body)));
    app.post('/login', (req, res, next) => {
      clinician.login(req, res, { state: 'a button', returnTo: '/session', ...req.body }).catch(next);
    });
    app.get('/session', (req, res) => {
      const { cookie: _, clinician: __, passport: ___, ...data } = req.session as unknown as Record<string, unknown>;
      res.json({ data, user: (req.user as { id?: string } | undefined)?.id, id: req.sessionID });
    });
    return supertest.agent(app);
  }

  test.each(BY)('by %s: only what onSignIn carries over is in the new session', async (by) => {
    let event: SignInEvent | undefined;
    const agent = shop(by, (received) => {
      event = received;
      received.carryOver({ cart: received.previousSession.cart });
      return { id: 'ada' };
    });
    await agent.post('/session').send({ cart: ['gloves'], planted: 'by an attacker' });
    const { id: before } = (await agent.get('/session')).body;
    await signIn(agent, provider, { as: 'verified' });
    const { data, user, id } = (await agent.get('/session')).body;
    expect([data, user]).toEqual([{ cart: ['gloves'] }, 'ada']);
    expect(id).not.toBe(before);
    expect(event?.previousSession).toEqual({ cart: ['gloves'], planted: 'by an attacker' });
  });

  test.each([
    ['the members of the package', { clinician: {} }, "the member 'clinician'"],
    ['a method of the session', { save: 1 }, "the member 'save'"],
    ['the prototype', JSON.parse('{ "__proto__": {} }'), "the member '__proto__'"],
    ['a text', 'cart', 'needs an object'],
  ])('%s cannot be carried over', async (_name, data, message) => {
    const agent = shop('drop-in', ({ carryOver }) => {
      expect(() => carryOver(data as object)).toThrow(message);
      return {};
    });
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/session')).body.data).toEqual({});
  });

  test('onSignIn receives the state of the login', async () => {
    const states: unknown[] = [];
    for (const by of BY) {
      const agent = shop(by, ({ state }) => {
        states.push(state);
        return {};
      });
      const login =
        by === 'Passport' ? agent.get('/auth/login') : agent.post('/login').set('Sec-Fetch-Site', 'same-origin');
      const { headers } = await login;
      expect(String(headers.location)).not.toContain('a+button');
      const callback = new URL(await provider.signIn(String(headers.location), { as: 'verified' }));
      await agent.get(callback.pathname + callback.search).expect(302);
    }
    expect(states).toEqual(['a button', 'a button']);
  });
});
