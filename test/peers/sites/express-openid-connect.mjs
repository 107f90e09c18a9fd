// A site on express-openid-connect. In a process of its own, because jest cannot require the ESM that it requires.
import express from 'express';
import openid from 'express-openid-connect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const app = express();
app.use(
  openid.auth({
    issuerBaseURL: ISSUER,
    baseURL: 'http://127.0.0.1:5001',
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    clientAuthMethod: 'client_secret_basic',
    secret: 'only for this test, and long enough for a key',
    authRequired: false,
    authorizationParams: { response_type: 'code', scope: 'openid' },
  }),
);
app.get('/', (req, res) => res.json({ signedIn: req.oidc.isAuthenticated(), sub: req.oidc.user?.sub ?? null }));
const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
