import express from 'express';
import { clinicianLogin, MemoryTokenStore } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { listen, origin, sessions, settings } from './settings.mjs';

const registry = await startMockProvider({ port: 4401 }); // a second service
const tokenStore = new MemoryTokenStore();
const atHospital = clinicianLogin({
  ...settings,
  tokenStore,
  callbackURL: `${origin}/hospital/callback`,
  routes: { base: '/hospital' },
});
const atRegistry = clinicianLogin({
  tokenStore,
  secret: settings.secret,
  issuer: registry.issuer,
  apiURL: registry.apiURL,
  flow: 'profile',
  clientID: registry.clients.profile.clientID,
  clientSecret: registry.clients.profile.clientSecret,
  callbackURL: `${origin}/registry/callback`,
  routes: { base: '/registry' },
});

const app = express();
app.use(sessions, atHospital, atRegistry);
app.get('/', (req, res) => {
  res.json([atHospital, atRegistry].map((clinician) => clinician.user(req) !== undefined));
});
// req.clinician and req.user are those of the instance that the user has signed in with.
app.get('/notes', atHospital.requireVerified(), (req, res) => res.send(`Notes of ${req.user.id}`));
app.get('/licence', atRegistry.requireLogin(), async (req, res) => {
  const { npi } = await atRegistry.api(req).profile();
  res.json({ npi });
});
listen(app);
