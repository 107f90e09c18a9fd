import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** A store in which one writing fails, by its number. */
class ForgetfulStore extends session.MemoryStore {
  writings = 0;
  failing = 0;

  override set(id: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    this.writings += 1;
    if (this.writings === this.failing) callback?.(new Error('the session store is down'));
    else super.set(id, data, callback);
  }
}

function siteWith(store: session.Store, withPassport: boolean) {
  const keeper = new passport.Passport();
  keeper.serializeUser((user, done) => done(null, user));
  keeper.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store }));
  if (withPassport) app.use(keeper.session() as RequestHandler);
  app.use(clinicianLogin(loginOptions(provider, { onEvent: () => undefined })));
  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, req.user !== undefined]));
  return supertest.agent(app);
}

test.each([
  [false, 1],
  [true, 1],
  [true, 2],
])(
  "attack 147: a sign-in that is told to have failed signed nobody in (Passport's user: %s, writing %d)",
  async (withPassport, failing) => {
    const store = new ForgetfulStore();
    store.failing = failing;
    const agent = siteWith(store, withPassport);
    const answer = await signIn(agent, provider, { as: 'verified' });
    expect(answer.status).toBe(503);
    expect(store.writings).toBeGreaterThanOrEqual(failing);
    await agent.get('/').expect(200, [false, false]);
    expect(JSON.stringify(store)).not.toContain('grantID');
  },
);
