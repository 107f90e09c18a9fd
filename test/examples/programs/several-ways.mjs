import express from 'express';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin({ ...settings, routes: { login: '/login' } }); // your page, to which guards redirect
passport.use(clinician.strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(sessions, passport.session(), express.urlencoded());
app.get('/login', (req, res) => {
  const returnTo = encodeURIComponent(String(req.query.returnTo ?? '/'));
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">
    <p>${clinician.strategy.signInFailure(req, res) ? 'The sign-in was not completed.' : ''}</p>
    <p><a class="clinician-button" href="/auth/clinician?returnTo=${returnTo}">Sign in as a clinician</a></p>
    <form method="post"><input name="name"> <input name="password" type="password"> <button>Sign in</button></form>`);
});
app.post('/login', clinician.requireSameOrigin(), (req, res, next) => {
  // or passport.authenticate('local', ...)
  if (req.body.name !== 'ada' || req.body.password !== 'a-local-password') return res.redirect('/login');
  req.logIn({ id: 'ada' }, (error) => (error ? next(error) : res.redirect('/')));
});
app.get('/auth/clinician', (req, res, next) => {
  const returnTo = String(req.query.returnTo ?? '/');
  passport.authenticate('clinician', { returnTo, switchUser: true })(req, res, next); // the user chose it on your page
});
app.get('/auth/callback', passport.authenticate('clinician', { failureRedirect: '/login' }), (req, res) => {
  res.redirect(req.authInfo?.returnTo ?? '/');
});
app.use(clinician);
app.get('/', (req, res) => res.send(req.user ? `Signed in: ${req.user.id}` : '<a href="/login">Sign in</a>'));
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
listen(app);
