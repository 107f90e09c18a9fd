// A site with express-openid-connect, in a separate process: jest cannot require the ES modules that it requires.
import express from 'express';
import openid from 'express-openid-connect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const app = express();
const server = app.listen(0, '127.0.0.1', () => {
  const baseURL = `http://127.0.0.1:${server.address().port}`;
  addRoutes(baseURL);
  console.log(baseURL);
});

function addRoutes(baseURL) {
  app.use(
    openid.auth({
      issuerBaseURL: ISSUER,
      baseURL,
      clientID: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      clientAuthMethod: 'client_secret_basic',
      secret: 'only for this test, and long enough for a key',
      authRequired: false,
      idpLogout: true,
      authorizationParams: { response_type: 'code', scope: 'openid basic' },
    }),
  );
  app.get('/', (req, res) => res.json({ signedIn: req.oidc.isAuthenticated(), sub: req.oidc.user?.sub ?? null }));
  app.get('/silent', (_req, res) => res.oidc.login({ returnTo: '/', authorizationParams: { prompt: 'none' } }));
  app.get('/userinfo', async (req, res) => res.json(await req.oidc.fetchUserInfo()));
  app.get('/refresh', async (req, res) => {
    const { access_token: before } = req.oidc.accessToken;
    const { access_token: after } = await req.oidc.accessToken.refresh();
    res.json({ isNewToken: before !== after, sub: req.oidc.user.sub });
  });
}
