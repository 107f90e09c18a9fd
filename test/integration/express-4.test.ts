import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express-4';
import supertest from 'supertest';
import { type ClinicianLogin, clinicianLogin } from '../../lib/index.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { withNodeEnv } from '../helpers.js';
import { bareSite, loginOptions, navigation, type SiteOptions } from './site.js';

/** @returns a site on Express 4, with the body parsers that such sites often have. */
function siteOn4(options: SiteOptions = {}) {
  const app = express();
  app.use(express.urlencoded({ extended: true }), express.json());
  // The types of the shared site are those of Express 5.
  const { clinician } = bareSite(provider, options, app as unknown as Parameters<typeof bareSite>[2]);
  addPages(app, clinician);
  return { app, clinician, agent: supertest.agent(app) };
}

function addPages(app: Express, clinician: ClinicianLogin): void {
  app.get('/', (req, res) => void res.json([req.clinician.isAuthenticated, req.user ?? null]));
  app.get('/me', clinician.requireLogin(), (req, res) => void res.json(req.clinician.identity?.id));
  app.get('/notes', clinician.requireVerified(), (_req, res) => void res.send('notes'));
  app.get('/email', clinician.requireScope('email'), (_req, res) => void res.send('email'));
  app.get('/recent', clinician.requireRecentLogin(), (_req, res) => void res.send('recent'));
  app.get('/profile', (req, res, next) => {
    const profile = clinician.api(req).profile();
    profile.then((body) => res.json(body)).catch(next);
  });
  app.get('/colleagues', (req, res, next) => {
    const page = clinician.api(req).colleagues().page(1);
    page.then((body) => res.json(body)).catch(next);
  });
  app.post('/own', clinician.requireSameOrigin(), (_req, res) => void res.send('own'));
  app.get('/step-up', clinician.login);
  app.post('/out', clinician.logout);
  app.use(clinician.errorHandler());
  const showOther: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).send(String(error.message));
  app.use(showOther);
}

describe('the drop-in on Express 4', () => {
  test('signs in and out, with each guard and the resource API', async () => {
    const { agent } = siteOn4();
    await agent.get('/me').expect(401);
    const { headers } = await agent.get('/me?a[b]=c').set(navigation).expect(302);
    expect(headers.location).toBe('/auth/login?returnTo=%2Fme%3Fa%5Bb%5D%3Dc');
    await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/me' });
    const { sub, npi } = provider.clinicians.get('verified');
    expect((await agent.get('/').expect(200)).body).toEqual([true, { id: sub }]);
    for (const path of ['/me', '/notes', '/email', '/recent']) await agent.get(path).expect(200);
    expect((await agent.get('/profile').expect(200)).body).toMatchObject({ npi, verified: true });
    expect((await agent.get('/colleagues').expect(200)).body).toMatchObject({ items: expect.any(Array) });
    await signOut(agent, provider);
    expect((await agent.get('/').expect(200)).body).toEqual([false, null]);
  });
});

describe('a rejected promise on Express 4', () => {
  test('of clinician.login and clinician.logout as routes reaches errorHandler()', async () => {
    const { agent } = siteOn4({ callbackURL: 'http://127.0.0.1:3000/auth/callback', fetch: () => Promise.reject() });
    expect((await agent.get('/step-up').set(navigation).expect(503)).text).toContain('service_unreachable');
    const app = express();
    addPages(app, clinicianLogin(loginOptions(provider)));
    const { text } = await supertest(app).post('/out').expect(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'session_missing' });
  });
});

describe('parameters that Express 4 parses into objects and arrays', () => {
  test('start no login with another value than the URL has', async () => {
    const { agent } = await withNodeEnv('production', () => siteOn4());
    for (const query of [
      'returnTo[]=/notes',
      'returnTo[a]=//evil.example',
      'returnTo=/a&returnTo=/b',
      'prompt[]=none',
    ]) {
      const { headers } = await agent.get(`/auth/login?${query}`).set(navigation).expect(302);
      expect(headers.location).toMatch(new RegExp(`^${provider.issuer}/oauth/authorize\\?`));
      expect(new URL(headers.location as string).searchParams.get('prompt')).toBeNull();
    }
    await agent.get('/auth/login?prompt=login&prompt=none').expect(400);
    const page = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo[]=/notes' });
    expect(JSON.parse(page.text)[0]).toBe(true);
  });
});
