import { describe, expect, test } from '@jest/globals';
import cookieSession from 'cookie-session';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers/warnings.js';
import { expectCapturedOutput } from '../integration/capture-output.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret } from '../integration/site.js';

const showError: ErrorRequestHandler = (error: { code?: string; message: string }, _req, res, _next) =>
  void res.status(500).json([error.code, error.message]);

const unsupported = [
  'session_missing',
  'passport-clinician: the session of this request is not one of express-session. Use express-session: a session in a cookie, as of cookie-session, gets no new id at the sign-in (session fixation), and the server cannot end it.',
];
const missing =
  'passport-clinician: this request has no session, or session() is after clinician. Put app.use(session({ ... })) of express-session before app.use(clinician). If it is there, its store has been disconnected since this process started, or its cookie.path excludes this request.';

const authorizationRequests = () => provider.requests.filter(({ path }) => path === '/oauth/authorize').length;

describe('cookie-session in place of express-session', () => {
  test('with clinicianLogin(), every page fails with the reason, before a sign-in', async () => {
    const app = express().use(cookieSession({ secret: sealingSecret }));
    const clinician = clinicianLogin(loginOptions(provider));
    app.use(clinician);
    app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
    app.use(showError);
    for (const path of ['/', '/me', '/auth/login', '/auth/callback'])
      expect((await supertest(app).get(path).expect(500)).body).toEqual(unsupported);
    expect(authorizationRequests()).toBe(0);
  });

  test('with a guard only, the request fails with the reason', async () => {
    const app = express().use(cookieSession({ secret: sealingSecret }));
    app.get('/me', clinicianLogin(loginOptions(provider)).requireLogin(), (_req, res) => void res.send('in'));
    app.use(showError);
    expect((await supertest(app).get('/me').expect(500)).body).toEqual(unsupported);
  });

  /** A site with Passport and cookie-session. */
  function passportSite(prepare: (app: Express) => unknown = () => undefined): Express {
    const passport = new Passport();
    passport.use(new ClinicianStrategy(loginOptions(provider), (_access, _refresh, profile) => ({ id: profile.id })));
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user: object, done) => done(null, user as Express.User));
    const app = express().use(cookieSession({ secret: sealingSecret }));
    prepare(app);
    app.use(passport.session());
    app.get('/auth/login', passport.authenticate('clinician'));
    app.get('/auth/callback', passport.authenticate('clinician'), (req, res) => void res.json(req.user));
    app.use(showError);
    return app;
  }

  test('with ClinicianStrategy, the login fails with the reason before the redirect to the service', async () => {
    expect((await supertest(passportSite()).get('/auth/login').expect(500)).body).toEqual(unsupported);
  });

  test('with the functions that Passport calls, ClinicianStrategy signs no user in: the session is the same', async () => {
    const app = passportSite((site) =>
      site.use((req, _res, next) => {
        const call = (done: () => void) => done();
        const { session: stored } = req as unknown as { session: object };
        for (const name of ['regenerate', 'save']) Object.defineProperty(stored, name, { value: call });
        next();
      }),
    );
    const agent = supertest.agent(app);
    const { body } = await signIn(agent, provider, { as: 'verified' });
    expect(body).toEqual(['session_missing', expect.stringMatching(/session fixation.*install Passport 0\.7/)]);
    expect(agent.jar.getCookie('session', { path: '/', domain: '127.0.0.1' } as never)).toBeUndefined();
  });
});

describe('no session when clinicianLogin() receives the request', () => {
  function site(place: 'nowhere' | 'after the package'): Express {
    expectCapturedOutput();
    const app = express();
    const clinician = clinicianLogin(loginOptions(provider));
    app.use(clinician);
    if (place !== 'nowhere') app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
    app.use(showError);
    return app;
  }

  test.each(['nowhere', 'after the package'] as const)(
    'session() %s: a sign-in fails with the reason, before the redirect to the service',
    async (place) => {
      const agent = supertest.agent(site(place));
      const { body } = await agent.get('/auth/login').expect(500);
      expect(body).toMatchObject({ code: 'session_missing', detail: missing });
      const page = await agent.get('/auth/login').set(navigation).expect(500);
      expect(page.text).toContain('session_missing');
      expect(authorizationRequests()).toBe(0);
    },
  );

  test.each(['nowhere', 'after the package'] as const)(
    'session() %s: a guard fails with the reason, and so does a sign-in after it',
    async (place) => {
      const agent = supertest.agent(site(place));
      for (let request = 0; request < 2; request += 1)
        expect((await agent.get('/me').set(navigation).expect(500)).body).toEqual(['session_missing', missing]);
      expect((await agent.get('/auth/login').expect(500)).body).toMatchObject({ code: 'session_missing' });
    },
  );
});

describe('a session store that is disconnected when the process starts', () => {
  /** @param mount adds session() to the site */
  function site(mount: (app: Express, sessions: RequestHandler) => unknown, options: SiteOptions = {}) {
    const store = new session.MemoryStore();
    const clinician = clinicianLogin(loginOptions(provider));
    const app = express();
    mount(app, session({ secret: sealingSecret, resave: false, saveUninitialized: false, store, ...options.session }));
    app.use(clinician);
    app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
    app.use(clinician.errorHandler());
    const setConnected = (is: boolean) => void store.emit(is ? 'connect' : 'disconnect');
    setConnected(false);
    return { app, setConnected };
  }

  test('is an error that names this case', async () => {
    const { app } = site((site, sessions) => site.use(sessions));
    await printedBy(async () => {
      const { body } = await supertest(app).get('/auth/login').expect(500);
      expect(body).toMatchObject({ code: 'session_missing', detail: missing });
    });
  });

  test('with session() after the package, is an error', async () => {
    const { app } = site(() => undefined);
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    await printedBy(async () => {
      expect((await supertest(app).get('/auth/login').expect(500)).body).toMatchObject({ code: 'session_missing' });
    });
  });
});

test('a cookie.path of session() that excludes the page is named', async () => {
  const app = express();
  const clinician = clinicianLogin(loginOptions(provider));
  app.use(
    session({ secret: sealingSecret, resave: false, saveUninitialized: false, cookie: { path: '/app' } }),
    clinician,
  );
  const printed = await printedBy(() => supertest(app).get('/auth/login').set(navigation).expect(500));
  expect(printed).toEqual([expect.stringContaining('cookie.path')]);
});
