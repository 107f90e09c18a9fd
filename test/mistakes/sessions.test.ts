import { describe, expect, test } from '@jest/globals';
import cookieSession from 'cookie-session';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sealingSecret, siteFor } from '../integration/site.js';

const showError: ErrorRequestHandler = (error: { code?: string; message: string }, _req, res, _next) =>
  void res.status(500).json([error.code, error.message]);

const unsupported = [
  'session_missing',
  expect.stringMatching(/does not come from express-session\. Use express-session: .*session fixation/),
];
const missing = expect.stringContaining('Put app.use(session({ ... })) of express-session before app.use(clinician).');

const newSession = (options: Partial<session.SessionOptions> = {}) =>
  session({ secret: sealingSecret, resave: false, saveUninitialized: false, ...options });
const authorizationRequests = () => provider.requests.filter(({ path }) => path === '/oauth/authorize').length;

describe('cookie-session in place of express-session', () => {
  const app = () => express().use(cookieSession({ secret: sealingSecret }));

  test('with clinicianLogin(), every page fails with the reason, before a sign-in', async () => {
    const clinician = clinicianLogin(loginOptions(provider));
    const site = app().use(clinician).use(showError);
    for (const path of ['/', '/auth/login', '/auth/callback'])
      expect((await supertest(site).get(path).expect(500)).body).toEqual(unsupported);
    expect(authorizationRequests()).toBe(0);
  });

  test('with a guard only, the request fails with the reason', async () => {
    const guard = clinicianLogin(loginOptions(provider)).requireLogin();
    const site = app().get('/me', guard, (_req, res) => void res.send('in'));
    expect((await supertest(site.use(showError)).get('/me').expect(500)).body).toEqual(unsupported);
  });

  /** A site with Passport and cookie-session. */
  function passportSite(prepare: (site: Express) => unknown = () => undefined): Express {
    const passport = new Passport();
    passport.use(new ClinicianStrategy(loginOptions(provider), (_access, _refresh, profile) => ({ id: profile.id })));
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user: object, done) => done(null, user as Express.User));
    const site = app();
    prepare(site);
    site.use(passport.session());
    site.get('/auth/login', passport.authenticate('clinician'));
    site.get('/auth/callback', passport.authenticate('clinician'), (req, res) => void res.json(req.user));
    return site.use(showError);
  }

  test('with ClinicianStrategy, the login fails with the reason before the redirect to the service', async () => {
    expect((await supertest(passportSite()).get('/auth/login').expect(500)).body).toEqual(unsupported);
  });

  test('with the functions that Passport calls, ClinicianStrategy signs no user in: the session is the same', async () => {
    const site = passportSite((before) =>
      before.use((req, _res, next) => {
        const value = (done: () => void) => done();
        for (const name of ['regenerate', 'save']) Object.defineProperty(req.session, name, { value });
        next();
      }),
    );
    const agent = supertest.agent(site);
    const { body } = await signIn(agent, provider, { as: 'verified' });
    expect(body).toEqual(['session_missing', expect.stringMatching(/session fixation.*Install Passport 0\.7/)]);
    expect(agent.jar.getCookie('session', { path: '/', domain: '127.0.0.1' } as never)).toBeUndefined();
  });
});

describe('a request without a session', () => {
  test.each<[string, before: (site: Express) => unknown, after: (site: Express) => unknown]>([
    ['where session() is missing', () => undefined, () => undefined],
    ['where session() is after the package', () => undefined, (site) => site.use(newSession())],
    [
      'where the session store was disconnected when the process started',
      (site) => {
        const store = new session.MemoryStore();
        site.use(newSession({ store }));
        store.emit('disconnect');
      },
      () => undefined,
    ],
    [
      'that cookie.path of session() excludes',
      (site) => site.use(newSession({ cookie: { path: '/app' } })),
      () => undefined,
    ],
  ])(
    '%s fails with the reason: a sign-in before the redirect to the service, and a guard',
    async (_, before, after) => {
      const site = express();
      before(site);
      const clinician = clinicianLogin(loginOptions(provider));
      site.use(clinician);
      after(site);
      site.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
      site.use(showError);
      const { body } = await supertest(site).get('/auth/login').expect(500);
      expect(body).toMatchObject({ code: 'session_missing', detail: missing });
      const page = await supertest(site).get('/auth/login').set(navigation).expect(500);
      expect(page.text).toContain('session_missing');
      expect(authorizationRequests()).toBe(0);
      const guarded = await supertest(site).get('/me').set(navigation).expect(500);
      expect(guarded.body).toEqual(['session_missing', missing]);
    },
  );
});

test('a Secure session cookie on http: the next sign-in shows developers that http is the reason', async () => {
  const { app } = siteFor(provider, { session: { cookie: { secure: true } }, onEvent: () => undefined });
  const agent = supertest.agent(app).set(navigation);
  await signIn(agent, provider, { as: 'verified' });
  const { text } = await agent.get('/auth/login').expect(500);
  expect(text).toContain('session_not_saved');
  expect(text).toContain('cookie.secure needs https');
});
