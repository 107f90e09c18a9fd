import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/clinician-login.js';
import { SignInRequiredError } from '../../lib/errors/errors.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, type SiteOptions, sealingSecret, siteFor } from './site.js';

const loginTo = (path: string) => `/auth/login?returnTo=${encodeURIComponent(path)}`;

/** @returns an agent on a site whose routes call the resource API without a guard, with the error handler at the end. */
function siteWithRoutes(options: SiteOptions = {}, throws: () => unknown = () => undefined) {
  const site = siteFor(provider, options);
  const { app, clinician } = site;
  const cv: RequestHandler = async (req, res) => void res.json(await clinician.api(req).profile());
  app.get('/cv', cv);
  app.post('/cv', cv);
  app.get('/file', async (req, res) => {
    res.attachment('cv.json').set({ 'Content-Length': '7', 'Content-Encoding': 'gzip', ETag: '"cv"' });
    await clinician.api(req).profile();
  });
  app.get('/throws', throws as RequestHandler);
  app.get('/more', (req, res) => clinician.login(req, res, { prompt: 'login' }));
  const passedOn: unknown[] = [];
  app.use(clinician.errorHandler());
  app.use(((error, _req, res, _next) => {
    passedOn.push(error);
    if (!res.headersSent) res.status(500).send('of the site');
    else res.end();
  }) as ErrorRequestHandler);
  return { ...site, agent: supertest.agent(app), passedOn };
}

describe('errorHandler(): an error that means "sign in again"', () => {
  test('redirects a page view to the sign-in and back', async () => {
    const { agent } = siteWithRoutes();
    const { headers } = await agent.get('/cv?page=2').set(navigation).expect(302);
    expect(headers.location).toBe(loginTo('/cv?page=2'));
    await agent.head('/cv').set(navigation).expect(302);
    const page = await signIn(agent, provider, { as: 'verified', loginPath: headers.location as string });
    expect(JSON.parse(page.text)).toMatchObject({ verified: true });
  });

  test('is a page that names the cause where the session of a sign-in is lost', async () => {
    const { agent } = siteWithRoutes({ session: { cookie: { domain: 'other.example' } } });
    await signIn(agent, provider, { as: 'verified', loginPath: loginTo('/cv') }).catch(() => undefined);
    const responses = [];
    for (let views = 0; views < 2; views++) responses.push((await agent.get('/cv').set(navigation)).text);
    expect(responses.join()).toContain('session_not_saved');
  });
});

describe('errorHandler(): another error of this package', () => {
  test('has its status, and Retry-After where the time is known', async () => {
    const { agent } = siteWithRoutes();
    await signIn(agent, provider, { as: 'verified' });
    provider.faults.next('rateLimited', { endpoint: '/api/v1/users/current' });
    const problem = await agent.get('/cv').expect(503);
    expect(JSON.parse(problem.text)).toMatchObject({ code: 'rate_limited', retryAt: expect.any(String) });
    const page = await agent.get('/cv').set(navigation).expect(503);
    expect(page.text).toContain('Try again after');
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('has none of the headers that the route has set for its own content', async () => {
    const { agent } = siteWithRoutes();
    const { headers, text } = await agent.get('/file').expect(401);
    expect(JSON.parse(text)).toMatchObject({ code: 'sign_in_required' });
    const names = ['content-disposition', 'content-encoding', 'content-length', 'etag'];
    expect(names.filter((name) => name in headers)).toEqual([]);
  });

  test('of another copy of this package is recognized', async () => {
    const { agent } = siteWithRoutes({}, () => {
      const { code, status, remedy, message } = new SignInRequiredError('sign_in_required', 'Sign in.');
      throw Object.assign(new Error(message), {
        ...{ code, status, remedy },
        [Symbol.for('passport-clinician.error')]: true,
      });
    });
    await agent.get('/throws').expect(401);
  });

  test('is reported by one event', async () => {
    const events: unknown[] = [];
    const { agent } = siteWithRoutes({ onEvent: ({ name, code }) => void (code && events.push([name, code])) }, () =>
      siteFor(provider).clinician.grantOf(undefined as never),
    );
    await agent.get('/throws').expect(500);
    expect(events).toEqual([['request_failed', 'argument_invalid']]);
  });
});

describe('errorHandler(): a sign-in that fails', () => {
  test('through Passport is a page, at a URL without the authorization response, and never a redirect to the sign-in', async () => {
    const events: unknown[] = [];
    const options = loginOptions(provider, { onEvent: ({ name, code }) => void (code && events.push([name, code])) });
    const clinician = clinicianLogin(options);
    const passport = new Passport().use(clinician.strategy);
    const site = express();
    site.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    site.get('/auth/login', passport.authenticate('clinician'));
    site.get('/auth/callback', passport.authenticate('clinician'), (_req, res) => res.redirect('/'));
    site.use(clinician, clinician.errorHandler());
    const agent = supertest.agent(site);
    const { headers } = await agent.get('/auth/login').set(navigation).expect(302);
    const back = await provider.signIn(headers.location as string, { as: 'verified' });
    provider.faults.next('badSignature');
    const callback = back.slice(new URL(back).origin.length);
    await agent.get(callback).set(navigation).expect(302).expect('Location', '/auth/callback');
    expect((await agent.get('/auth/callback').set(navigation).expect(502)).text).toContain('This did not work');
    expect(events).toEqual([['sign_in_failed', 'id_token_invalid']]);
  });
});

test('errorHandler without () fails with an error that names the call', async () => {
  const { app, clinician } = siteFor(provider);
  app.use(clinician.errorHandler as never);
  app.use(((error, _req, res, _next) => void res.status(500).send(error.message)) as ErrorRequestHandler);
  expect((await supertest(app).get('/nowhere').expect(500)).text).toContain('Write errorHandler().');
});
