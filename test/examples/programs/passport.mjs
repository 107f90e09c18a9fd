import express from 'express';
import passport from 'passport';
import { clinicianLogin } from 'passport-clinician'; // add
import { listen, sessions, settings } from './settings.mjs';

const users = new Map(); // your database
const findOrCreate = (id) => users.get(id) ?? users.set(id, { id }).get(id);
// passport.use(new LocalStrategy(...));
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => done(null, users.get(id) ?? false));

// Add. onSignIn stores the user that deserializeUser finds:
const clinician = clinicianLogin({ ...settings, onSignIn: ({ identity }) => findOrCreate(identity.id) });
passport.use(clinician.strategy);
const escapeHTML = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const app = express();
app.use(sessions, passport.session());
// Add:
app.get('/auth/login', passport.authenticate('clinician'));
app.get(
  '/auth/callback',
  passport.authenticate('clinician', {
    failureRedirect: '/auth/denied',
    failureMessage: true,
    successReturnToOrRedirect: '/',
  }),
);
app.get('/auth/denied', (req, res) => {
  const [reason = 'You are not signed in.'] = req.session.messages?.splice(0).slice(-1) ?? [];
  res.status(403).send(`<p>${escapeHTML(reason)}</p>${clinician.signInButton()}`);
});
app.use(clinician);
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
// Your routes:
app.get('/', (req, res) => res.send(req.user ? `Signed in: ${req.user.id}` : clinician.signInButton()));
listen(app);
