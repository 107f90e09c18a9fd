import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, type SiteOptions, sealingSecret } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

function siteBelow(options: SiteOptions) {
  const app = express();
  const clinician = clinicianLogin(loginOptions(provider, options));
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.use('/clinic', clinician);
  app.get('/clinic/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
  const showError: ErrorRequestHandler = (error: Error & { code: string }, _req, res, _next) => {
    res.status(500).json([error.code, error.message]);
  };
  app.use(showError);
  return app;
}

const names = ['login', 'logout', 'forget', 'loggedOut', 'sessionCheck', 'clientScript', 'stylesheet'];

test('mounted below a path of all its routes, the drop-in signs in', async () => {
  const routes = Object.fromEntries(names.map((name) => [name, `/clinic/auth/${name}`]));
  const callbackURL = 'http://127.0.0.1:3000/clinic/auth/callback';
  const agent = supertest.agent(siteBelow({ callbackURL, routes }));
  await signIn(agent, provider, { as: 'verified', loginPath: '/clinic/auth/login?returnTo=/clinic/me' });
  await agent.get('/clinic/me').expect(200, 'in');
  await agent.get('/clinic/auth/logout').expect(405);
});

test('mounted below a wildcard, as forRoutes() of NestJS does, the drop-in signs in', async () => {
  const app = express();
  const clinician = clinicianLogin(loginOptions(provider));
  app.use('/{*path}', session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
  app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
  const agent = supertest.agent(app);
  const { text } = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/me' });
  expect(text).toBe('in');
  await agent.put('/auth/login?x=/auth/logout').expect(405);
});

test('mounted below a path that a route is not below, the first request fails with a message that names it', async () => {
  const { body } = await supertest(siteBelow({})).get('/clinic/me').expect(500);
  expect(body[0]).toBe('mount_path_conflict');
  expect(body[1]).toMatch(
    /below '\/clinic', clinicianLogin\(\) never receives requests for '\/auth\/login'\. Write app\.use\(clinician\)/,
  );
});
