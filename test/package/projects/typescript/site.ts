import express from 'express';
import session from 'express-session';
import { type ClinicianError, ClinicianStrategy, clinicianLogin, isClinicianError } from 'passport-clinician';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';

const provider = await startMockProvider({ port: 0 });
const options = {
  issuer: provider.issuer,
  apiURL: provider.apiURL,
  clientID: provider.clients.openid.clientID,
  clientSecret: provider.clients.openid.clientSecret,
  callbackURL: 'http://127.0.0.1:5001/auth/callback',
  secret: 'only for this test, and long enough for a key',
};
const clinician = clinicianLogin(options);
const app = express();
app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: false }));
app.use(clinician);
app.get('/me', clinician.requireLogin(), (req, res) => {
  if (!req.clinician.isAuthenticated) return;
  const { identity, verified, verification } = req.clinician;
  const known: [id: string, verified: boolean, 'verified' | 'pending' | 'unknown'] = [
    identity.id,
    verified,
    verification,
  ];
  res.json(known);
});

const response = await signIn(request.agent(app), provider, { as: 'verified', approve: ['openid'] });
const status: number = response.status;
const twice: number = await withMockProvider(async ({ issuer }) => issuer.length * 2);

new ClinicianStrategy(options, (_accessToken, _refreshToken, _params, profile, done) => {
  done(null, { id: profile.id });
});

function code(error: unknown): string {
  if (!isClinicianError(error)) throw new Error(`${status}${twice}`);
  const known: ClinicianError = error;
  return known.code;
}

// @ts-expect-error the compiler refuses a misspelled option
clinicianLogin({ ...options, callbackUrl: code(undefined) });
