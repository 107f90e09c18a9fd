import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, sealingSecret } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** A site that has its own Passport, with users of its own beside the clinicians. */
function siteWithPassport(serialized: (user: Express.User) => unknown = (user) => user) {
  const keeper = new passport.Passport();
  keeper.serializeUser((user, done) => done(null, serialized(user)));
  keeper.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  const clinician = clinicianLogin(loginOptions(provider));
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(keeper.session() as RequestHandler);
  app.use(clinician);
  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, (req.user as { id?: string })?.id]));
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

describe("attack 150: a login that the site's own Passport leaves behind in the session", () => {
  test.each(['/become/somebody', '/leave'])('is over when POST %s makes the user another', async (path) => {
    const agent = siteWithPassport();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    await agent.post(path).expect(200);
    const user = path === '/leave' ? null : 'somebody';
    await agent.get('/').expect(200, [false, user]);
    await agent.get('/me').expect(401);
    expect(revoked()).toBe(1);
  });

  test('goes on when the same user is written anew', async () => {
    const agent = siteWithPassport();
    await signIn(agent, provider, { as: 'verified' });
    const [, id] = (await agent.get('/')).body as [boolean, string];
    await agent.post(`/become/${id}`).expect(200);
    await agent.get('/').expect(200, [true, id]);
    await agent.get('/me').expect(200);
    expect(revoked()).toBe(0);
  });

  test('goes on where what Passport keeps of the user looks other once it was stored, as the ids of a database do', async () => {
    const objectID = { id: Buffer.from('0123456789ab'), toJSON: () => '303132333435363738396162' };
    const agent = siteWithPassport(() => objectID);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    expect(revoked()).toBe(0);
  });
});
