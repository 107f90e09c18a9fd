import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import type { ClientRegistration } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import OpenIDConnectStrategy, { type Profile, type VerifyCallback } from 'passport-openidconnect';
import request from 'supertest';
import { provider } from '../helpers/provider.js';

const callbackURL = 'http://127.0.0.1:5001/callback';

/** The verify function: makes a user with the values that the tests check. */
function verify(
  _issuer: string,
  fromUserinfo: object,
  fromIDToken: object,
  context: object,
  _idToken: string | object,
  _accessToken: string | object,
  refreshToken: string,
  { token_type }: { token_type: string },
  done: VerifyCallback,
): void {
  const [userinfo, { id }] = [fromUserinfo as Profile, fromIDToken as Profile];
  const { timestamp: signedInAt } = context as { timestamp?: Date };
  const isRefreshable = refreshToken !== '';
  done(null, { id, userinfo: userinfo.id, name: userinfo.displayName, signedInAt, isRefreshable, token_type });
}

const sendErrorCode: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).json({ code: error.code });

/** The library sends the secret only in the form. For a header, a site omits the secret and adds the header. */
function site(registration: Partial<ClientRegistration> = { requirePKCE: false }): Express {
  const redirectURIs = [callbackURL];
  const scope = 'openid basic';
  const client = provider.registerClient({ flow: 'openid', redirectURIs, scope, ...registration });
  const basic = Buffer.from(`${client.clientID}:${client.clientSecret}`).toString('base64');
  const options = {
    issuer: provider.issuer,
    authorizationURL: `${provider.issuer}/oauth/authorize`,
    tokenURL: `${provider.issuer}/oauth/token`,
    userInfoURL: `${provider.issuer}/oauth/userinfo`,
    clientID: client.clientID,
    clientSecret: '',
    customHeaders: { Authorization: `Basic ${basic}` },
    callbackURL,
    scope: 'basic',
    nonce: 'any',
    maxAge: '60',
  };
  const users = new passport.Passport();
  users.serializeUser((user, done) => done(null, user));
  users.deserializeUser((user: Express.User, done) => done(null, user));
  users.use(new OpenIDConnectStrategy(options, verify));
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(users.session());
  app.get('/login', users.authenticate('openidconnect'));
  app.get('/callback', users.authenticate('openidconnect', { successRedirect: '/me' }));
  app.get('/me', (req, res) => void res.json(req.user ?? null));
  app.use(sendErrorCode);
  return app;
}

const as = { as: 'verified', loginPath: '/login' };

describe('passport-openidconnect at the mock provider, Form B', () => {
  test('signs in with its nonce, max_age and ID Token checks, and reads userinfo', async () => {
    const { body } = await signIn(request.agent(site()), provider, as);
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).toMatchObject({ userinfo: body.id, name: expect.any(String), signedInAt: expect.any(String) });
    expect(body).toMatchObject({ isRefreshable: true, token_type: 'bearer' });
  });

  test('it does not support PKCE, so a client that requires it is refused', async () => {
    const agent = request.agent(site({}));
    const response = await signIn(agent, provider, as);
    expect([response.status, response.body]).toEqual([500, { code: 'invalid_request' }]);
    expect((await agent.get('/me')).body).toBeNull();
  });
});
