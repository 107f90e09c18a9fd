import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { signIn } from 'passport-clinician/testing';
import OAuth2Strategy from 'passport-oauth2';
import request from 'supertest';
import { provider } from '../helpers/provider.js';

/** Form A with passport-oauth2 only; the strategy reads the profile with the library's own client. */
class ProfileStrategy extends OAuth2Strategy {
  override userProfile(accessToken: string, done: (error: unknown, profile?: unknown) => void): void {
    this._oauth2.useAuthorizationHeaderforGET(true);
    this._oauth2.get(`${provider.apiURL}/api/v1/users/current`, accessToken, (error, body) => {
      if (error) done(error);
      else done(null, JSON.parse(String(body)));
    });
  }

  /** @returns the new access token */
  refresh(refreshToken: string): Promise<string> {
    const params = { grant_type: 'refresh_token' };
    return new Promise((resolve, reject) => {
      this._oauth2.getOAuthAccessToken(refreshToken, params, (error, accessToken) => {
        if (error) reject(error);
        else resolve(String(accessToken));
      });
    });
  }
}

interface Site {
  app: Express;
  strategy: ProfileStrategy;
  /** The tokens of the last sign-in. */
  pair: { access: string; refresh: string };
}

function site(more: { pkce?: boolean } = {}): Site {
  const users = new passport.Passport();
  users.serializeUser((user, done) => done(null, user));
  users.deserializeUser((user: Express.User, done) => done(null, user));
  const options = {
    authorizationURL: `${provider.issuer}/oauth/authorize`,
    tokenURL: `${provider.issuer}/oauth/token`,
    clientID: provider.clients.profile.clientID,
    clientSecret: provider.clients.profile.clientSecret,
    callbackURL: 'http://127.0.0.1:5001/callback',
    scope: 'basic email',
    state: true,
    ...more,
  };
  const pair = { access: '', refresh: '' };
  type Done = (error: null, user: unknown) => void;
  const verify = (access: string, refresh: string, profile: Record<string, unknown>, done: Done): void => {
    Object.assign(pair, { access, refresh });
    done(null, { id: profile.id, email: profile.email, verified: profile.verified });
  };
  const strategy = new ProfileStrategy(options, verify);
  users.use('profile', strategy);
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(users.session());
  app.get('/login', users.authenticate('profile'));
  app.get('/callback', users.authenticate('profile', { successRedirect: '/me' }));
  app.get('/me', (req, res) => void res.json(req.user ?? null));
  return { app, strategy, pair };
}

const as = { as: 'verified', loginPath: '/login' };

async function statusOf(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${provider.apiURL}/api/v1/users/current`, { headers })).status;
}

describe('passport-oauth2 at the mock provider, Form A', () => {
  test.each([
    ['without PKCE', {}],
    ['with PKCE', { pkce: true }],
  ])('signs in with the secret in the form, %s, and reads the profile', async (_title, more) => {
    const { body } = await signIn(request.agent(site(more).app), provider, as);
    expect(body).toMatchObject({ id: expect.any(Number), verified: true });
    expect(body.email).toContain('@');
  });

  test('a refresh revokes the pair before it', async () => {
    const { app, strategy, pair } = site();
    await signIn(request.agent(app), provider, as);
    const refreshed = await strategy.refresh(pair.refresh);
    expect([await statusOf(pair.access), await statusOf(refreshed)]).toEqual([401, 200]);
    await expect(strategy.refresh(pair.refresh)).rejects.toMatchObject({ statusCode: 400 });
  });
});
