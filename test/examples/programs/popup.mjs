import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/', (req, res) => {
  if (req.clinician.isAuthenticated) return res.send(`Signed in: ${req.user.id}`);
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">
    <script src="${clinician.clientScriptURL}" defer></script>
    ${clinician.signInButton({ display: 'popup', returnTo: '/' })}`);
});
listen(app);
