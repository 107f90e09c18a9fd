import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sameOriginScript, siteFor } from '../integration/site.js';

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

test.each<[string, 'get' | 'post', string, object, object]>([
  ['a page', 'post', '/auth/logout', navigation, { 'referrer-policy': 'no-referrer' }],
  ['a problem document', 'post', '/auth/logout', {}, { 'content-type': 'application/problem+json' }],
  ['JSON', 'post', '/auth/logout', sameOriginScript, { 'content-type': 'application/json' }],
  ['a redirect', 'get', '/auth/logout', navigation, { location: '/auth/logged-out' }],
  ['a refused method', 'post', '/auth/login', {}, { allow: 'GET' }],
  ['the frame of the session check', 'get', '/auth/session-check', {}, { 'x-frame-options': 'SAMEORIGIN' }],
  ['the client script', 'get', '/auth/clinician.js', {}, { 'content-type': 'text/javascript; charset=utf-8' }],
  ['the style sheet', 'get', '/auth/clinician.css', {}, { 'content-type': 'text/css; charset=utf-8' }],
])(
  'without helmet, %s has a type that the browser does not guess, and no proxy stores it with the session cookie',
  async (_, method, path, headers, expected) => {
    const clinician = clinicianLogin(loginOptions(provider));
    const app = express()
      .use(session({ secret: 'x', resave: false, saveUninitialized: true, rolling: true }))
      .use(clinician);
    const response = await supertest(app)
      [method](path)
      .set({ ...headers });
    expect(response.headers).toMatchObject({
      ...expected,
      'set-cookie': [expect.any(String)],
      'cache-control': path.includes('.') ? 'private, max-age=3600' : 'no-store',
      'x-content-type-options': 'nosniff',
    });
  },
);

test('form-action allows the redirects of a logout: to the service, and to postLogoutRedirectURI', () => {
  const { clinician } = siteFor(provider, { postLogoutRedirectURI: 'https://bye.example/out' });
  const { directives } = clinician.helmet().contentSecurityPolicy;
  expect(directives['form-action']).toEqual(["'self'", provider.issuer, 'https://bye.example']);
});
