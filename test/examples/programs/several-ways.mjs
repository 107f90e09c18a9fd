import express from 'express';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician';
import { listen, origin, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin({ ...settings, routes: { login: '/login' } });
passport.use(clinician.strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));
const escapeHTML = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const app = express();
app.use(sessions, passport.session(), express.urlencoded());
app.get('/login', (req, res, next) => {
  if (req.query.with === 'clinician') return passport.authenticate('clinician')(req, res, next);
  const query = new URLSearchParams(req.query);
  const hint = req.user ? 'To sign in as a clinician, sign out first.' : '';
  const [message = hint] = req.session.messages?.splice(0).slice(-1) ?? [];
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">
    <p>${escapeHTML(message)}</p> ${req.user ? clinician.signOutButton() : ''}
    <p><a class="clinician-button" href="/login?with=clinician&${query}">Sign in as a clinician</a></p>
    <form method="post" action="/password?${query}">
      <input name="name"> <input name="password" type="password"> <button>Sign in</button></form>`);
});
app.post('/password', clinician.requireSameOrigin(), (req, res, next) => {
  // or passport.authenticate('local', ...)
  const query = new URLSearchParams(req.query);
  if (req.body.name !== 'ada' || req.body.password !== 'a-local-password') return res.redirect(`/login?${query}`);
  const returnTo = query.get('returnTo') || '/';
  const isOwnPage = URL.canParse(returnTo, origin) && new URL(returnTo, origin).origin === origin;
  req.logIn({ id: 'ada' }, (error) => (error ? next(error) : res.redirect(isOwnPage ? returnTo : '/')));
});
app.get(
  '/auth/callback',
  passport.authenticate('clinician', {
    failureRedirect: '/login',
    failureMessage: true,
    successReturnToOrRedirect: '/',
  }),
);
app.use(clinician);
app.get('/', (req, res) => res.send(req.user ? `Signed in: ${req.user.id}` : '<a href="/login">Sign in</a>'));
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
listen(app);
