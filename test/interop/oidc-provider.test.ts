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
import { readKeys } from '../../lib/authorization-server/jwks.js';
import { createFetch } from '../../lib/http/http.js';
import { Secret } from '../../lib/sealing/sealer.js';
import { codeOf } from '../authorization-server/sign-in.js';
import { BrowserUser } from '../helpers/browser-user.js';
import { takePrinted } from '../helpers/printed.js';
import { type OtherProvider, type OtherProviderOptions, startOtherProvider } from './oidc-provider.js';

const callbackURL = 'http://127.0.0.1:5001/callback';

let provider: OtherProvider;
beforeAll(async () => {
  provider = await startOtherProvider(callbackURL);
});
afterAll(() => provider.stop());

function site({ issuer, clientID, clientSecret }: OtherProvider): Express {
  const users = new passport.Passport();
  users.serializeUser((user, done) => done(null, user));
  users.deserializeUser((user: Express.User, done) => done(null, user));
  const secret = 'only for this test, and long enough for a key';
  const options = { issuer, clientID, clientSecret, callbackURL, secret, flow: 'openid' as const };
  users.use(
    new ClinicianStrategy(options, (_accessToken, refreshToken, params, profile, done) => {
      done(null, { id: profile.id, refreshable: typeof refreshToken === 'string', scope: params.scope });
    }),
  );
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(users.session());
  app.get('/login', users.authenticate('clinician'));
  app.get('/callback', users.authenticate('clinician', { successRedirect: '/me' }));
  app.get('/me', (req, res) => void res.json(req.user ?? null));
  return app;
}

describe('ClinicianStrategy at oidc-provider', () => {
  test('signs in with discovery, PKCE, client_secret_basic and an ID Token for only this client', async () => {
    const agent = request.agent(site(provider));
    const { headers } = await agent.get('/login').expect(302);
    expect(headers.location).toMatch(`${provider.issuer}/auth?`);
    const callback = await new BrowserUser().authorize(String(headers.location), { login: 'alice', password: 'any' });
    expect(callback.searchParams.get('iss')).toBe(provider.issuer); // RFC 9207: the strategy checks it
    const response = await agent.get(callback.pathname + callback.search).expect(302);
    expect(response.headers.location).toBe('/me');
    const me = await agent.get('/me').expect(200);
    expect(me.body).toEqual({ id: 'alice', refreshable: true, scope: 'openid' });
  });

  test('a response with the iss of another issuer does not sign in', async () => {
    const agent = request.agent(site(provider));
    const { headers } = await agent.get('/login').expect(302);
    const callback = await new BrowserUser().authorize(String(headers.location), { login: 'alice', password: 'any' });
    callback.searchParams.set('iss', 'https://auth.elsewhere.example');
    const refused = await agent.get(callback.pathname + callback.search);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect((await agent.get('/me').expect(200)).body).toBeNull();
  });
});

const secret = 'only-for-this-test-and-long-enough-for-a-key';
const user = { login: 'alice', password: 'any' };

/** Runs a test at another provider with these options. */
async function withProvider(options: OtherProviderOptions, run: (other: OtherProvider) => Promise<void>) {
  const other = await startOtherProvider(callbackURL, options);
  try {
    await run(other);
  } finally {
    await other.stop();
  }
}

/** A refresh token only for offline_access, as is the default of oidc-provider. */
const offlineOnly = {
  configuration: {
    issueRefreshToken: async (_context: unknown, _client: unknown, { scopes }: { scopes: Set<string> }) =>
      scopes.has('offline_access'),
  },
};

