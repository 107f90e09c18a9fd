import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { port, sessions, settings } from './settings.mjs';

const { APP_URL = 'http://127.0.0.1:5173' } = process.env; // the origin that the browser shows: in development, that of Vite
const clinician = clinicianLogin({
  ...settings,
  callbackURL: `${APP_URL}/auth/callback`,
  onSignIn: ({ identity, profile }) => ({ id: identity.id, name: profile?.fullName ?? 'clinician' }), // becomes req.user
});

const app = express();
app.use(sessions, clinician);
app.get('/api/session', ({ clinician: { isAuthenticated }, user }, res) => res.json({ isAuthenticated, user }));
app.use('/api', clinician.requireLogin());
app.post('/api/notes', clinician.requireSameOrigin(), clinician.requireVerified(), (_req, res) =>
  res.json({ saved: true }),
);
app.use(express.static('dist')); // in production: what `vite build` has written
app.get(/^\/(?!(api|auth|assets)\/)/, (_req, res) => res.sendFile('index.html', { root: 'dist' })); // the paths of pages
app.use(clinician.errorHandler());
app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`Open ${APP_URL}, inspector: ${settings.issuer}`);
});
