import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import OAuth2Strategy from 'passport-oauth2';
import request from 'supertest';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.stop());

/** Form A as people write it by hand today: passport-oauth2, and the profile read with its own client. */
class HandMade extends OAuth2Strategy {
  override userProfile(accessToken: string, done: (error: unknown, profile?: unknown) => void): void {
    this._oauth2.useAuthorizationHeaderforGET(true);
    this._oauth2.get(`${provider.apiURL}/api/v1/users/current`, accessToken, (error, body) => {
      if (error) done(error);
      else done(null, JSON.parse(String(body)));
    });
  }
}

function site(): Express {
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
  };
  type Done = (error: null, user: unknown) => void;
  const verify = (_access: string, refresh: string, profile: Record<string, unknown>, done: Done): void =>
    done(null, { id: profile.id, email: profile.email, verified: profile.verified, refreshable: refresh !== '' });
  users.use('by-hand', new HandMade(options, verify));
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(users.session());
  app.get('/login', users.authenticate('by-hand'));
  app.get('/callback', users.authenticate('by-hand', { successRedirect: '/me' }));
  app.get('/me', (req, res) => void res.json(req.user ?? null));
  return app;
}

describe('passport-oauth2 at the mock provider, Form A', () => {
  test('signs in with the secret in the form, and reads the profile', async () => {
    const response = await signIn(request.agent(site()), provider, { as: 'verified', loginPath: '/login' });
    expect(response.body).toMatchObject({ id: expect.any(Number), verified: true, refreshable: true });
    expect(response.body.email).toContain('@');
  });

  test('decision 35: hears of a denial', async () => {
    const agent = request.agent(site());
    const response = await signIn(agent, provider, { as: 'verified', loginPath: '/login', deny: true });
    expect(response.status).toBe(401);
    expect((await agent.get('/me')).body).toBeNull();
  });
});
