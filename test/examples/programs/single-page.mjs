import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const { APP_URL = 'http://127.0.0.1:5173' } = process.env; // the origin that the browser shows: in development, that of Vite
const callbackURL = `${APP_URL}/auth/callback`;
const clinician = clinicianLogin({ ...settings, callbackURL, routes: { session: '/auth/session' } });

const app = express();
app.use(sessions, clinician);
app.use('/api', clinician.requireSameOrigin(), clinician.requireLogin());
app.get('/api/me', (req, res) => res.json({ id: req.user.id }));
app.post('/api/notes', clinician.requireVerified(), (_req, res) => res.json({ saved: true }));
app.use(express.static('dist')); // in production: what `vite build` has written
app.get('/{*path}', (_req, res) => res.sendFile('index.html', { root: 'dist' }));
app.use(clinician.errorHandler());
listen(app);
