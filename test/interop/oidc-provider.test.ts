import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { ClinicianStrategy, clinicianLogin, type SignInEvent, type VerifyCallback } from 'passport-clinician';
import request from 'supertest';
import { systemClock } from '../../lib/async/clock.js';
import { PendingWork } from '../../lib/async/work.js';
import { AuthorizationServer } from '../../lib/authorization-server/authorization-server.js';
import { type FlowName, flowOf } from '../../lib/authorization-server/flows.js';
import { createFetch } from '../../lib/http/http.js';
import { Secret } from '../../lib/sealing/sealer.js';
import { takePrinted } from '../helpers/printed.js';
import { BrowserUser } from '../helpers.js';
import { type OtherProvider, startOtherProvider } from './oidc-provider.js';

const callbackURL = 'http://127.0.0.1:5001/callback';

const secret = 'only-for-this-test-and-long-enough-for-a-key';
const user = { login: 'alice', password: 'any' };

/** A refresh token only for offline_access, as is the default of oidc-provider. */
const offlineOnly = {
  configuration: {
    issueRefreshToken: async (_context: unknown, _client: unknown, { scopes }: { scopes: Set<string> }) =>
      scopes.has('offline_access'),
  },
};

test('clinicianLogin signs in with offline_access, refreshes, and signs out at oidc-provider', async () => {
  const loginURL = 'http://127.0.0.1:5001/auth/callback';
  await using other = await startOtherProvider(loginURL, offlineOnly);
  const { issuer, clientID, clientSecret } = other;
  const names: string[] = [];
  const clinician = clinicianLogin({
    ...{ issuer, clientID, clientSecret, callbackURL: loginURL, secret, scope: 'openid offline_access' },
    onEvent: ({ name }) => names.push(name),
  });
  const app = express().use(session({ secret, resave: false, saveUninitialized: false }), clinician);
  app.post('/refresh', clinician.requireLogin(), async (req, res) => {
    await clinician.grant(req).refresh();
    res.json(req.clinician.identity?.id);
  });
  const agent = request.agent(app);
  const browser = new BrowserUser();
  const { headers: login } = await agent.get('/auth/login?prompt=consent').expect(302);
  const callback = await browser.authorize(String(login.location), user);
  await agent.get(callback.pathname + callback.search).expect(302);
  for (let count = 0; count < 2; count += 1) expect((await agent.post('/refresh')).body).toBe('alice');

  const { url } = (await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(200)).body;
  const { headers } = await agent.get(url).expect(302);
  expect(headers.location).toMatch(`${issuer}/session/end?`);
  const back = await browser.authorize(String(headers.location), {});
  expect(back.origin + back.pathname).toBe(other.postLogoutRedirectURI);
  const { text } = await agent.get(back.pathname + back.search).expect(200);
  expect(text).toContain('You are signed out of this site and of the sign-in service.');
  expect(names).toContain('signed_out');
  expect(names).not.toContain('revocation_failed');

  // The session at the provider has ended.
  const { headers: again } = await agent.get('/auth/login?prompt=none').expect(302);
  const refused = await browser.authorize(String(again.location), {});
  expect(refused.searchParams.get('error')).toBe('login_required');
});

describe('the protocol at oidc-provider', () => {
  function clientOf({ issuer, clientID, clientSecret }: OtherProvider, name: FlowName) {
    const client = { issuer, clientID, clientSecret: new Secret(clientSecret), redirectURI: callbackURL };
    const endpointOrigins = [new URL(issuer).origin];
    const flow = { ...flowOf({ flow: name }), discovery: true };
    const settings = { ...client, clock: systemClock, timeout: 10_000, endpointOrigins, flow };
    return new AuthorizationServer(settings, createFetch(), new PendingWork());
  }

  async function redeem(other: OtherProvider, flow: FlowName = 'openid') {
    const client = clientOf(other, flow);
    const { url, transaction } = await client.request();
    const callback = await new BrowserUser().authorize(url, user);
    return { client, callback, transaction, tokens: await client.redeem(callback.searchParams, transaction) };
  }

  test.each(['space in it', 'pl+us', "co:lon!~'()*", '%41%20'])(
    'the client secret "%s" is accepted by both authentication methods',
    async (clientSecret) => {
      for (const [flow, authMethod] of [
        ['openid', 'client_secret_basic'],
        ['profile', 'client_secret_post'],
      ] as const) {
        await using other = await startOtherProvider(callbackURL, { clientSecret, authMethod });
        const { client, tokens } = await redeem(other, flow);
        expect((await client.refresh(tokens)).scope).toEqual([flow === 'openid' ? 'openid' : 'basic']);
        await client.revoke(tokens.refreshToken as Secret);
      }
    },
  );
});

