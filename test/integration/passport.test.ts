import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { type ClinicianEvent, ClinicianStrategy, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from './site.js';

let now = Date.now();
const clock = { now: () => now };
const requestsTo = (path: string) => provider.requests.filter((request) => request.path === path).length;

interface PassportSite {
  app: Express;
  strategy: ClinicianStrategy;
  tokenStore: MemoryTokenStore;
  events: ClinicianEvent[];
}

/** Passport without the drop-in: the session contains the grant id and Passport's user. */
function passportSite(
  flow: 'openid' | 'profile' = 'openid',
  verify: (profile: { id: string }) => unknown = ({ id }) => ({ id }),
): PassportSite {
  now = Date.now();
  const tokenStore = new MemoryTokenStore({ clock });
  const events: ClinicianEvent[] = [];
  const strategy = new ClinicianStrategy(
    { ...loginOptions(provider, { flow, clock }), tokenStore, onEvent: (event) => events.push(event) },
    async (_accessToken: string, _refreshToken: string, profile: { id: string }) => verify(profile),
  );
  const passport = new Passport();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: object, done) => done(null, user as Express.User));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(passport.session());
  const grantOf = (req: express.Request) => strategy.grant((req.session as { grantID?: string }).grantID as string);
  app.get('/auth/login', passport.authenticate('clinician', { returnTo: '/me' }));
  app.get('/auth/callback', passport.authenticate('clinician'), (req, res) => {
    Object.assign(req.session, { grantID: req.authInfo?.grantID });
    res.redirect(req.authInfo?.returnTo ?? '/');
  });
  app.get('/me', (req, res) => void res.json(req.user ?? null));
  app.get('/profile', async (req, res) => void res.json(await grantOf(req).api.profile()));
  app.post('/revoke', async (req, res) => void res.json(await grantOf(req).revoke()));
  return { app, strategy, tokenStore, events };
}

describe.each(['openid', 'profile'] as const)('Passport without the drop-in, in the %s flow', (flow) => {
  test('20 requests with an expired access token make one refresh', async () => {
    const { app, events } = passportSite(flow);
    const agent = supertest.agent(app);
    const page = await signIn(agent, provider, { as: 'verified' });
    expect(page.body).toEqual({ id: expect.any(String) });
    const before = requestsTo('/oauth/token');
    now += 2 * 60 * 60 * 1000;
    provider.clock.advance('2 hours');
    const profiles = await Promise.all(Array.from({ length: 20 }, () => agent.get('/profile')));
    expect(new Set(profiles.map(({ status }) => status))).toEqual(new Set([200]));
    expect(requestsTo('/oauth/token') - before).toBe(1);
    expect(events.map(({ name }) => name)).toEqual(['sign_in_started', 'signed_in']);
  });
});

test('revoking a login and forgetting a user erase the tokens and revoke them at the service', async () => {
  const { app, strategy, tokenStore } = passportSite();
  const [one, other] = [supertest.agent(app), supertest.agent(app)];
  const { id } = (await signIn(one, provider, { as: 'verified' })).body;
  await signIn(other, provider, { as: 'verified' });
  await one.post('/revoke').expect(200);
  expect(await tokenStore.grantsOf(id)).toHaveLength(1);
  await strategy.forget(id);
  await strategy.forget(id);
  expect(await tokenStore.grantsOf(id)).toEqual([]);
  expect(requestsTo('/oauth/revoke')).toBe(2);
  await other.get('/profile').expect(401);
});

test('grant() without a token store throws and names the missing option', () => {
  const strategy = new ClinicianStrategy(loginOptions(provider), () => undefined);
  expect(() => strategy.grant('x')).toThrow(/'tokenStore' is missing/);
});

test.each([
  ['refuses', () => false],
  ['fails', () => Promise.reject(new Error('the database is down'))],
])('the tokens are revoked when the verify function %s', async (_, verify) => {
  const { app, events } = passportSite('openid', verify);
  await signIn(supertest.agent(app), provider, { as: 'verified' });
  expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toMatchObject([{ status: 200 }]);
  expect(events.map(({ name }) => name)).not.toContain('revocation_failed');
  expect(events.map(({ name }) => name)).not.toContain('signed_in');
});

test('an attempt of a drop-in with the same callback signs no user in through the strategy', async () => {
  const { app, tokenStore } = passportSite();
  const dropIn = clinicianLogin(loginOptions(provider, { routes: { login: '/other', callback: false } }));
  app.use(dropIn);
  const agent = supertest.agent(app);
  const { headers } = await agent.get('/other').expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
  await agent.get(back.pathname + back.search).expect(403, 'Forbidden');
  await agent.get('/me').expect(200, 'null');
  expect([requestsTo('/oauth/token'), tokenStore.size]).toEqual([0, 0]);
});
