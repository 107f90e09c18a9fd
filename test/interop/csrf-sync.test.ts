import { expect, test } from '@jest/globals';
import { csrfSync } from 'csrf-sync';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sameOriginForm } from '../integration/site.js';

test('CSRF middleware after app.use(clinician) protects the routes of the site, and the sign-in and sign-out work', async () => {
  const clinician = clinicianLogin(loginOptions(provider));
  const { csrfSynchronisedProtection, generateToken } = csrfSync();
  const app = express();
  app.use(session({ secret: 'a secret of the session', resave: false, saveUninitialized: false }), clinician);
  app.use(csrfSynchronisedProtection);
  app.get('/token', (req, res) => void res.json({ token: generateToken(req) }));
  app.post('/notes', clinician.requireLogin(), (_req, res) => void res.send('saved'));
  app.use(clinician.errorHandler());
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.post('/notes').set(sameOriginForm).expect(403);
  const { token } = (await agent.get('/token').expect(200)).body as { token: string };
  await agent.post('/notes').set(sameOriginForm).set('X-CSRF-Token', token).expect(200, 'saved');
  await signOut(agent, provider);
  expect((await agent.post('/notes').set(sameOriginForm).set('X-CSRF-Token', token)).status).not.toBe(200);
});
