import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/', (_req, res) => {
  const page = { url: 'https://clinic.example/notes/7', subject: 'Ward round', message: 'Please read this note.' };
  res.send(`<link rel="stylesheet" href="${clinician.stylesheetURL}">
    <script src="${clinician.clientScriptURL}" defer></script>
    ${clinician.shareButton({ ...page, label: 'Share this note' })}`);
});
listen(app);
