import { expect, test } from '@jest/globals';
import express, { type Express } from 'express-4';
import supertest from 'supertest';
import { type ClinicianLogin, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { withNodeEnv } from '../helpers.js';
import { bareSite, loginOptions, navigation, type SiteOptions } from './site.js';

// `npm run test:express-4` runs the other tests on Express 4, and spelled-paths.test.ts signs in there.

/** @returns a site on Express 4, with the body parsers that such sites often have. */
function siteOn4(options: SiteOptions = {}): Express {
  const app = express().use(express.urlencoded({ extended: true }), express.json());
  // The types of the shared site are those of Express 5.
  return addPages(app, bareSite(provider, options, app as unknown as Parameters<typeof bareSite>[2]).clinician);
}

function addPages(app: Express, clinician: ClinicianLogin): Express {
  app.get('/', (req, res) => void res.json(req.clinician.isAuthenticated));
  app.get('/step-up', clinician.login);
  app.post('/out', clinician.logout);
  return app.use(clinician.errorHandler());
}

test('a rejected promise of clinician.login and clinician.logout as routes reaches errorHandler()', async () => {
  const app = siteOn4({ callbackURL: 'http://127.0.0.1:3000/auth/callback', fetch: () => Promise.reject() });
  expect((await supertest(app).get('/step-up').set(navigation).expect(503)).text).toContain('service_unreachable');
  const withoutSession = addPages(express(), clinicianLogin(loginOptions(provider)));
  const { text } = await supertest(withoutSession).post('/out').expect(500);
  expect(JSON.parse(text)).toMatchObject({ code: 'session_missing' });
});

test('parameters that Express 4 parses into objects and arrays start no login with another value', async () => {
  const agent = supertest.agent(await withNodeEnv('production', () => siteOn4()));
  const queries = ['returnTo[]=/notes', 'returnTo[a]=//evil.example', 'returnTo=/a&returnTo=/b', 'prompt[]=none'];
  for (const query of queries) {
    const { headers } = await agent.get(`/auth/login?${query}`).set(navigation).expect(302);
    expect(headers.location).toMatch(new RegExp(`^${provider.issuer}/oauth/authorize\\?`));
    expect(new URL(headers.location as string).searchParams.get('prompt')).toBeNull();
  }
  await agent.get('/auth/login?prompt=login&prompt=none').expect(400);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo[]=/notes' });
  expect(page.body).toBe(true);
});
