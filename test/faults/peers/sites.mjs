// One small site for each peer, as its README or its examples have it. What the service wants is added: Basic at the token endpoint.
// Each is loaded by the process that it is for: side by side in one they stand in each other's way on Node 20.19.0, which does
// not let CommonJS require the very module (jose) that an import is still loading.
import express from 'express';
import session from 'express-session';
import passport from 'passport';

const secret = 'only for this test, and long enough for a key';
/** Of those that have a time limit to set, in milliseconds. */
const PATIENCE = 2_500;
const scope = 'openid basic';

/** `/me` says whether somebody is signed in. */
function tellWho(app, who) {
  app.get('/me', async (req, res) => res.json({ isSignedIn: Boolean(await who(req)) }));
}

async function expressOpenidConnect({ origin, issuer, clientID, clientSecret, userinfo }) {
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
      httpTimeout: PATIENCE,
      clientAuthMethod: 'client_secret_basic',
      authorizationParams: { response_type: 'code', scope },
    }),
  );
  app.get('/', (_req, res) => res.send('home'));
  tellWho(app, async (req) => (userinfo && req.oidc.isAuthenticated() ? req.oidc.fetchUserInfo() : req.oidc.user));
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
  tellWho(app, (req) => req.user);
  return app;
}

async function openidClient({ origin, issuer, clientID, clientSecret, userinfo, nonRepudiation }) {
  const [client, { Strategy }] = await Promise.all([import('openid-client'), import('openid-client/passport')]);
  const execute = [client.allowInsecureRequests, ...(nonRepudiation ? [client.enableNonRepudiationChecks] : [])];
  const authentication = client.ClientSecretBasic(clientSecret);
  const timeout = PATIENCE / 1000;
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
  tellWho(app, (req) => getSession(req, config));
  return app;
}

/** By itself it sends the secret in the form alone: to send it in a header, a site takes it away and writes the header. */
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

export const makers = {
  'express-openid-connect': expressOpenidConnect,
  'openid-client/passport': openidClient,
  '@auth/express': authExpress,
  'passport-openidconnect': passportOpenidconnect,
};
