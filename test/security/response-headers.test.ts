import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, siteFor } from '../integration/site.js';

test('the start and the end of a login send no referrer, are not cached, and their pages are not framed', async () => {
  const { app } = siteFor(provider);
  for (const path of ['/auth/login', '/auth/callback?state=x']) {
    const { headers } = await supertest(app).get(path).set(navigation);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
  }
  const page = await supertest(app).get('/auth/callback?state=x').set(navigation);
  expect(page.headers['x-frame-options']).toBe('DENY');
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test('pages and problems of a site without helmet are not cached, and pages send no referrer', async () => {
  const clinician = clinicianLogin(loginOptions(provider));
  const app = express()
    .use(session({ secret: 'x', resave: false, saveUninitialized: false }))
    .use(clinician);
  const page = await supertest(app).post('/auth/logout').set(navigation).expect(403);
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  const problem = await supertest(app).post('/auth/logout').expect(403);
  expect(problem.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/problem+json' });
});

test('form-action allows the redirects of a logout: to the service, and to postLogoutRedirectURI', () => {
  const { clinician } = siteFor(provider, { postLogoutRedirectURI: 'https://bye.example/out' });
  const { directives } = clinician.helmet().contentSecurityPolicy;
  expect(directives['form-action']).toEqual(["'self'", provider.issuer, 'https://bye.example']);
});
