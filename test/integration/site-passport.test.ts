import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from './site.js';

/** A site with its own Passport, and its own users in addition to the clinicians. */
function siteWithPassport(serialized: (user: Express.User) => unknown = (user) => user) {
  const sitePassport = new passport.Passport();
  sitePassport.serializeUser((user, done) => done(null, serialized(user)));
  sitePassport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  const clinician = clinicianLogin(loginOptions(provider));
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(sitePassport.session() as RequestHandler);
  app.use(clinician);
  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, (req.user as { id?: string })?.id]));
  app.get('/user', (req, res) => void res.json([clinician.user(req), req.user]));
  app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
  app.post('/become/:id', (req, res, next) => {
    req.logIn(
      { id: req.params.id, seen: Date.now() } as Express.User,
      { keepSessionInfo: true, session: true },
      (error) => (error ? next(error) : res.send('done')),
    );
  });
  app.post('/leave', (req, res, next) => {
    req.logOut({ keepSessionInfo: true }, (error) => (error ? next(error) : res.send('done')));
  });
  return supertest.agent(app);
}

const revoked = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

describe("a login in a session whose user the site's own Passport changes", () => {
  test.each(['/become/another', '/leave'])('ends when POST %s changes the user', async (path) => {
    const agent = siteWithPassport();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    await agent.post(path).expect(200);
    const user = path === '/leave' ? null : 'another';
    await agent.get('/').expect(200, [false, user]);
    await agent.get('/me').expect(401);
    expect(revoked()).toBe(1);
  });

  test('continues when the same user is saved again', async () => {
    const agent = siteWithPassport();
    await signIn(agent, provider, { as: 'verified' });
    const [, id] = (await agent.get('/')).body as [boolean, string];
    await agent.post(`/become/${id}`).expect(200);
    await agent.get('/').expect(200, [true, id]);
    // Passport has the user with the member that the site has added.
    const [user, passportUser] = (await agent.get('/user')).body as [object, object];
    expect(user).toEqual(passportUser);
    expect(user).toEqual({ id, seen: expect.any(Number) });
    await agent.get('/me').expect(200);
    expect(revoked()).toBe(0);
  });

  test('continues where the serialized user changes its form in the store, as database ids do', async () => {
    const objectID = { id: Buffer.from('0123456789ab'), toJSON: () => '303132333435363738396162' };
    const agent = siteWithPassport(() => objectID);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    expect(revoked()).toBe(0);
  });
});
