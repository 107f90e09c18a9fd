import express from 'express';
import session from 'express-session';
import { clinicianLogin, MemoryTokenStore } from 'passport-clinician';

export function siteWithTwoServices(hospital, registry) {
  const shared = { secret: 'only for this test, and long enough for a key', tokenStore: new MemoryTokenStore() };
  const atHospital = clinicianLogin({
    ...shared,
    issuer: hospital.issuer,
    apiURL: hospital.apiURL,
    clientID: hospital.clients.openid.clientID,
    clientSecret: hospital.clients.openid.clientSecret,
    callbackURL: 'http://127.0.0.1:5001/hospital/callback',
    routes: { base: '/hospital' },
    scope: 'openid basic',
  });
  const atRegistry = clinicianLogin({
    ...shared,
    issuer: registry.issuer,
    apiURL: registry.apiURL,
    flow: 'profile',
    clientID: registry.clients.profile.clientID,
    clientSecret: registry.clients.profile.clientSecret,
    callbackURL: 'http://127.0.0.1:5001/registry/callback',
    routes: { base: '/registry' },
  });
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(atHospital);
  app.use(atRegistry);
  app.get('/', (req, res) => {
    res.json([atHospital, atRegistry].map((clinician) => clinician.state(req).isAuthenticated));
  });
  // After a guard, req.clinician and req.user are those of its instance.
  app.get('/notes', atHospital.requireVerified(), (req, res) => res.send(`notes of ${req.user.id}`));
  app.get('/licence', atRegistry.requireLogin(), async (req, res) => {
    const { npi } = await atRegistry.api(req).profile();
    res.json({ npi });
  });
  return app;
}
