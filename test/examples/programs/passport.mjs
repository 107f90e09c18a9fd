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
  passport.authenticate('clinician', {
    failureRedirect: '/auth/denied',
    failureMessage: true, // req.session.messages
    successReturnToOrRedirect: '/',
  }),
);
app.get('/auth/denied', (req, res) => {
  const [reason = 'You are not signed in.'] = req.session.messages?.splice(0).slice(-1) ?? [];
  res.status(403).send(`<p>${escapeHTML(reason)}</p>${clinician.signInButton()}`);
});
app.use(clinician);
app.get('/', (req, res) => res.send(req.user ? `Signed in: ${req.user.id}` : clinician.signInButton()));
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
listen(app);
