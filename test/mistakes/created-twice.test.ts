import { describe, expect, jest, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import type { ClinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';

const library = () => import('../../lib/index.js');
const create = async (): Promise<ClinicianLogin> => (await library()).clinicianLogin(loginOptions(provider));

/** Another copy of the package, as `require()` loads one beside that of `import`. */
const createInCopy = async (): Promise<ClinicianLogin> => {
  const before = await library();
  jest.resetModules();
  expect(await library()).not.toBe(before);
  return create();
};

const showError: ErrorRequestHandler = (error: { code?: string; message: string }, _req, res, _next) =>
  void res.status(500).json([error.code, error.message]);

function newApp(): Express {
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  return app;
}

describe.each([
  ['clinicianLogin(options)', create],
  ['clinicianLogin(options) of another copy of the package', createInCopy],
])('a sign-in that was created twice, by %s', (_, createOther) => {
  test('is refused by each guard and member, with a message, and the first one remains in use', async () => {
    const [one, two] = [await create(), await createOther()];
    const app = newApp().use(one);
    const calls: Record<string, express.RequestHandler> = {
      requireLogin: two.requireLogin(),
      requireVerified: two.requireVerified(),
      requireRecentLogin: two.requireRecentLogin(),
      user: (req, res) => void res.json(two.user(req)),
      api: (req, res) => void res.json(typeof two.api(req)),
      grant: (req, res) => void res.json(typeof two.grant(req)),
      verification: (req, res, next) => void two.verification(req).then((value) => res.json(value), next),
      signOutOthers: (req, res, next) => void two.signOutOthers(req).then((value) => res.json(value), next),
      login: two.login,
      logout: two.logout,
      middleware: two,
    };
    for (const [name, call] of Object.entries(calls)) app.get(`/${name}`, call, (_req, res) => void res.send('in'));
    app.get('/', (req, res) => void res.json(req.clinician.isAuthenticated));
    app.use(showError);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    const refused = ['middleware_missing', expect.stringMatching(/created twice .*create it once, and import it\.$/)];
    for (const name of Object.keys(calls)) {
      expect([name, (await agent.get(`/${name}`).set(navigation)).body]).toEqual([name, refused]);
      expect([name, (await supertest(app).get(`/${name}`)).body]).toEqual([name, refused]);
    }
    await agent.get('/').expect(200, 'true');
  });
});

test('the log names the mistake also for a silent sign-in, which continues', async () => {
  const [one, two] = [await create(), await create()];
  const app = newApp();
  app.use(one, two.signInSilently(), (_req, res) => void res.send('page'));
  const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };
  const printed = await printedBy(() => supertest(app).get('/').set(pageView).expect(302));
  expect(printed).toEqual([expect.stringMatching(/\[middleware_missing\].*created twice/)]);
});

test('the log names the mistake if the other one is only in the routes of Passport', async () => {
  const [one, two] = [await create(), await create()];
  const passport = new Passport().use(two.strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = newApp();
  app.use(passport.session());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician'), (_req, res) => res.redirect('/'));
  app.use(one, (req, res) => void res.json(req.clinician.isAuthenticated));
  const printed = await printedBy(async () => {
    expect((await signIn(supertest.agent(app), provider, { as: 'verified' })).body).toBe(false);
  });
  expect(printed).toEqual([expect.stringMatching(/\[tokens_in_memory\].* created twice/)]);
});

test('one sign-in in several places is no mistake: twice on the way of a request, and in two applications', async () => {
  const clinician = await create();
  const inner = express().use(clinician, clinician.requireLogin(), (_req, res) => void res.send('in'));
  const app = newApp().use(clinician, clinician, inner, showError);
  expect((await signIn(supertest.agent(app), provider, { as: 'verified' })).text).toBe('in');
  const other = newApp().use(await create(), (_req, res) => void res.send('other process'));
  await supertest(other).get('/').expect(200, 'other process');
});
