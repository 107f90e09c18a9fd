import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/', (_req, res) => res.send('A public page'));
app.get('/account', clinician.requireLogin(), (req, res) => res.send(`Account ${req.user.id}`));
app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('For verified clinicians only'));
listen(app);
