import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';

const { APP_URL, PORT = '3000', SESSION_SECRET } = process.env;
const admins = new Set([1234567893]); // by National Provider Identifier

const clinician = clinicianLogin({
  issuer: process.env.CLINICIAN_ISSUER,
  apiURL: process.env.CLINICIAN_API_URL,
  clientID: process.env.CLINICIAN_CLIENT_ID,
  clientSecret: process.env.CLINICIAN_CLIENT_SECRET,
  callbackURL: `${APP_URL}/callback`,
  postLogoutRedirectURI: APP_URL,
  routes: { login: '/login', logout: '/logout' },
  secret: SESSION_SECRET,
  scope: 'openid basic',
  onSignIn: ({ identity, profile }) => ({ id: identity.id, name: profile?.fullName }),
});

const app = express();
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(clinician);

app.get('/', (req, res) => {
  res.send(req.user ? clinician.signOutButton() : '<a href="/login">Sign in</a>');
});
app.use(clinician.requireLogin()); // the routes above are public
app.get('/account', (req, res) => res.send(`Account ${req.user.id}`));
app.get('/notes', clinician.requireVerified(), (_req, res) => {
  res.send('<form method="post"><button>Add a note</button></form>');
});
app.post('/notes', clinician.requireSameOrigin(), clinician.requireVerified(), (req, res) => {
  res.send(`Note of ${req.user.id}`);
});
app.get('/api/me', async (req, res) => {
  const { fullName } = await clinician.api(req).profile();
  res.json({ name: fullName });
});
const requireAdmin = clinician.requireProfile(({ npi }) => admins.has(npi));
app.get('/admin', requireAdmin, (_req, res) => res.send('For admins'));
app.use(clinician.errorHandler());
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
