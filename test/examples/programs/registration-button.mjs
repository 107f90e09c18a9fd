import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/', (_req, res) => {
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">
    ${clinician.signInButton()}
    ${clinician.signInButton({ prompt: 'create', label: 'Create an account', variant: 'outline' })}`);
});
listen(app);
