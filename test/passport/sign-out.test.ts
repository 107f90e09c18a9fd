import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import {
  ClinicianStrategy,
  type ClinicianStrategyOptions,
  type LoginTokens,
  MemoryTokenStore,
} from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import {
  endSessionURL,
  loginOptions,
  logoutURLOf,
  navigation,
  sameOriginForm,
  sealingSecret,
} from '../integration/site.js';
import { strategySite } from '../integration/strategy-site.js';

const postLogoutRedirectURI = 'http://127.0.0.1:3000/bye';
const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

/** A site without a token store, which stores the tokens itself. */
function siteWithTokens(options: Partial<ClinicianStrategyOptions> = {}, isMounted = true) {
  const stored: LoginTokens[] = [];
  const strategy = new ClinicianStrategy(
    { ...loginOptions(provider), ...options },
    (
      accessToken: string,
      refreshToken: string,
      params: { id_token?: string },
      _profile: object,
      done: (error: unknown, user: object) => void,
    ) => {
      stored.push({ accessToken, refreshToken, idToken: params.id_token });
      done(null, { index: stored.length - 1 });
    },
  );
  const passport = new Passport();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use(passport.session() as RequestHandler);
  if (isMounted) app.use(strategy.middleware());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician'), (_req, res) => void res.send('signed in'));
  app.post('/logout', (req, res) => strategy.logout(req, res, stored[(req.user as { index: number }).index]));
  app.get('/user', (req, res) => void res.json(req.user ?? null));
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ code: error.code });
  }) as ErrorRequestHandler);
  return { app, strategy, stored };
}

describe('strategy.endSessionURL()', () => {
  const options = { postLogoutRedirectURI, state: 'planted-state' };

  test('signs the user of a stored login out at the service, which returns the state', async () => {
    const { app, clinician: strategy } = strategySite(provider);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get('/grant');
    const url = new URL((await strategy.endSessionURL(body.grantID, options)) as string);
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/oauth/logout`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      id_token_hint: expect.stringMatching(/^ey/),
      post_logout_redirect_uri: postLogoutRedirectURI,
      state: 'planted-state',
    });
    const response = await provider.fetch(url.href, { redirect: 'manual' } as never);
    expect(response.headers.get('location')).toBe(`${postLogoutRedirectURI}?state=planted-state`);
  });

  test('takes the ID Token of the verify function, without a token store', async () => {
    const { app, strategy, stored } = siteWithTokens();
    await signIn(supertest.agent(app), provider, { as: 'verified' });
    const { idToken } = stored[0] as LoginTokens;
    const url = new URL((await strategy.endSessionURL({ idToken }, { postLogoutRedirectURI })) as string);
    expect(url.searchParams.get('id_token_hint')).toBe(idToken);
    expect(url.searchParams.has('state')).toBe(false);
  });

  test('is undefined in the profile flow, and for a login that has ended', async () => {
    for (const flow of ['profile', 'openid'] as const) {
      const { app, clinician: strategy } = strategySite(provider, { flow });
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      const { grantID } = (await agent.get('/grant')).body;
      if (flow === 'openid') await strategy.grant(grantID).revoke();
      expect(await strategy.endSessionURL(grantID, options)).toBeUndefined();
    }
  });

  test.each<[string, unknown, unknown, string]>([
    ['an id that is missing', undefined, options, 'argument_invalid'],
    ['tokens without an ID Token', { accessToken: 'planted' }, options, 'argument_invalid'],
    ['no address', 'grant', {}, 'option_invalid'],
    ['a misspelled option', 'grant', { postLogoutRedirectUri: 'x' }, 'option_invalid'],
  ])('refuses %s', async (_title, login, wrong, code) => {
    const { clinician: strategy } = strategySite(provider);
    await expect(strategy.endSessionURL(login as never, wrong as never)).rejects.toMatchObject({ code });
  });

  test('of a grant id needs a token store', async () => {
    const { strategy } = siteWithTokens();
    await expect(strategy.endSessionURL('grant', options)).rejects.toMatchObject({ code: 'option_invalid' });
  });
});

describe('strategy.logout()', () => {
  test.each(['openid', 'profile'] as const)(
    'revokes the tokens that the site has stored, and continues at the service: the %s flow',
    async (flow) => {
      const { app, stored } = siteWithTokens(loginOptions(provider, { flow }));
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as: 'verified' });
      const { accessToken, idToken } = stored[0] as LoginTokens;
      const response = await agent.post('/logout').set(sameOriginForm);
      expect(JSON.stringify([response.text, response.headers])).not.toContain(accessToken);
      expect(revocations()).toBe(1);
      await agent.get('/user').expect(200, 'null');
      if (flow === 'profile') return expect(response.headers.location).toBe('/auth/logged-out');
      expect(response.text).not.toContain(idToken);
      const url = await logoutURLOf(agent, response);
      expect(url.searchParams.get('id_token_hint')).toBe(idToken);
      const { headers } = await agent.get('/auth/end-session').set(navigation).expect(302);
      expect(headers.location).toBe('/auth/logged-out');
    },
  );

  test('ends on the page that says that the session at the service has ended', async () => {
    const { app } = strategySite(provider);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    const url = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    const { pathname, search } = new URL(url.searchParams.get('post_logout_redirect_uri') as string);
    expect([pathname, search]).toEqual(['/auth/logged-out', '']);
    const state = url.searchParams.get('state');
    const ended = await agent.get(`/auth/logged-out?state=${state}`).set(navigation).expect(200);
    const forged = await agent.get(`/auth/logged-out?state=${state}`).set(navigation).expect(200);
    expect(ended.text).not.toBe(forged.text);
  });

  test('gives a script no ID Token', async () => {
    const { app } = siteWithTokens();
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.post('/logout').expect(200);
    expect(body).toEqual({ url: '/auth/end-session' });
    const script = await agent.get(body.url).set({ 'Sec-Fetch-Mode': 'cors' });
    expect(script.headers.location).toBe('/auth/logged-out');
    await signIn(agent, provider, { as: 'verified' });
    const url = await endSessionURL(agent, (await agent.post('/logout')).body.url);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^ey/);
  });

  test('needs the request', async () => {
    const logout = strategySite(provider).clinician.logout as (...args: unknown[]) => Promise<void>;
    const { clinician } = strategySite(provider);
    await expect(logout.call(clinician)).rejects.toMatchObject({ code: 'argument_invalid' });
  });

  test('needs the middleware, for its pages', async () => {
    const { app } = siteWithTokens({}, false);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/logout').expect(500, { code: 'middleware_missing' });
    expect(revocations()).toBe(0);
  });

  test('by a page of another site is refused at the route of the middleware', async () => {
    const { app } = strategySite(provider);
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/me' });
    for (const path of ['/auth/logout', '/auth/forget']) {
      await agent.post(path).set({ 'Sec-Fetch-Site': 'cross-site', Accept: 'text/html' }).expect(403);
    }
    await agent.get('/me').expect(200);
    expect(revocations()).toBe(0);
  });
});

describe('the middleware of a strategy', () => {
  test('revokes the tokens of a login that req.logOut() has removed', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app } = strategySite(provider, { tokenStore });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/passport-logout').expect(200, 'done');
    while (tokenStore.size > 0) await new Promise(setImmediate);
    await provider.requests.waitFor(({ path }) => path === '/oauth/revoke');
    expect(revocations()).toBe(1);
    await agent.get('/me').expect(401);
  });
});
