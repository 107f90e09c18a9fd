import { describe, expect, test } from '@jest/globals';
import type { AuthenticateCallback } from 'passport';
import supertest from 'supertest';
import { type ClinicianEvent, ClinicianStrategy, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteOf } from './login-paths.js';
import { cookieName, loginOptions, navigation, sameOriginScript } from './site.js';

const requestsTo = (path: string) => provider.requests.filter((one) => one.path === path).length;
/** Waits for a revocation that the response does not wait for. */
const revocation = () => provider.requests.waitFor(({ path }) => path === '/oauth/revoke', { timeout: '1 minute' });

test('clinician.strategy is one ClinicianStrategy, created when it is read', () => {
  const clinician = clinicianLogin(loginOptions(provider));
  expect(Object.getOwnPropertyDescriptor(clinician, 'strategy')).toMatchObject({ get: expect.any(Function) });
  const { strategy } = clinician;
  expect(strategy).toBeInstanceOf(ClinicianStrategy);
  expect([strategy.name, clinician.strategy]).toEqual(['clinician', strategy]);
});

describe("a login through passport.authenticate('clinician')", () => {
  /** A site, and a browser that has finished the login that /start began. */
  async function signedIn(settings: Parameters<typeof siteOf>[2] = {}, as = 'verified') {
    const tokenStore = new MemoryTokenStore();
    const events: ClinicianEvent[] = [];
    const onEvent = (event: ClinicianEvent) => events.push(event);
    const site = siteOf(provider, 'Passport last', { tokenStore, onEvent, ...settings });
    const agent = supertest.agent(site.app);
    const { headers } = await agent.get('/start').expect(302);
    const authorize = new URL(headers.location as string);
    const back = new URL(await provider.signIn(authorize.href, { as }));
    const response = await agent.get(back.pathname + back.search);
    return { ...site, agent, response, authorize, tokenStore, events, back };
  }
  const isSignedIn = async (agent: ReturnType<typeof supertest.agent>) => (await agent.get('/')).body[0];

  test('is finished by the route of the site, which sees req.clinician and req.authInfo', async () => {
    const { response, agent, tokenStore } = await signedIn({ start: { state: 'cart 7' } });
    expect(response.headers.location).toBe('/me');
    expect(response.headers['x-authenticated']).toBe('true');
    const [grantID] = await tokenStore.grantsOf(provider.clinicians.get('verified').sub);
    expect(JSON.parse(response.headers['x-info'] as string)).toEqual({ grantID, state: 'cart 7', returnTo: '/me' });
    expect((await agent.get('/me').expect(200)).body.isAuthenticated).toBe(true);
  });

  test('options of passport.authenticate() take precedence over those of the link', async () => {
    const { app } = siteOf(provider, 'Passport first', { start: { prompt: 'consent', returnTo: '/notes' } });
    const agent = supertest.agent(app);
    const loginPath = '/auth/login?prompt=login&maxAge=60000&returnTo=%2Fme';
    const { headers } = await agent.get(loginPath).expect(302);
    const { searchParams } = new URL(headers.location as string);
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['consent', '60']);
    const page = await signIn(agent, provider, { as: 'verified', loginPath });
    expect(page.text).toBe('notes');
  });

  test.each(['', '?keep'])('ends with req.logout() of Passport%s, and its tokens are revoked', async (query) => {
    const { agent, tokenStore } = await signedIn();
    await agent.post(`/passport-logout${query}`).expect(200);
    await agent.get('/').expect(200, [false, null]);
    await agent.get('/me').expect(401);
    await revocation();
    expect([requestsTo('/oauth/revoke'), tokenStore.size]).toEqual([1, 0]);
  });

  test('with session: false writes no login, and the tokens are reachable by the grant id', async () => {
    const { agent, response, clinician, sessions, events } = await signedIn({ finish: { session: false } });
    expect(await isSignedIn(agent)).toBe(false);
    expect(JSON.stringify(sessions)).not.toContain('grantID');
    const { grantID } = JSON.parse(response.headers['x-info'] as string);
    expect((await clinician.grantOf(grantID).api.profile()).verified).toBe(true);
    expect(events.map(({ name }) => name)).toEqual(['sign_in_started', 'signed_in']);
    await clinician.forget(provider.clinicians.get('verified').sub);
    await expect(clinician.grantOf(grantID).api.profile()).rejects.toMatchObject({ code: 'grant_ended' });
  });

  describe('with a custom callback', () => {
    const custom =
      (finish: (user: Express.User, req: Express.Request, done: (error?: unknown) => void) => void) =>
      (...[req, res, next]: [Express.Request, { redirect(path: string): void }, (error?: unknown) => void]) =>
        ((error, user) => {
          if (error || !user) return next(error ?? new Error('denied'));
          finish(user, req, (failed) => (failed ? next(failed) : res.redirect('/me')));
        }) as AuthenticateCallback;

    test('is established by its req.login() with another form of the user', async () => {
      const { agent, clinician } = await signedIn({
        custom: custom((user, req, done) =>
          req.login({ ...user, role: 'surgeon' } as never, {} as never, done),
        ) as never,
      });
      expect((await agent.get('/me').expect(200)).body.user.role).toBe('surgeon');
      await clinician.forget(provider.clinicians.get('verified').sub);
      await agent.get('/me').expect(401);
    });

    test('that never calls req.logIn() leaves no login and no tokens', async () => {
      const { agent, tokenStore, sessions } = await signedIn({
        custom: custom((_user, _req, done) => done()) as never,
      });
      expect(await isSignedIn(agent)).toBe(false);
      await revocation();
      expect([requestsTo('/oauth/revoke'), tokenStore.size]).toEqual([1, 0]);
      expect(JSON.stringify(sessions)).not.toContain('grantID');
    });

    test('that calls req.logIn() without a callback gets the error of Passport, and no login', async () => {
      const { agent, errors, tokenStore } = await signedIn({
        custom: custom((user, req) => Reflect.apply(req.logIn, req, [user])) as never,
      });
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('callback') })]);
      expect(await isSignedIn(agent)).toBe(false);
      await revocation();
      expect(tokenStore.size).toBe(0);
    });

    test('with req.logIn(user, { session: false }) keeps the tokens and writes no login', async () => {
      const { agent, tokenStore } = await signedIn({
        custom: custom((user, req, done) => req.logIn(user, { session: false }, done)) as never,
      });
      expect(await isSignedIn(agent)).toBe(false);
      expect([requestsTo('/oauth/revoke'), tokenStore.size]).toEqual([0, 1]);
    });
  });

  test('without serializeUser fails with the fix, and no login and no tokens remain', async () => {
    const { response, agent, tokenStore } = await signedIn({ serializes: false });
    expect([response.status, response.body.code]).toEqual([500, 'serialize_user_missing']);
    expect(await isSignedIn(agent)).toBe(false);
    expect([requestsTo('/oauth/revoke'), tokenStore.size]).toEqual([1, 0]);
  });

  test('an attempt that clinician.login() or a popup started is finished by the drop-in', async () => {
    const { app, clinician, agent } = await signedIn();
    app.get('/more', (req, res) => clinician.login(req, res, { scope: 'openid', returnTo: '/me' }));
    const page = await signIn(agent, provider, { as: 'verified', loginPath: '/more' });
    expect(page.body.scope).toEqual(['openid']);
    expect(requestsTo('/oauth/revoke')).toBe(1);
  });

  test('finishes the attempts of the drop-in, too, without its callback route', async () => {
    const routes = { callback: false };
    const { agent, app, clinician } = await signedIn({ routes });
    const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document' };
    await signIn(agent, provider, { as: 'verified', loginPath: '/start' });
    expect(clinician.sessionCheckFrame()).toContain('/auth/session-check');
    await agent.post('/auth/session-check').set(sameOriginScript).expect(200, { event: 'session-changed' });
    const check = await agent.get('/me').set(pageView).expect(302);
    const found = new URL(await provider.signIn(check.headers.location as string, { as: 'verified', browser: agent }));
    expect((await agent.get(found.pathname + found.search).set(pageView)).headers.location).toBe('/me');
    await agent.get('/me').expect(200);

    app.get('/silent', clinician.signInSilently(), (req, res) => void res.json(req.clinician.isAuthenticated));
    agent.jar.setCookie('connect.sid=; Max-Age=0; Path=/', '127.0.0.1', '/');
    agent.jar.setCookie(`${cookieName(provider, 'silent-3000')}=; Max-Age=0; Path=/`, '127.0.0.1', '/');
    agent.jar.setCookie('site=1', '127.0.0.1', '/');
    const silent = await agent.get('/silent').set(pageView).expect(302);
    const back = new URL(await provider.signIn(silent.headers.location as string, { as: 'verified', browser: agent }));
    expect((await agent.get(back.pathname + back.search).set(pageView)).headers.location).toBe('/silent');
    await agent.get('/silent').set(pageView).expect(200, 'true');
  });

  test('whose response arrives at another path fails with the fix, not with a redirect loop', async () => {
    const { app, errors } = siteOf(provider, 'Passport last');
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/start').expect(302);
    const { search } = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    await agent.get(`/start${search}`).expect(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'mount_path_conflict', option: 'callbackURL' })]);
  });

  test('a callback without an authorization response starts no login', async () => {
    const { app } = siteOf(provider, 'Passport last');
    const { headers, status } = await supertest(app).get('/auth/callback').set(navigation);
    expect([status, headers.location]).toEqual([403, undefined]);
  });
});
