import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.use(clinician.signInSilently()); // users who have a session at the service are signed in at their first page
app.get('/', (req, res) => {
  const page = req.clinician.isAuthenticated ? `Signed in: ${req.user.id}` : clinician.signInButton();
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">${page}`);
});
listen(app);
