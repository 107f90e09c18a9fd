import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';

export function site({ issuer, apiURL, clients, clock }, callbackURL = 'http://127.0.0.1:5001/auth/callback') {
  const clinician = clinicianLogin({
    issuer,
    apiURL,
    clock, // the clock of the provider: a test can move it
    clientID: clients.openid.clientID,
    clientSecret: clients.openid.clientSecret,
    callbackURL,
    secret: 'only for this test, and long enough for a key',
    scope: 'openid basic',
  });
  const app = express();
  app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
  app.use(clinician);
  app.get('/notes', clinician.requireVerified(), (req, res) => res.send(`notes of ${clinician.user(req)?.id}`));
  app.post('/notes', clinician.requireSameOrigin(), clinician.requireLogin(), (_req, res) => res.send('saved'));
  return app;
}
