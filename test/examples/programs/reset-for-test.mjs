import assert from 'node:assert/strict';
import express from 'express';
import session from 'express-session';
import { clinicianLogin } from 'passport-clinician';
import { resetForTest, signIn, withMockProvider } from 'passport-clinician/testing';
import supertest from 'supertest';

await withMockProvider(async (provider) => {
  const { issuer, apiURL, clients, clock } = provider; // the site's time is that of the provider
  const { clientID, clientSecret } = clients.openid;
  const secret = 'only-for-tests-0123456789-0123456789';
  const site = { callbackURL: 'http://127.0.0.1:3000/auth/callback', secret, scope: 'openid basic' };
  const clinician = clinicianLogin({ issuer, apiURL, clock, clientID, clientSecret, ...site });
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: false }), clinician);
  app.get('/notes', clinician.requireVerified(), (_req, res) => res.send('notes'));

  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  provider.revokeGrants({ username: 'verified' });
  await agent.get('/notes').expect(200); // the guard checks again after recheckAfter, five minutes
  resetForTest(clinician);
  await agent.get('/notes').expect(401);

  await signIn(agent, provider, { as: 'verified' });
  provider.revokeGrants({ username: 'verified' });
  provider.clock.advance('5 minutes'); // moves the site's clock too
  const { status, body } = await agent.get('/notes');
  assert.deepEqual([status, body.code], [401, 'grant_ended']);
});
