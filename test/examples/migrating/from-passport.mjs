import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician';

const { APP_URL, PORT = '3000', SESSION_SECRET } = process.env;
const admins = new Set([1234567893]); // by National Provider Identifier

const clinician = clinicianLogin({
  issuer: process.env.CLINICIAN_ISSUER,
  apiURL: process.env.CLINICIAN_API_URL,
  clientID: process.env.CLINICIAN_CLIENT_ID,
  clientSecret: process.env.CLINICIAN_CLIENT_SECRET,
  callbackURL: `${APP_URL}/callback`,
  routes: { login: '/login', logout: '/logout' },
  secret: SESSION_SECRET, // with several processes, also tokenStore: Redis or PostgreSQL
  scope: ['openid', 'basic'],
  onSignIn: ({ identity }) => ({ id: identity.id }),
});
passport.use(clinician.strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
// A new name of the cookie: Passport would restore the users of old sessions, who have no tokens here.
app.use(session({ name: 'site', secret: SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(passport.session());

app.get('/login', passport.authenticate('clinician'));
app.get('/callback', passport.authenticate('clinician', { failureRedirect: '/', successReturnToOrRedirect: '/' }));
app.use(clinician);

app.get('/', (req, res) => {
  const signOut = '<form method="post" action="/logout"><button>Sign out</button></form>';
  res.send(req.user ? signOut : '<a href="/login">Sign in</a>');
});
app.get('/account', clinician.requireLogin(), (req, res) => res.send(`Account ${req.user.id}`));
app.get('/notes', clinician.requireVerified(), (_req, res) => {
  res.send('<form method="post"><button>Add a note</button></form>');
});
app.post('/notes', clinician.requireVerified(), (req, res) => res.send(`Note of ${req.user.id}`));
app.get('/api/me', clinician.requireLogin(), async (req, res) => {
  const { fullName } = await clinician.api(req).profile();
  res.json({ name: fullName });
});
const requireAdmin = clinician.requireProfile(({ npi }) => admins.has(npi));
app.get('/admin', requireAdmin, (_req, res) => res.send('For admins'));
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
