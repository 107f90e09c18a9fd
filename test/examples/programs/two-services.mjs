import express from 'express';
import { clinicianLogin } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { listen, origin, sessions, settings } from './settings.mjs';

const registry = await startMockProvider({ port: 4401 }); // a second service
const { clientID, clientSecret } = registry.clients.openid;
const atHospital = clinicianLogin({
  ...settings,
  callbackURL: `${origin}/hospital/callback`,
  routes: { base: '/hospital' },
});
const atRegistry = clinicianLogin({
  ...settings,
  issuer: registry.issuer,
  apiURL: registry.apiURL,
  clientID,
  clientSecret,
  callbackURL: `${origin}/registry/callback`,
  routes: { base: '/registry' },
});

const app = express();
app.use(sessions, atHospital, atRegistry);
// req.clinician and req.user are those of the instance that the user has signed in with.
app.get('/notes', atHospital.requireVerified(), (req, res) => res.send(`Notes of ${req.user.id}`));
app.get('/licence', atRegistry.requireLogin(), (req, res) => res.send(`Licence of ${req.user.id}`));
listen(app);
