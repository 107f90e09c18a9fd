import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { listen, sessions, settings } from './settings.mjs';

const clinician = clinicianLogin(settings);
const app = express();
app.use(sessions, clinician);
app.get('/api/me', clinician.requireLogin(), (req, res) => {
  const { identity, verification } = req.clinician;
  res.json({ id: identity.id, verification, csrfToken: clinician.csrfToken(req) });
});
app.post('/api/notes', clinician.requireSameOrigin(), clinician.requireVerified(), (_req, res) =>
  res.json({ saved: true }),
);
listen(app);
