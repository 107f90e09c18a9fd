import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { ClinicianStrategy } from 'passport-clinician';
import request from 'supertest';
import { BrowserUser } from '../browser-user.js';
import { type OtherProvider, startOtherProvider } from './oidc-provider.js';

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
