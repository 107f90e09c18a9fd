// The mock provider of the pictures, whose clock does not move, and sites that sign in with it.
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';

const secret = 'a secret for these pictures of at least 32 bytes';

export async function startProvider() {
  const provider = await startMockProvider();
  provider.clock.freeze();
  provider.clock.set('2026-11-25T09:30:00Z');
  return provider;
}

/** @returns a site and its login. @param settings options that differ, such as a mistake */
export function siteOf({ issuer, apiURL, shareScriptURL, clients, clock }, settings = {}) {
  const clinician = clinicianLogin({
    issuer,
    apiURL,
    shareScriptURL,
    clock,
    clientID: clients.openid.clientID,
    clientSecret: clients.openid.clientSecret,
    callbackURL: 'http://127.0.0.1:3000/auth/callback',
    secret,
    scope: 'openid basic',
    onEvent: () => undefined, // a picture shows the failures
    ...settings,
  });
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: false }), clinician);
  app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('Notes'));
  return { app, clinician };
}
