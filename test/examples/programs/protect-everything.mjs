import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.get('/healthz', (_req, res) => res.send('ok')); // public: it is before the guard
app.use(sessions, clinician, clinician.requireLogin()); // the sign-in routes are before the guard, too
app.get('/', (req, res) => res.send(`Hello ${req.user.id}`));
listen(app);
