import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** A session store in which one write fails. */
class FailingStore extends session.MemoryStore {
  writes = 0;
  failingWrite = 0;

  override set(id: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    this.writes += 1;
    if (this.writes === this.failingWrite) callback?.(new Error('the session store is unavailable'));
    else super.set(id, data, callback);
  }
}

function siteWith(store: session.Store, tokenStore: MemoryTokenStore, withPassport: boolean) {
  const sitePassport = new passport.Passport();
  sitePassport.serializeUser((user, done) => done(null, user));
  sitePassport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store }));
  if (withPassport) app.use(sitePassport.session() as RequestHandler);
  app.use(clinicianLogin(loginOptions(provider, { tokenStore, onEvent: () => undefined })));
  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, req.user !== undefined]));
  return supertest.agent(app);
}

test.each([
  [false, 1],
  [true, 1],
  [true, 2],
])(
  'a sign-in whose session cannot be saved signs no user in (with Passport: %s, failing write: %d)',
  async (withPassport, failingWrite) => {
    const store = new FailingStore();
    store.failingWrite = failingWrite;
    const tokenStore = new MemoryTokenStore();
    const agent = siteWith(store, tokenStore, withPassport);
    const response = await signIn(agent, provider, { as: 'verified' });
    expect(response.status).toBe(503);
    expect(store.writes).toBeGreaterThanOrEqual(failingWrite);
    await agent.get('/').expect(200, [false, false]);
    expect(JSON.stringify(store)).not.toContain('grantID');
    expect(tokenStore.size).toBe(0);
    expect(provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200)).toHaveLength(1);
  },
);
