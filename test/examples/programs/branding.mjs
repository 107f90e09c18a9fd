import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { german } from './german.mjs';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin({ ...settings, texts: german });
const app = express();
app.use(sessions, clinician);
app.get('/', (req, res) => {
  const button = req.clinician.isAuthenticated ? clinician.signOutButton() : clinician.signInButton();
  res.send(`<html lang="de"><link rel="stylesheet" href="${clinician.stylesheetURL}">${button}`);
});
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('Notizen'));
app.use(clinician.errorHandler());
listen(app);
