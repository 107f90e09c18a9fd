import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/clinician-login.js';
import { DeniedError, SignInRequiredError } from '../../lib/errors/errors.js';
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

  test('is a 401 problem document for a script', async () => {
    const { agent } = siteWithRoutes();
    const { headers, text } = await agent.get('/cv').expect(401);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(text)).toMatchObject({ status: 401, code: 'sign_in_required', title: 'Sign-in required' });
  });

  test('is a page with a link for a form: a redirect would lose its data', async () => {
    const { agent } = siteWithRoutes();
    const { text, headers } = await agent.post('/cv').set(navigation).expect(401);
    expect(text).toContain(`href="${loginTo('/')}"`);
    expect(headers.location).toBeUndefined();
    await agent.post('/cv').expect(401).expect('Content-Type', 'application/problem+json');
  });

  test('is a page right after a sign-in, and a redirect later: the API may refuse each new token', async () => {
    let now = Date.now();
    const { agent } = siteWithRoutes({ clock: { now: () => now } });
    const refuseToken = async () => {
      await signIn(agent, provider, { as: 'verified' });
      for (let calls = 0; calls < 2; calls++) provider.faults.next('accessTokenRefused');
    };
    const ownNavigation = { ...navigation, 'Sec-Fetch-Site': 'same-origin' };
    await refuseToken();
    const { text } = await agent.get('/cv').set(ownNavigation).expect(401);
    expect(text).toContain('Your sign-in has ended, or');
    await refuseToken();
    now += 10_001;
    await agent.get('/cv').set(ownNavigation).expect(302).expect('Location', loginTo('/cv'));
  });

  test('is a page for a visit from another site: the sign-in route keeps its user, and would redirect back', async () => {
    let now = Date.now();
    const { agent } = siteWithRoutes({ clock: { now: () => now } });
    await signIn(agent, provider, { as: 'verified' });
    now += 10_001;
    for (let calls = 0; calls < 2; calls++) provider.faults.next('accessTokenRefused');
    const { text } = await agent
      .get('/cv')
      .set({ ...navigation, 'Sec-Fetch-Site': 'cross-site' })
      .expect(401);
    expect(text).toContain('Your sign-in has ended, or');
  });

  test('is a page that names the cause where the session of a sign-in is lost', async () => {
    const { agent } = siteWithRoutes({ session: { cookie: { domain: 'other.example' } } });
    await signIn(agent, provider, { as: 'verified', loginPath: loginTo('/cv') }).catch(() => undefined);
    const responses = [];
    for (let views = 0; views < 2; views++) responses.push((await agent.get('/cv').set(navigation)).text);
    expect(responses.join()).toContain('session_not_saved');
  });

  test('returns to this site, whatever the path looks like', async () => {
    const { app, clinician, agent } = siteWithRoutes();
    app.use((req) => void clinician.api(req));
    app.use(clinician.errorHandler());
    for (const path of ['//evil.example/x', '/\\evil.example', '/%09/evil.example']) {
      const { headers } = await agent.get(path).set(navigation).expect(302);
      expect(headers.location).toMatch(/^\/auth\/login\?returnTo=/);
      const page = await signIn(supertest.agent(app), provider, {
        as: 'verified',
        loginPath: headers.location as string,
      });
      expect(page.text).toBe('in');
    }
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

  test('shows texts escaped, and no cause', async () => {
    const cause = new Error('planted-token-0123456789');
    const { agent } = siteWithRoutes({}, () => {
      throw new DeniedError('scope_missing', '<script>alert(1)</script>', cause);
    });
    const page = await agent.get('/throws').set(navigation).expect(403);
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const problem = await agent.get('/throws').expect(403);
    expect(page.text + problem.text).not.toContain('planted');
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
  test('in a route of the site is a page of a sign-in', async () => {
    const { agent } = siteWithRoutes();
    provider.faults.next('serverError', { endpoint: '/.well-known/openid-configuration' });
    const { text } = await agent.get('/more').set(navigation).expect(503);
    expect(text).toContain('Please try again in a moment');
  });

  test('through Passport is a page, at a URL without the authorization response, and never a redirect to the sign-in', async () => {
    const events: unknown[] = [];
    const options = loginOptions(provider, { onEvent: ({ name, code }) => void (code && events.push([name, code])) });
    const clinician = clinicianLogin(options);
    const passport = new Passport();
    passport.use(clinician.strategy);
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user: Express.User, done) => done(null, user));
    const site = express();
    site.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    site.use(passport.session() as RequestHandler);
    site.get('/auth/login', passport.authenticate('clinician'));
    site.get('/auth/callback', passport.authenticate('clinician'), (_req, res) => res.redirect('/'));
    site.use(clinician, clinician.errorHandler());
    const agent = supertest.agent(site);
    const { headers } = await agent.get('/auth/login').set(navigation).expect(302);
    const back = await provider.signIn(headers.location as string, { as: 'verified' });
    provider.faults.next('badSignature');
    const failed = await agent
      .get(back.slice(new URL(back).origin.length))
      .set(navigation)
      .expect(302);
    expect(failed.headers.location).toBe('/auth/callback');
    expect((await agent.get('/auth/callback').set(navigation).expect(502)).text).toContain('This did not work');
    expect(events).toEqual([['sign_in_failed', 'id_token_invalid']]);
  });
});

describe('errorHandler(): an error is passed on', () => {
  test('that is not of this package', async () => {
    const own = Object.assign(new Error('of the site'), { code: 'sign_in_required', status: 401, remedy: 'sign_in' });
    const { agent, passedOn } = siteWithRoutes({}, () => {
      throw own;
    });
    await agent.get('/throws').set(navigation).expect(500, 'of the site');
    expect(passedOn).toEqual([own]);
  });

  test('whose response has started', async () => {
    const { agent, passedOn } = siteWithRoutes({}, ((_req: unknown, res: { write(text: string): void }) => {
      res.write('started');
      throw new SignInRequiredError('sign_in_required', 'Sign in.');
    }) as never);
    expect((await agent.get('/throws').expect(200)).text).toBe('started');
    expect(passedOn).toMatchObject([{ code: 'sign_in_required' }]);
  });
});

test('errorHandler without () fails with an error that names the call', async () => {
  const { app, clinician } = siteFor(provider);
  app.use(clinician.errorHandler as never);
  app.use(((error, _req, res, _next) => void res.status(500).send(error.message)) as ErrorRequestHandler);
  expect((await supertest(app).get('/nowhere').expect(500)).text).toContain('Write errorHandler().');
});
