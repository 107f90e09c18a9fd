import express from 'express';
import openid from 'express-openid-connect';

const { APP_URL, CLINICIAN_API_URL, PORT = '3000' } = process.env;
const admins = new Set([1234567893]); // by National Provider Identifier

async function readProfile(accessToken) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${CLINICIAN_API_URL}/api/v1/users/current`, { headers });
  if (!response.ok) throw new Error(`The profile cannot be read: ${response.status}`);
  return response.json();
}

const app = express();
app.use(
  openid.auth({
    issuerBaseURL: process.env.CLINICIAN_ISSUER,
    baseURL: APP_URL,
    clientID: process.env.CLINICIAN_CLIENT_ID,
    clientSecret: process.env.CLINICIAN_CLIENT_SECRET,
    clientAuthMethod: 'client_secret_basic',
    secret: process.env.SESSION_SECRET,
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope: 'openid basic' },
    afterCallback: async (_req, _res, tokens) => {
      const { full_name, npi, verified } = await readProfile(tokens.access_token);
      return { ...tokens, name: full_name, npi, verified };
    },
  }),
);

const only = (condition) => (req, res, next) =>
  condition(req.appSession) ? next() : res.status(403).send('Not for you');
const requireVerified = only(({ verified }) => verified);

app.get('/', (req, res) => {
  res.send(req.oidc.isAuthenticated() ? '<a href="/logout">Sign out</a>' : '<a href="/login">Sign in</a>');
});
app.use(openid.requiresAuth()); // the routes above are public
app.get('/account', (req, res) => res.send(`Account ${req.oidc.user.sub}`));
app.get('/notes', requireVerified, (_req, res) => res.send('<form method="post"><button>Add a note</button></form>'));
app.post('/notes', requireVerified, (req, res) => res.send(`Note of ${req.oidc.user.sub}`));
app.get('/api/me', async (req, res) => {
  let { accessToken } = req.oidc;
  if (accessToken.isExpired()) accessToken = await accessToken.refresh();
  const { full_name } = await readProfile(accessToken.access_token);
  res.json({ name: full_name });
});
app.get(
  '/admin',
  only(({ npi }) => admins.has(npi)),
  (_req, res) => res.send('For admins'),
);
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
