import express from 'express';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
passport.use(clinician.strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const escapeHTML = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const app = express();
app.use(sessions, passport.session());
app.get('/auth/login', passport.authenticate('clinician'));
app.get(
  '/auth/callback',
  passport.authenticate('clinician', { failureRedirect: '/auth/denied', successReturnToOrRedirect: '/' }),
);
app.get('/auth/denied', (req, res) => {
  const failure = clinician.strategy.signInFailure(req, res); // the reason, for the user
  const tryAgain = clinician.signInButton({ returnTo: failure?.returnTo });
  res.status(403).send(`<p>${escapeHTML(failure?.message ?? 'You are not signed in.')}</p>${tryAgain}`);
});
app.use(clinician);
app.get('/', (req, res) => res.send(req.user ? `Signed in: ${req.user.id}` : clinician.signInButton()));
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
listen(app);
