import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { ClinicianStrategy } from 'passport-clinician';
import request from 'supertest';
import { BrowserUser } from '../browser-user.js';
import { type ForeignProvider, startForeignProvider } from './oidc-provider.js';

const callbackURL = 'http://127.0.0.1:5001/callback';

let provider: ForeignProvider;
beforeAll(async () => {
  provider = await startForeignProvider(callbackURL);
});
afterAll(() => provider.stop());

function site({ issuer, clientID, clientSecret }: ForeignProvider): Express {
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

describe('ClinicianStrategy at oidc-provider, a provider of other people', () => {
  test('signs in: discovery, PKCE, client_secret_basic, an ID Token for the client alone', async () => {
    const agent = request.agent(site(provider));
    const { headers } = await agent.get('/login').expect(302);
    expect(headers.location).toMatch(`${provider.issuer}/auth?`);
    const callback = await new BrowserUser().answer(String(headers.location), { login: 'alice', password: 'any' });
    expect(callback.searchParams.get('iss')).toBe(provider.issuer); // attack 88: it says who it is, so that is checked
    const back = await agent.get(callback.pathname + callback.search).expect(302);
    expect(back.headers.location).toBe('/me');
    const me = await agent.get('/me').expect(200);
    expect(me.body).toEqual({ id: 'alice', refreshable: true, scope: 'openid' });
  });

  test('attack 88: an answer in the name of another issuer signs nobody in', async () => {
    const agent = request.agent(site(provider));
    const { headers } = await agent.get('/login').expect(302);
    const callback = await new BrowserUser().answer(String(headers.location), { login: 'alice', password: 'any' });
    callback.searchParams.set('iss', 'https://auth.elsewhere.example');
    const refused = await agent.get(callback.pathname + callback.search);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect((await agent.get('/me').expect(200)).body).toBeNull();
  });
});