describe('clinicianLogin at oidc-provider', () => {
  const loginURL = 'http://127.0.0.1:5001/auth/callback';

  function loginSite({ issuer, clientID, clientSecret }: OtherProvider, scope: string) {
    const names: string[] = [];
    const clinician = clinicianLogin({
      ...{ issuer, clientID, clientSecret, callbackURL: loginURL, secret, scope },
      onEvent: ({ name }) => names.push(name),
    });
    const app = express();
    app.use(session({ secret, resave: false, saveUninitialized: false }));
    app.use(clinician);
    app.get('/me', clinician.requireLogin(), async (req, res) => {
      res.json({ id: req.clinician.identity?.id, state: await clinician.grant(req).state() });
    });
    app.post('/refresh', clinician.requireLogin(), async (req, res) => {
      const outcome = clinician
        .grant(req)
        .refresh()
        .then(() => 'done');
      res.json(await outcome.catch(({ code }: { code: string }) => code));
    });
    return { app, names };
  }

  async function signIn(app: Express, browser: BrowserUser, link = '/auth/login') {
    const agent = request.agent(app);
    const { headers } = await agent.get(link).expect(302);
    const callback = await browser.authorize(String(headers.location), user);
    await agent.get(callback.pathname + callback.search).expect(302);
    return agent;
  }

  async function withLogin(options: OtherProviderOptions, run: (other: OtherProvider) => Promise<void>) {
    const other = await startOtherProvider(loginURL, options);
    try {
      await run(other);
    } finally {
      await other.stop();
    }
  }

  test('signs in with offline_access, refreshes, and signs out at the provider', async () => {
    await withLogin(offlineOnly, async (other) => {
      const { app, names } = loginSite(other, 'openid offline_access');
      const browser = new BrowserUser();
      const agent = await signIn(app, browser, '/auth/login?prompt=consent');
      expect((await agent.get('/me').expect(200)).body).toMatchObject({ id: 'alice', state: { refreshable: true } });
      for (let count = 0; count < 2; count += 1) expect((await agent.post('/refresh')).body).toBe('done');

      const { url } = (await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(200)).body;
      const { headers } = await agent.get(url).expect(302);
      expect(headers.location).toMatch(`${other.issuer}/session/end?`);
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
  });

  test('without offline_access there is no refresh token: refresh() says so, and the login continues', async () => {
    await withLogin(offlineOnly, async (other) => {
      const agent = await signIn(loginSite(other, 'openid').app, new BrowserUser());
      expect((await agent.post('/refresh')).body).toBe('refresh_token_missing');
      expect((await agent.get('/me').expect(200)).body).toMatchObject({ state: { refreshable: false } });
    });
  });
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

  test('the key set has the content type application/jwk-set+json with a charset', async () => {
    const response = await fetch(`${provider.issuer}/jwks`);
    expect(response.headers.get('content-type')).toBe('application/jwk-set+json; charset=utf-8');
    expect(await readKeys(createFetch(), `${provider.issuer}/jwks`)).toMatchObject([{ kid: 'other' }]);
  });

  test.each(['space in it', 'per%cent', 'pl+us', 'co:lon', 'sla/sh=', "!~'()*", 'a-b.c_d', '%41%20'])(
    'the client secret "%s" is accepted by both authentication methods',
    async (clientSecret) => {
      await withProvider({ clientSecret }, async (other) => {
        const { client, tokens } = await redeem(other);
        expect((await client.refresh(tokens)).subject).toBe('alice');
        await client.revoke(tokens.refreshToken as Secret);
      });
      await withProvider({ clientSecret, authMethod: 'client_secret_post' }, async (other) => {
        const { client, tokens } = await redeem(other, 'profile');
        expect((await client.refresh(tokens)).scope).toEqual(['basic']);
        await client.revoke(tokens.refreshToken as Secret);
      });
    },
  );

  test('a revoked refresh token, and a code that is used twice, are invalid_grant', async () => {
    const { client, callback, transaction, tokens } = await redeem(provider);
    await client.revoke(tokens.refreshToken as Secret);
    expect(await codeOf(client.refresh(tokens))).toBe('invalid_grant');
    expect(await codeOf(client.redeem(callback.searchParams, transaction))).toBe('invalid_grant');
  });

  test('a wrong client secret is invalid_client', async () => {
    const other = { ...provider, clientSecret: 'wrong' };
    expect(await codeOf(redeem(other))).toBe('invalid_client');
    const { tokens } = await redeem(provider);
    expect(await codeOf(clientOf(other, 'openid').revoke(tokens.accessToken))).toBe('invalid_client');
  });
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
  afterAll(() => other.stop());

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

  test.each<[string, string | string[]]>([
    ['a string', scope],
    ['an array', scope.split(' ')],
  ])('any scope is requested from %s, by each way to sign in', async (_, value) => {
    const clinician = clinicianLogin({ ...settingsOf(other), scope: value, optionalScope: 'https://other.example/a' });
    const users = new passport.Passport();
    users.use(clinician.strategy);
    users.use('own', new ClinicianStrategy({ ...settingsOf(other), scope: value }, () => ({ id: '1' })));
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

  test('requireScope() of any scope requests it, and what was granted is requested again', async () => {
    const clinician = clinicianLogin({ ...settingsOf(other), scope: 'openid groups', optionalScope: 'profile' });
    const app = appWith(clinician).get(
      '/name',
      clinician.requireScope('profile'),
      (_req, res) => void res.send('Alice'),
    );
    expect(() => clinician.requireScope('email')).toThrow("Add it: scope: 'openid groups email'");
    const agent = request.agent(app);
    await signIn(agent, '/auth/login');
    expect((await agent.get('/name').set('Accept', 'text/html')).status).toBe(403);
    await signIn(agent, '/auth/login?scope=profile&prompt=consent');
    expect((await agent.get('/name')).text).toBe('Alice');
    expect(scopeOf(await agent.get('/auth/login?prompt=login'))).toBe('openid groups profile');
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
    [
      'a verify function with req and params',
      (received) =>
        new ClinicianStrategy(
          { ...settings(), passReqToCallback: true },
          (_req, _access, _refresh, params, _profile, done) => verify(received, params, done),
        ),
    ],
  ])('the claims are an argument of %s, at each sign-in and link, and not stored', async (_, strategy) => {
    const { app, received, sessions } = passportSite(strategy);
    const agent = request.agent(app);
    for (const path of ['/sign-in', '/sign-in', '/link']) {
      const { headers } = await agent.get(path).set('Sec-Fetch-Site', 'same-origin').expect(302);
      const back = await new BrowserUser().authorize(headers.location as string, user);
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
