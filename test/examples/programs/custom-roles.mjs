import express from 'express';
import { clinicianLogin, DeniedError } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const editors = new Set([1234567893]); // the NPI of the test user `verified`; use your database

const clinician = clinicianLogin({
  ...settings,
  profileRequired: true, // the profile decides the role
  onSignIn: ({ identity, profile }) => ({ id: identity.id, role: editors.has(profile.npi) ? 'editor' : 'reader' }),
});

function requireRole(role) {
  const denied = () => new DeniedError('profile_refused', `This page is for users with the role ${role}.`);
  return [clinician.requireLogin(), (req, _res, next) => next(req.user.role === role ? undefined : denied())];
}

const app = express();
app.use(sessions, clinician);
app.get('/', clinician.requireLogin(), (req, res) => res.send(`Articles, for your role ${req.user.role}`));
app.get('/edit', requireRole('editor'), (_req, res) => res.send('Edit the articles'));
app.use(clinician.errorHandler());
listen(app);
