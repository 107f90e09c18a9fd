import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { ClinicianStrategy, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sealingSecret } from '../integration/site.js';
import { strategySite } from '../integration/strategy-site.js';

const verify = async () => ({ id: 1 });
const toMe = { as: 'verified', loginPath: '/auth/login?returnTo=/me' };

/** A site whose guard is before its routes. */
function siteWith(strategy: ClinicianStrategy) {
  const passport = new Passport();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), passport.session());
  app.use(strategy.middleware(), strategy.requireLogin());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician'), (req, res) => {
    res.redirect(req.authInfo?.returnTo ?? '/');
  });
  app.get('/identity', (req, res) => void res.json(req.clinician.identity));
  app.use((req, res) => void res.send(`page ${req.path}`));
  return { app, agent: supertest.agent(app) };
}

describe('the guards of a strategy', () => {
  test('need option tokenStore', () => {
    const strategy = new ClinicianStrategy(loginOptions(provider), verify);
    for (const guard of [
      'requireLogin',
      'requireRecentLogin',
      'requireVerified',
      'requireProfile',
      'requireScope',
    ] as const) {
      expect(() => strategy[guard]).toThrow(expect.objectContaining({ code: 'option_invalid' }));
    }
  });

  test('refuse a request that the middleware has not received', async () => {
    const strategy = new ClinicianStrategy({ ...loginOptions(provider), tokenStore: new MemoryTokenStore() }, verify);
    const app = express();
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    app.get('/me', strategy.requireLogin(), (_req, res) => void res.send('me'));
    app.get('/uncalled', strategy.requireVerified as never, (_req: unknown, res: express.Response) => {
      res.send('notes');
    });
    app.use(((error, _req, res, _next) => void res.status(error.status).json(error.code)) as ErrorRequestHandler);
    await supertest(app).get('/me').expect(500, '"middleware_missing"');
    await supertest(app).get('/uncalled').expect(500, '"argument_invalid"');
  });

  test('can be before the routes of the sign-in: those are not guarded', async () => {
    const strategy = new ClinicianStrategy(
      { ...loginOptions(provider), tokenStore: new MemoryTokenStore(), routes: { login: '/auth/login' } },
      verify,
    );
    const { agent } = siteWith(strategy);
    const { headers } = await agent.get('/me').set(navigation).expect(302);
    expect(headers.location).toBe('/auth/login?returnTo=%2Fme');
    await agent.get('/auth/other').expect(401);
    // Another handler of the site may be there.
    await agent.post('/auth/login').expect(401);
    for (const path of ['/auth/login/', '/AUTH/callback']) await agent.get(path).expect(302);
    expect((await signIn(agent, provider, toMe)).text).toBe('page /me');
  });

  test('check the profile', async () => {
    const { app, clinician: strategy } = strategySite(provider);
    const isVerified = strategy.requireProfile(({ verified }) => verified === true);
    app.get('/condition', isVerified, (_req, res) => void res.send('page'));
    const agents = { verified: supertest.agent(app), pending: supertest.agent(app) };
    for (const [as, agent] of Object.entries(agents)) await signIn(agent, provider, { as });
    await agents.verified.get('/condition').expect(200, 'page');
    expect((await agents.pending.get('/condition').expect(403)).body.code).toBe('profile_refused');
  });

  test.each([
    ['offer the sign-out', {}, true],
    ['offer no sign-out without its route', { logout: false as const }, false],
  ])('%s', async (_name, routes, isOffered) => {
    const { app, clinician: strategy } = strategySite(provider, { strategy: { routes } });
    app.get('/surgeons', strategy.requireProfile(() => false) as express.RequestHandler);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    const { text } = await agent.get('/surgeons').set(navigation).expect(403);
    expect(text.includes('<span>Sign out</span>')).toBe(isOffered);
    expect(text).toContain('Back to home');
  });

  test('respond with a problem document to a script, and with a page without a login route', async () => {
    const { app } = strategySite(provider, { strategy: { routes: {} } });
    const { body, type } = await supertest(app).get('/me').expect(401);
    expect([type, body.code]).toEqual(['application/problem+json', 'sign_in_required']);
    const { text, headers } = await supertest(app).get('/me').set(navigation).expect(401);
    expect(headers.location).toBeUndefined();
    expect(text).toContain('<h1>');
    // The guard may be at the front page too.
    expect(text).not.toContain('clinician-button');
  });

  test.each([
    ['no id, which is refused', { displayName: 'Vera' }],
    ['a number', { id: 7 }],
  ])('know a user whose profile of the site has %s', async (_, profile: object) => {
    class OwnProfile extends ClinicianStrategy {
      override userProfile(_accessToken: string, done: (error?: unknown, profile?: unknown) => void): void {
        done(null, profile);
      }
    }
    const options = { ...loginOptions(provider, { flow: 'profile' }), tokenStore: new MemoryTokenStore() };
    const strategy = new OwnProfile({ ...options, routes: { login: '/auth/login' } }, async () => ({ id: 'mine' }));
    const { app, agent } = siteWith(strategy);
    app.use(((error, _req, res, _next) => void res.status(error.status).json(error)) as ErrorRequestHandler);
    const { body } = await signIn(agent, provider, toMe);
    if ('id' in profile) expect(await agent.get('/identity').then((page) => page.body.id)).toBe('7');
    else expect(body).toMatchObject({ code: 'user_invalid', message: expect.stringContaining("'tokenStore'") });
  });

  test('end the login when its tokens end', async () => {
    const { app, clinician: strategy } = strategySite(provider);
    const agent = supertest.agent(app);
    const page = await signIn(agent, provider, toMe);
    await strategy.forget(page.body.user.id);
    await agent.get('/me').expect(401);
    await agent.get('/').expect(200, [false, null]);
  });
});

describe('a link to the login route of a strategy', () => {
  test.each(['prompt=none', 'display=popup'])('with %s starts a sign-in in the window', async (query) => {
    const { app } = strategySite(provider);
    const { headers } = await supertest(app).get(`/auth/login?${query}`).expect(302);
    const { searchParams } = new URL(headers.location as string);
    expect([searchParams.get('prompt'), searchParams.get('display')]).toEqual([null, null]);
  });

  test('can be invalid, and has no scope that the site does not offer', async () => {
    const { app, errors } = strategySite(provider);
    for (const query of ['prompt=now', 'scope=search']) await supertest(app).get(`/auth/login?${query}`);
    expect(errors).toMatchObject([{ code: 'login_link_invalid' }, { code: 'login_link_invalid' }]);
  });

  test('is read only where option routes names the route', async () => {
    const { app } = strategySite(provider, { strategy: { routes: {} } });
    const { headers } = await supertest(app).get('/auth/login?prompt=login').expect(302);
    expect(new URL(headers.location as string).searchParams.has('prompt')).toBe(false);
  });
});
