import { describe, expect, jest, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import type { ClinicianLogin, ClinicianLoginOptions } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy } from '../helpers/warnings.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';

type Create = (settings: ClinicianLoginOptions) => Promise<ClinicianLogin>;
const library = () => import('../../lib/index.js');

const create: Create = async (settings) => (await library()).clinicianLogin(settings);

/** Another copy of the package, as `require()` loads one beside that of `import`. */
const createInCopy: Create = async (settings) => {
  const before = await library();
  jest.resetModules();
  expect(await library()).not.toBe(before);
  return create(settings);
};

/** Each with other options, but for the callback: the routes of the second one receive no request. */
const createInBothFlows: Create = async (settings) => {
  isFirst = !isFirst;
  const { clientID, clientSecret } = provider.clients.profile;
  return create(
    isFirst ? { ...settings, clientID, clientSecret, flow: 'profile', scope: 'basic colleagues email' } : settings,
  );
};
let isFirst = false;

const createFromEnvironment: Create = async ({ issuer, apiURL, clientID, clientSecret }) => {
  const { clinicianLogin } = await library();
  return clinicianLogin.fromEnv(
    { scope: 'openid basic' },
    {
      CLINICIAN_ISSUER: issuer,
      CLINICIAN_API_URL: apiURL,
      CLINICIAN_CLIENT_ID: clientID,
      CLINICIAN_CLIENT_SECRET: clientSecret,
      APP_URL: 'http://127.0.0.1:3000',
      SESSION_SECRET: sealingSecret,
    },
  );
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
  ['clinicianLogin.fromEnv()', createFromEnvironment],
  ['clinicianLogin(options) with another flow', createInBothFlows],
  ['clinicianLogin(options) of another copy of the package', createInCopy],
])('a sign-in that was created twice, by %s', (_, createOther) => {
  /** @returns a site that mounts the first, and whose routes use the second */
  async function siteWithTwo(place: 'app' | 'router') {
    const [one, two] = [await createOther(loginOptions(provider)), await createOther(loginOptions(provider))];
    const app = newApp();
    if (place === 'app') app.use(one);
    else app.use(express.Router().use(one));
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
    return { app, names: Object.keys(calls) };
  }

  test.each(['app', 'router'] as const)(
    'is refused by each guard and member, with a message: mounted on the %s',
    async (place) => {
      const { app, names } = await siteWithTwo(place);
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      await agent.get('/').expect(200, 'true');
      const refused = ['middleware_missing', expect.stringMatching(/created twice .*create it once, and import it\.$/)];
      for (const name of names) {
        expect([name, (await agent.get(`/${name}`).set(navigation)).body]).toEqual([name, refused]);
        expect([name, (await supertest(app).get(`/${name}`)).body]).toEqual([name, refused]);
      }
      // The first one remains in use.
      await agent.get('/').expect(200, 'true');
    },
  );
});

test('the log names the mistake also for a silent sign-in, which continues', async () => {
  const [one, two] = [await create(loginOptions(provider)), await create(loginOptions(provider))];
  const app = newApp();
  app.use(one, two.signInSilently(), (_req, res) => void res.send('page'));
  const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', Cookie: 'a=b' };
  const printed = await printedBy(() => supertest(app).get('/').set(pageView).expect(302));
  expect(printed).toEqual([expect.stringMatching(/\[middleware_missing\].*created twice/)]);
});

test('the log names the mistake if the other one is only in the routes of Passport', async () => {
  const [one, two] = [await create(loginOptions(provider)), await create(loginOptions(provider))];
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
  const clinician = await create(loginOptions(provider));
  const inner = express().use(clinician, clinician.requireLogin(), (_req, res) => void res.send('in'));
  const app = newApp().use(clinician, clinician, inner, showError);
  const agent = supertest.agent(app);
  expect((await signIn(agent, provider, { as: 'verified' })).text).toBe('in');
  const other = newApp().use(await create(loginOptions(provider)), (_req, res) => void res.send('other process'));
  await supertest(other).get('/').expect(200, 'other process');
});