describe('the scopes and claims of oidc-provider', () => {
  const scope = 'openid profile email groups offline_access';
  const claims = { sub: 'alice', name: 'Alice', groups: ['clinicians'] };
  const configuration = {
    scopes: ['openid'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ ...claims, sub: id, ...(id !== 'alice' && { groups: ['visitors'] }) }),
    }),
  };

  let other: OtherProvider;
  beforeAll(async () => {
    other = await startOtherProvider('http://127.0.0.1:5001/auth/callback', { configuration });
  });
  afterAll(async () => other[Symbol.asyncDispose]());

  function settingsOf({ issuer, clientID, clientSecret }: OtherProvider) {
    return { issuer, clientID, clientSecret, secret, callbackURL: 'http://127.0.0.1:5001/auth/callback' };
  }

  const appWith = (...handlers: express.RequestHandler[]) =>
    express().use(session({ secret, resave: false, saveUninitialized: false }), ...handlers);
  type Agent = ReturnType<typeof request.agent>;
  const scopeOf = ({ headers }: request.Response) => new URL(headers.location as string).searchParams.get('scope');

  async function signIn(agent: Agent, path: string, login = 'alice') {
    const { headers } = await agent.get(path).set('Sec-Fetch-Site', 'same-origin').expect(302);
    const back = await new BrowserUser().authorize(headers.location as string, { login, password: 'any' });
    return await agent.get(back.pathname + back.search);
  }

  test('a group claim decides who may sign in, as the page for other servers shows', async () => {
    const program: string = '../examples/programs/group-claim.mjs';
    const { loginAt } = await import(program);
    const clinician = loginAt(settingsOf(other));
    const agent = request.agent(appWith(clinician, (req, res) => void res.json(clinician.user(req) ?? null)));
    const refused = await signIn(agent, '/auth/login', 'mallory');
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Only clinicians of this hospital')]);
    expect(takePrinted()).toEqual([expect.stringContaining('sign_in_refused')]);
    expect((await agent.get('/')).body).toBeNull();
    await signIn(agent, '/auth/login');
    expect((await agent.get('/')).body).toEqual({ id: 'alice', name: 'Alice' });
  });

  test('any scope is requested, by each way to sign in', async () => {
    const clinician = clinicianLogin({ ...settingsOf(other), scope, optionalScope: 'https://other.example/a' });
    const users = new passport.Passport();
    users.use(clinician.strategy);
    users.use('own', new ClinicianStrategy({ ...settingsOf(other), scope: scope.split(' ') }, () => ({ id: '1' })));
    const agent = request.agent(
      appWith(clinician, users.session())
        .get('/all', (req, res) => clinician.login(req, res, { scope: ['openid', 'any:one'] }))
        .get('/strategy', users.authenticate('clinician'))
        .get('/own', users.authenticate('own'))
        .get('/own-scope', users.authenticate('own', { scope: 'openid any:one' })),
    );
    const scopes: Record<string, string> = {
      '/auth/login': scope,
      '/auth/login?scope=https://other.example/a': `${scope} https://other.example/a`,
      '/all': 'openid any:one',
      '/strategy': scope,
      '/own': scope,
      '/own-scope': 'openid any:one',
    };
    for (const [path, expected] of Object.entries(scopes)) expect(scopeOf(await agent.get(path))).toBe(expected);
    expect(clinician.signInButton({ scope: 'https://other.example/a' })).toContain('scope=https%3A%2F%2Fother');
  });

  /** A site that signs users in and links accounts by one of the strategies, and saves the claims that it has received. */
  function passportSite(strategy: (received: unknown[]) => ClinicianStrategy) {
    const received: unknown[] = [];
    const users = new passport.Passport();
    users.serializeUser((user, done) => done(null, user));
    users.deserializeUser((user: Express.User, done) => done(null, user));
    users.use(strategy(received));
    const sessions = new session.MemoryStore();
    const app = express().use(session({ secret, resave: false, saveUninitialized: false, store: sessions }));
    app.use(users.session() as express.RequestHandler);
    app.get('/sign-in', users.authenticate('clinician', { prompt: 'login' }));
    app.get('/link', users.authorize('clinician', { prompt: 'login' }));
    app.get('/auth/callback', (req, res, next) => {
      const finish = req.query.link === undefined ? users.authenticate('clinician') : users.authorize('clinician');
      finish(req, res, (error?: unknown) =>
        error ? next(error) : res.json((req as { account?: object }).account ?? req.user),
      );
    });
    return { app, received, sessions };
  }

  const settings = () => ({ ...settingsOf(other), scope: 'openid profile groups' });
  const noClaims = expect.not.stringContaining('clinicians');
  function verify(received: unknown[], params: { claims?: unknown }, done: VerifyCallback) {
    received.push(params.claims);
    expect([JSON.stringify(params), inspect(params, { showHidden: true })]).toEqual([noClaims, noClaims]);
    done(null, { id: 'alice' });
  }

  test.each<[string, (received: unknown[]) => ClinicianStrategy]>([
    [
      'onSignIn of clinician.strategy',
      (received) => {
        function onSignIn(event: SignInEvent) {
          received.push(event.claims);
          expect(inspect(event)).toEqual(noClaims);
          return { id: event.identity.id };
        }
        return clinicianLogin({ ...settings(), onSignIn }).strategy;
      },
    ],
    [
      'a verify function with params',
      (received) =>
        new ClinicianStrategy(settings(), (_access, _refresh, params, _profile, done) =>
          verify(received, params, done),
        ),
    ],
  ])('the claims are an argument of %s, at each sign-in and link, and not stored', async (_, strategy) => {
    const { app, received, sessions } = passportSite(strategy);
    const agent = request.agent(app);
    for (const path of ['/sign-in', '/sign-in', '/link']) {
      const { headers } = await agent.get(path).set('Sec-Fetch-Site', 'same-origin').expect(302);
      const back = await new BrowserUser().authorize(headers.location as string, user);
      expect(back.searchParams.get('iss')).toBe(other.issuer); // RFC 9207: the strategy checks it
      const link = path === '/link' ? '&link' : '';
      expect((await agent.get(back.pathname + back.search + link)).body).toEqual({ id: 'alice' });
    }
    const { issuer: iss, clientID: aud } = other;
    const times = { iat: expect.any(Number), exp: expect.any(Number), auth_time: expect.any(Number) };
    const expected = { ...claims, iss, aud, ...times, nonce: expect.any(String) };
    expect(received).toEqual([expected, expected, expected]);
    expect(JSON.stringify((sessions as unknown as { sessions: object }).sessions)).not.toContain('clinicians');
  });
});
