import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { APP_URL, CLINICIAN_API_URL, CLINICIAN_CLIENT_ID, CLINICIAN_CLIENT_SECRET, CLINICIAN_ISSUER } = process.env;
const admins = new Set([1234567893]); // by National Provider Identifier

async function readProfile(accessToken) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${CLINICIAN_API_URL}/api/v1/users/current`, { headers });
  if (!response.ok) throw new Error(`The profile cannot be read: ${response.status}`);
  return response.json();
}

const credentials = Buffer.from(`${CLINICIAN_CLIENT_ID}:${CLINICIAN_CLIENT_SECRET}`).toString('base64');
const strategy = new OpenIDConnectStrategy(
  {
    issuer: CLINICIAN_ISSUER,
    authorizationURL: `${CLINICIAN_ISSUER}/oauth/authorize`,
    tokenURL: `${CLINICIAN_ISSUER}/oauth/token`,
    userInfoURL: `${CLINICIAN_ISSUER}/oauth/userinfo`,
    clientID: CLINICIAN_CLIENT_ID,
    customHeaders: { Authorization: `Basic ${credentials}` },
    callbackURL: `${APP_URL}/callback`,
    scope: ['basic'],
  },
  (_issuer, { id }, _context, _idToken, accessToken, _refreshToken, done) => {
    readProfile(accessToken).then(({ npi, verified }) => done(null, { id, npi, verified, accessToken }), done);
  },
);
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const requireUser = (condition) => (req, res, next) => {
  if (req.user) return condition(req.user) ? next() : res.status(403).send('Not for you');
  req.session.returnTo = req.originalUrl;
  res.redirect('/login');
};
const requireLogin = requireUser(() => true);
const requireVerified = requireUser(({ verified }) => verified);

const app = express();
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(passport.session());

app.get('/login', passport.authenticate('openidconnect'));
app.get(
  '/callback',
  passport.authenticate('openidconnect', {
    failureRedirect: '/',
    keepSessionInfo: true,
    successReturnToOrRedirect: '/',
  }),
);
app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect('/'))));

app.get('/', (req, res) => {
  const signOut = '<form method="post" action="/logout"><button>Sign out</button></form>';
  res.send(req.user ? signOut : '<a href="/login">Sign in</a>');
});
app.get('/account', requireLogin, (req, res) => res.send(`Account ${req.user.id}`));
app.get('/notes', requireVerified, (_req, res) => res.send('<form method="post"><button>Add a note</button></form>'));
app.post('/notes', requireVerified, (req, res) => res.send(`Note of ${req.user.id}`));
app.get('/api/me', requireLogin, async (req, res) => {
  const { full_name } = await readProfile(req.user.accessToken);
  res.json({ name: full_name });
});
app.get(
  '/admin',
  requireUser(({ npi }) => admins.has(npi)),
  (_req, res) => res.send('For admins'),
);
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(APP_URL));
