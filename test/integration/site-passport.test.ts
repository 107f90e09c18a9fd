import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteOf } from './login-paths.js';
import { loginOptions, sealingSecret, signedInAt } from './site.js';

/** A browser that has signed in on a site with its own Passport, and its own users in addition to the clinicians. */
async function signedIn(serialized: (user: object) => unknown = (user) => user) {
  const { app, clinician } = siteOf(provider, 'drop-in, Passport session', { serialized });
  app.get('/user', (req, res) => void res.json([clinician.user(req), req.user]));
  app.post(/^\/change\/([\w-]+)/, (req, _res, next) => {
    const user = { id: req.params[0], seen: Date.now() } as Express.User;
    req.logIn(user, { keepSessionInfo: true, session: true }, next);
  });
  app.post(/^\/leave/, (req, _res, next) => req.logOut({ keepSessionInfo: true }, next));
  app.post(/\/me$/, clinician.requireLogin());
  app.post(/\/profile$/, async (req, res) => void res.json(await clinician.api(req).profile()));
  app.post(/./, (req, res) => void res.json(clinician.user(req) ?? null));
  return await signedInAt(app, provider);
}

const revoked = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

describe("a login in a session whose user the site's own Passport changes", () => {
  test.each(['/change/another', '/leave'])('ends when POST %s changes the user', async (path) => {
    const agent = await signedIn();
    await agent.get('/me').expect(200);
    await agent.post(path).expect(200, 'null');
    const user = path === '/leave' ? null : { id: 'another', seen: expect.any(Number) };
    expect((await agent.get('/').expect(200)).body).toEqual([false, user]);
    await agent.get('/me').expect(401);
    expect(revoked()).toBe(1);
  });

  test.each(['/change/another', '/leave'])('opens nothing in the same request after POST %s', async (path) => {
    for (const route of ['/me', '/profile']) {
      const agent = await signedIn();
      await agent.post(path + route).expect(401);
    }
  });

  test('continues when the same user is saved again', async () => {
    const agent = await signedIn();
    const [, { id }] = (await agent.get('/')).body;
    await agent.post(`/change/${id}`).expect(200);
    expect((await agent.get('/').expect(200)).body).toMatchObject([true, { id }]);
    // Passport has the user with the member that the site has added.
    const [user, passportUser] = (await agent.get('/user')).body;
    expect(user).toEqual(passportUser);
    expect(user).toEqual({ id, seen: expect.any(Number) });
    await agent.get('/me').expect(200);
    expect(revoked()).toBe(0);
  });

  test('continues where the serialized user changes its form in the store, as database ids do', async () => {
    const objectID = { id: Buffer.from('0123456789ab'), toJSON: () => '303132333435363738396162' };
    const agent = await signedIn(() => objectID);
    await agent.get('/me').expect(200);
    expect(revoked()).toBe(0);
  });
});

test('a site whose Passport has other names (userProperty, the key of the session) has the user there', async () => {
  const sitePassport = new passport.Passport();
  // Creates what reads and writes the session, with that key.
  (Object.assign(sitePassport, { _key: 'who' }) as unknown as { init(): void }).init();
  sitePassport.serializeUser((user, done) => done(null, user));
  sitePassport.deserializeUser((user: Express.User, done) => done(null, user));
  const clinician = clinicianLogin(loginOptions(provider, { onSignIn: () => ({ id: 7 }) }));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(sitePassport.initialize({ userProperty: 'account' }), sitePassport.session() as RequestHandler, clinician);
  app.get('/', (req, res) => void res.json([clinician.user(req) ?? null, Object(req).account ?? null]));
  app.post('/become/:id', (req, _res, next) => {
    req.logIn({ id: req.params.id } as Express.User, { keepSessionInfo: true, session: true }, next);
  });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/').expect(200, [{ id: 7 }, { id: 7 }]);
  await agent.post('/auth/logout').set({ 'Sec-Fetch-Site': 'same-origin' }).expect(200);
  await agent.get('/').expect(200, [null, null]);
  // A clinician does not replace the other user.
  await agent.post('/become/another');
  expect([(await signIn(agent, provider, { as: 'verified' })).status, revoked()]).toEqual([403, 2]);
  await agent.get('/').expect(200, [null, { id: 'another' }]);
});
