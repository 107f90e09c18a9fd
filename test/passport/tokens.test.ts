import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import {
  type ClinicianEvent,
  ClinicianStrategy,
  type ClinicianStrategyOptions,
  clinicianLogin,
} from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';

const FLOWS = ['openid', 'profile'] as const;
const requestsTo = (path: string) => provider.requests.filter((request) => request.path === path).length;

interface Tokens {
  accessToken: string;
  refreshToken: string;
  idToken: string;
}

/** A site that has only the strategy, and stores the tokens itself. */
function siteWith(options: Partial<ClinicianStrategyOptions> = {}, decide: (id: string) => unknown = (id) => ({ id })) {
  const stored: Tokens[] = [];
  const strategy = new ClinicianStrategy(
    { ...loginOptions(provider, options), ...options },
    async (
      accessToken: string,
      refreshToken: string,
      params: { id_token: string },
      { id }: { id: string },
      _done: unknown,
    ) => {
      stored.push({ accessToken, refreshToken, idToken: params.id_token });
      return decide(id);
    },
  );
  const passport = new Passport();
  passport.use(strategy);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user: Express.User, done) => done(null, user));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), passport.session());
  app.get('/auth/login', passport.authenticate('clinician'));
  app.get('/auth/callback', passport.authenticate('clinician'), (_req, res) => void res.send('in'));
  app.get('/me', (req, res) => void res.json(req.user ?? null));
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ code: error.code });
  }) as ErrorRequestHandler);
  return { app, strategy, stored };
}

/** @returns the tokens of a login. */
async function signedIn(options: Partial<ClinicianStrategyOptions> = {}) {
  const { app, strategy, stored } = siteWith(options);
  await signIn(supertest.agent(app), provider, { as: 'verified' });
  return { strategy, tokens: stored[0] as Tokens };
}

async function isValid(accessToken: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  return (await provider.fetch(`${provider.apiURL}/api/v1/users/current`, { headers })).status === 200;
}

describe.each(FLOWS)('the tokens of ClinicianStrategy, in the %s flow', (flow) => {
  test.each<[string, () => unknown]>([
    ['refuses the user', () => false],
    ['fails', () => Promise.reject(new Error('the database is down'))],
  ])('are revoked when the verify function %s', async (_title, decide) => {
    const events: ClinicianEvent[] = [];
    const { app, stored } = siteWith({ flow, onEvent: (event) => events.push(event) }, decide);
    await signIn(supertest.agent(app), provider, { as: 'verified' });
    expect(requestsTo('/oauth/revoke')).toBe(1);
    expect(await isValid((stored[0] as Tokens).accessToken)).toBe(false);
    for (const name of ['revocation_failed', 'signed_in']) expect(events.map((one) => one.name)).not.toContain(name);
  });

  test('remain valid until strategy.revoke(), with either token', async () => {
    for (const name of ['accessToken', 'refreshToken'] as const) {
      const { strategy, tokens } = await signedIn({ flow });
      expect(await isValid(tokens.accessToken)).toBe(true);
      await strategy.revoke(tokens[name]);
      expect(await isValid(tokens.accessToken)).toBe(false);
    }
  });

  test('are refreshed once for concurrent calls, and the old ones end', async () => {
    const { strategy, tokens } = await signedIn({ flow });
    const { refreshToken } = tokens;
    const before = requestsTo('/oauth/token');
    const [one, other] = await Promise.all([strategy.refresh(refreshToken), strategy.refresh(refreshToken)]);
    expect(other).toBe(one);
    expect(requestsTo('/oauth/token') - before).toBe(1);
    expect(await isValid(one.accessToken.reveal())).toBe(true);
    expect(await isValid(tokens.accessToken)).toBe(false);
    const next = await strategy.refresh(one.refreshToken as never);
    expect(next.accessToken.reveal()).not.toBe(one.accessToken.reveal());
    await expect(strategy.refresh(refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' });
  });
});

test('strategy.refresh() keeps the scope of the login, also one that the site does not request by default', async () => {
  const { strategy, tokens } = await signedIn({ scope: 'openid basic colleagues' });
  expect((await strategy.refresh(tokens.refreshToken)).scope).toEqual(['openid', 'basic', 'colleagues']);
  const other = siteWith({ scope: 'openid' }).strategy;
  const { tokens: others } = await signedIn({ scope: 'openid basic colleagues' });
  expect((await other.refresh(others.refreshToken)).scope).toContain('colleagues');
});

test('strategy.revoke() resolves also if the service fails', async () => {
  provider.faults.always('serverError', { endpoint: '/oauth/revoke' });
  await expect(siteWith().strategy.revoke('a-token')).resolves.toBeUndefined();
  expect(requestsTo('/oauth/revoke')).toBe(1);
});

test('strategy.endSessionURL() signs the user out at the service, which returns the state', async () => {
  const postLogoutRedirectURI = 'http://127.0.0.1:3000/bye';
  const { strategy, tokens } = await signedIn();
  const { idToken } = tokens;
  const url = new URL((await strategy.endSessionURL({ idToken, postLogoutRedirectURI, state: 'own' })) as string);
  expect(url.origin + url.pathname).toBe(`${provider.issuer}/oauth/logout`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    id_token_hint: idToken,
    post_logout_redirect_uri: postLogoutRedirectURI,
    state: 'own',
  });
  const response = await provider.fetch(url.href, { redirect: 'manual' } as never);
  expect(response.headers.get('location')).toBe(`${postLogoutRedirectURI}?state=own`);
});

describe('of a strategy and a clinicianLogin() with the same callback', () => {
  test('an attempt of the routes signs no user in through the strategy', async () => {
    const { app } = siteWith();
    app.use(clinicianLogin(loginOptions(provider, { routes: { login: '/other', callback: false } })));
    const agent = supertest.agent(app);
    for (const query of ['', '?display=popup', '?prompt=none']) {
      const { headers } = await agent.get(`/other${query}`).set('Sec-Fetch-Site', 'same-origin').expect(302);
      const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
      await agent.get(back.pathname + back.search).expect(403, 'Forbidden');
    }
    await agent.get('/me').expect(200, 'null');
    expect(requestsTo('/oauth/token')).toBe(0);
  });

  test('an attempt of the strategy signs no user in through the routes', async () => {
    const { app } = siteWith();
    const clinician = clinicianLogin(loginOptions(provider));
    const routes = express();
    routes.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const cookies = (headers['set-cookie'] as unknown as string[]).map((line) => line.split(';')[0]).join('; ');
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    await supertest(routes)
      .get(back.pathname + back.search)
      .set('Cookie', cookies)
      .expect(404);
    expect(requestsTo('/oauth/token')).toBe(0);
  });
});
