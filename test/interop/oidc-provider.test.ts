import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { ClinicianStrategy, clinicianLogin } from 'passport-clinician';
import request from 'supertest';
import { systemClock } from '../../lib/async/clock.js';
import { AuthorizationServer } from '../../lib/authorization-server/authorization-server.js';
import { readKeys } from '../../lib/authorization-server/jwks.js';
import { createFetch } from '../../lib/http/http.js';
import { Secret } from '../../lib/sealing/secret.js';
import { codeOf } from '../authorization-server/sign-in.js';
import { BrowserUser } from '../helpers/browser-user.js';
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
  function clientOf({ issuer, clientID, clientSecret }: OtherProvider, options: { flow: 'openid' | 'profile' }) {
    return new AuthorizationServer({
      ...{ issuer, clientID, clientSecret: new Secret(clientSecret), redirectURI: callbackURL },
      ...{ clock: systemClock, fetch: createFetch(), discovery: true },
      ...options,
    });
  }

  async function redeem(other: OtherProvider, flow: 'openid' | 'profile' = 'openid') {
    const client = clientOf(other, { flow });
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
    expect(await codeOf(clientOf(other, { flow: 'openid' }).revoke(tokens.accessToken))).toBe('invalid_client');
  });

  test('offline_access is requested only where the metadata lists it', async () => {
    const { url } = await clientOf(provider, { flow: 'openid' }).request({ scope: ['openid', 'offline_access'] });
    expect(new URL(url).searchParams.get('scope')).toBe('openid offline_access');
    const other = { configuration: { scopes: ['openid'] } };
    await withProvider(other, async (narrow) => {
      const client = clientOf(narrow, { flow: 'openid' });
      expect(await codeOf(client.request({ scope: ['openid', 'offline_access'] }))).toBe('option_invalid');
    });
  });
});
