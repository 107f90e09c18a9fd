import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/', (_req, res) => {
  res.send(`<a href="/auth/login?returnTo=/">Sign in</a> <pre></pre> <script type="module">
    document.querySelector('pre').textContent = await (await fetch('/api/session')).text();</script>`);
});
app.get('/api/session', (req, res) => res.json(req.clinician));
app.post('/api/notes', clinician.requireSameOrigin(), clinician.requireVerified(), (_req, res) =>
  res.json({ saved: true }),
);
listen(app);
