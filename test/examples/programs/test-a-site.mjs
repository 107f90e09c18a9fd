import assert from 'node:assert/strict';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { signIn, withMockProvider } from 'passport-clinician/testing';
import supertest from 'supertest';

await withMockProvider(async (provider) => {
  const { issuer, apiURL, clients } = provider;
  const { clientID, clientSecret } = clients.openid;
  const secret = 'a secret for this test of at least 32 bytes';
  const site = { callbackURL: 'http://127.0.0.1:3000/auth/callback', secret, scope: 'openid basic' };
  const clinician = clinicianLogin({ issuer, apiURL, clientID, clientSecret, ...site });
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: false }), clinician);
  app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('notes'));
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  assert.equal((await agent.get('/notes')).text, 'notes');
});
