// One small site for each library, as in its README or examples, with HTTP Basic at the token endpoint, which the service requires.
// Each process imports only its own library: on Node 20.19.0 CommonJS cannot require a module (jose) that another library is
// still importing.
import express from 'express';
import session from 'express-session';
import passport from 'passport';

const secret = 'only for this test, and long enough for a key';
const scope = 'openid basic';

/** Adds `/me`, which reports whether the user is signed in. */
function addMe(app, userOf) {
  app.get('/me', async (req, res) => res.json({ isSignedIn: Boolean(await userOf(req)) }));
}

async function expressOpenidConnect({ origin, issuer, clientID, clientSecret, userinfo, timeoutMs }) {
  const { default: openid } = await import('express-openid-connect');
  const app = express();
  app.use(
    openid.auth({
      issuerBaseURL: issuer,
      baseURL: origin,
      clientID,
      clientSecret,
      secret,
      authRequired: false,
      httpTimeout: timeoutMs,
      clientAuthMethod: 'client_secret_basic',
      authorizationParams: { response_type: 'code', scope },
    }),
  );
  app.get('/', (_req, res) => res.send('home'));
  addMe(app, async (req) => (userinfo && req.oidc.isAuthenticated() ? req.oidc.fetchUserInfo() : req.oidc.user));
  return app;
}

/** A site with Passport and one strategy. */
function passportSite(strategy, name) {
  const users = new passport.Passport();
  users.use(name, strategy);
  users.serializeUser((user, done) => done(null, user));
  users.deserializeUser((user, done) => done(null, user));
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: false }));
  app.use(users.session());
  app.get('/login', users.authenticate(name));
  app.get('/callback', users.authenticate(name, { successRedirect: '/' }));
  app.get('/', (_req, res) => res.send('home'));
  addMe(app, (req) => req.user);
  return app;
}

async function openidClient({ origin, issuer, clientID, clientSecret, userinfo, timeoutMs, nonRepudiation }) {
  const [client, { Strategy }] = await Promise.all([import('openid-client'), import('openid-client/passport')]);
  const execute = [client.allowInsecureRequests, ...(nonRepudiation ? [client.enableNonRepudiationChecks] : [])];
  const authentication = client.ClientSecretBasic(clientSecret);
  const timeout = timeoutMs / 1000;
  const config = await client.discovery(new URL(issuer), clientID, undefined, authentication, { execute, timeout });
  const verify = async (tokens, verified) => {
    const { sub } = tokens.claims();
    if (!userinfo) return verified(null, { sub });
    client.fetchUserInfo(config, tokens.access_token, sub).then((user) => verified(null, user), verified);
  };
  return passportSite(new Strategy({ config, scope, callbackURL: `${origin}/callback` }, verify), 'openid');
}

async function authExpress({ issuer, clientID, clientSecret, userinfo }) {
  const { ExpressAuth, getSession } = await import('@auth/express');
  const provider = {
    id: 'clinician',
    name: 'Clinician',
    type: 'oidc',
    issuer,
    clientId: clientID,
    clientSecret,
    authorization: { params: { scope } },
    checks: ['pkce', 'state', 'nonce'],
    ...(userinfo && { idToken: false }),
  };
  const config = { providers: [provider], secret, trustHost: true, logger: { error() {}, warn() {} } };
  const app = express();
  app.use('/auth', ExpressAuth(config));
  app.get('/', (_req, res) => res.send('home'));
  addMe(app, (req) => getSession(req, config));
  return app;
}

/** The library sends the secret only in the form: to send it in a header, a site sets the header and an empty secret. */
async function passportOpenidconnect({ origin, issuer, clientID, clientSecret, userinfo }) {
  const { default: OpenIDConnectStrategy } = await import('passport-openidconnect');
  const basic = Buffer.from(`${clientID}:${clientSecret}`).toString('base64');
  const strategy = new OpenIDConnectStrategy(
    {
      issuer,
      authorizationURL: `${issuer}/oauth/authorize`,
      tokenURL: `${issuer}/oauth/token`,
      userInfoURL: `${issuer}/oauth/userinfo`,
      clientID,
      clientSecret: '',
      customHeaders: { Authorization: `Basic ${basic}` },
      callbackURL: `${origin}/callback`,
      scope: 'basic',
      nonce: true,
      skipUserProfile: !userinfo,
    },
    (_issuer, profile, done) => done(null, { id: profile.id }),
  );
  return passportSite(strategy, 'openidconnect');
}

export const createSite = {
  'express-openid-connect': expressOpenidConnect,
  'openid-client/passport': openidClient,
  '@auth/express': authExpress,
  'passport-openidconnect': passportOpenidconnect,
};
