import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { provider } from '../helpers/provider.js';
import { type SiteOptions, siteFor } from './site.js';

const SITE = 'http://127.0.0.1:3000';
const navigation = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Sec-Fetch-Mode': 'navigate' };

describe('a request of a signed-out user', () => {
  test('that is a navigation is redirected to the sign-in and back', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const response = await agent.get('/deep/x?y=1').set(navigation).expect(302);
    expect(response.headers.location).toBe('/auth/login?returnTo=%2Fdeep%2Fx%3Fy%3D1');
    const page = await signIn(agent, provider, { as: 'verified', loginPath: response.headers.location as string });
    expect(page.text).toBe('deep /deep/x?y=1');
  });

  test('of a script gets 401 with a code', async () => {
    for (const headers of [
      {},
      { Accept: 'application/json' },
      { Accept: '*/*' },
      { ...navigation, 'Sec-Fetch-Mode': 'cors' },
    ]) {
      const response = await supertest(siteFor(provider).app).get('/notes').set(headers).expect(401);
      expect(response.headers['content-type']).toBe('application/problem+json');
      expect(JSON.parse(response.text)).toMatchObject({ status: 401, code: 'sign_in_required' });
    }
  });

  test('whose session the site has destroyed before the guard gets 401, not an outage of the session store', async () => {
    const { app, clinician } = siteFor(provider);
    app.get('/locked', (req, _res, next) => req.session.destroy(next), clinician.requireLogin());
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/locked').expect(401)).body).toMatchObject({ code: 'sign_in_required' });
  });

  // Without https, browsers do not send Sec-Fetch-Mode.
  test.each<[string, string, object, string]>([
    ['a boosted link', '/deep/x?y=1', { 'HX-Boosted': 'true', 'HX-Current-URL': `${SITE}/page` }, '/deep/x?y=1'],
    ['a part of a page', '/notes', { 'HX-Current-URL': `${SITE}/page?a=1#b` }, '/page?a=1#b'],
    ['a page of another site', '/notes', { 'HX-Current-URL': 'https://evil.example/page' }, '/'],
    ['a page of another host', '/notes', { 'HX-Current-URL': 'http://127.0.0.1.evil.example:3000/page' }, '/'],
    ['a page that is a script', '/notes', { 'HX-Current-URL': 'javascript:alert(1)' }, '/'],
    ['no page', '/notes', {}, '/notes'],
  ])(
    'of htmx for %s leads the window to the sign-in, and back to a page of this site',
    async (_, path, headers, returnTo) => {
      const { app } = siteFor(provider);
      const fetched = { Accept: 'text/html', 'HX-Request': 'true', ...headers };
      const response = await supertest(app).get(path).set(fetched).expect(401);
      expect(response.headers['hx-redirect']).toBe(`/auth/login?returnTo=${encodeURIComponent(returnTo)}`);
      expect(response.headers['content-type']).toBe('application/problem+json');
    },
  );

  test('of htmx that is refused for another reason leads the window to the page of the link, on this site', async () => {
    const { app, clinician } = siteFor(provider);
    app.use(clinician.requireVerified());
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'pending' });
    const pathFor = async (path: string, headers: object) =>
      (
        await agent
          .get(path)
          .set({ 'HX-Request': 'true', ...headers })
          .expect(403)
      ).headers['hx-redirect'];
    expect(await pathFor('/notes?a=1', { 'HX-Boosted': 'true' })).toBe('/notes?a=1');
    expect(await pathFor('//evil.example/x', { 'HX-Boosted': 'true' })).toBe('/');
    expect(await pathFor('/notes', {})).toBeUndefined();
  });

  test('of Turbo for a link is to be sent again as a navigation, but not that of a frame, and a form gets a page', async () => {
    const { app } = siteFor(provider);
    const fetched = { Accept: 'text/html, application/xhtml+xml', 'X-Turbo-Request-Id': 'x' };
    const link = await supertest(app).get('/notes').set(fetched).expect(200);
    expect(link.text).toBe('<meta name="turbo-visit-control" content="reload">');
    await supertest(app)
      .get('/notes')
      .set({ ...fetched, 'Turbo-Frame': 'part' })
      .expect(401);
    const form = await supertest(app)
      .post('/things')
      .set({ ...fetched, 'Sec-Fetch-Mode': 'cors' })
      .expect(401);
    expect(form.text).toContain('<h1>Your form was not sent</h1>');
  });

  test('that posts a form gets a page with a sign-in in another tab, and the form is not lost', async () => {
    const { app } = siteFor(provider);
    const path = '/things?to=%22%3E%3Cscript%3E';
    const { text } = await supertest(app).post(path).set(navigation).expect(401).expect('Cache-Control', 'no-store');
    expect(text).toContain('<h1>Your form was not sent</h1>');
    expect(text).toMatch(/href="\/auth\/login\?returnTo=%2F" target="_blank" rel="noopener"/);
    expect(text).toContain('<script>');
    expect(text).toContain('Back to the form');
    expect(text).not.toContain('to=');
    const script = await supertest(app).post('/things').set('Accept', 'application/json').expect(401);
    expect(script.body).toMatchObject({ code: 'sign_in_required' });
    await supertest(app).get('/me').set(navigation).expect(302);
  });

  test('that posts a form to a site without a login route gets no link to one', async () => {
    const { app } = siteFor(provider, { routes: { login: false, logout: false } });
    const { text } = await supertest(app).post('/things').set(navigation).expect(401);
    expect(text).not.toContain('target="_blank"');
    expect(text).not.toContain('/auth/login');
  });

  test('that needs another scope or another user, at a site without a login route, gets no link to one', async () => {
    const options = { routes: { login: false }, scope: 'openid', optionalScope: 'basic email' } as const;
    const { app, clinician } = siteFor(provider, options);
    app.get('/start', (req, res, next) => void clinician.login(req, res, { scope: 'openid basic' }).catch(next));
    app.get('/email', clinician.requireScope('email'));
    app.get(
      '/surgeons',
      clinician.requireProfile(() => false),
    );
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified', loginPath: '/start' });
    const buttonsAt = async (path: string) => {
      const { text } = await agent.get(path).set(navigation).expect(403);
      const buttons = [...text.matchAll(/<a class="clinician-button[^>]* href="([^"]*)"><span>([^<]*)/g)];
      return buttons.map(([, ...button]) => button);
    };
    expect(await buttonsAt('/email')).toEqual([['/', 'Back to home']]);
    expect(await buttonsAt('/surgeons')).toEqual([['/auth/logout', 'Sign out']]);
    expect(() => clinician.signInButton()).toThrow('signInButton() needs the route');
  });

  test.each<[string, SiteOptions]>([
    [
      'an optional scope is missing gets a link that requests it',
      { scope: 'openid basic', optionalScope: 'colleagues' },
    ],
    ['no sign-in requests the scope is a mistake of the site', { scope: 'openid basic' }],
  ])('that reads the resource API where %s', async (_, options) => {
    const { app, clinician } = siteFor(provider, options);
    app.get('/colleagues', async (req, res) => void res.json(await clinician.api(req).colleagues().page(1)));
    app.use(clinician.errorHandler());
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'connected' });
    const { status, text } = await agent.get('/colleagues').set(navigation);
    if (options.optionalScope === undefined) {
      expect(status).toBe(500);
      expect(text).toContain('scope_not_requested');
      expect(text).toMatch(/the resource API needs scope .*colleagues/);
      expect(text).not.toContain('/auth/login');
      return;
    }
    expect(status).toBe(403);
    const [, loginPath = ''] = /href="(\/auth\/login[^"]*)"/.exec(text.replaceAll('&amp;', '&')) ?? [];
    expect(new URL(loginPath, provider.issuer).searchParams.get('scope')).toBe('colleagues');
    const page = await signIn(agent, provider, { as: 'connected', loginPath });
    expect(JSON.parse(page.text)).toMatchObject({ totalEntries: 1234 });
  });

  test('that posts a form which needs a recent sign-in leads to one with the password', async () => {
    let now = Date.now();
    const { app, clinician } = siteFor(provider, { clock: { now: () => now } });
    app.post('/confirm', clinician.requireRecentLogin({ maxAge: 60_000 }), (_req, res) => void res.send('done'));
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/confirm').set(navigation).expect(200, 'done');
    now += 3_600_000;
    const { text } = await agent.post('/confirm').set(navigation).expect(401);
    expect(text).toContain('Your form was not sent');
    expect(text).toContain('href="/auth/login?returnTo=%2F&amp;prompt=login&amp;maxAge=60000" target="_blank"');
  });

  test('whose path looks like another host returns to this site', async () => {
    const { app, clinician } = siteFor(provider);
    app.use(clinician.requireLogin());
    for (const path of ['//evil.example/x', '/\\evil.example', '/%09/evil.example']) {
      const agent = supertest.agent(app);
      const response = await agent.get(path).set(navigation).expect(302);
      await signIn(agent, provider, { as: 'verified', loginPath: response.headers.location as string }).then((page) =>
        expect(page.text).toBe('in'),
      );
    }
  });
});

describe('requireVerified()', () => {
  test('allows a verified clinician, without another request while the profile is fresh', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    const before = provider.requests.length;
    for (let i = 0; i < 3; i++) await agent.get('/notes').expect(200, 'notes');
    expect(provider.requests.length).toBe(before);
  });

  test('reads the profile again after recheckAfter, by a conditional request', async () => {
    let now = Date.now();
    const site = siteFor(provider, { clock: { now: () => now } });
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/profile').expect(200);
    const before = provider.requests.length;
    now += 5 * 60 * 1000 + 1;
    await agent.get('/notes').expect(200);
    const requests = provider.requests.slice(before);
    expect(requests.map(({ path, status }) => [path, status])).toEqual([['/api/v1/users/current', 304]]);
  });

  test('responds 403 to a pending clinician: a page for a navigation, a problem for a script', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'pending' });
    const page = await agent.get('/notes').set(navigation).expect(403);
    expect(page.text).toContain('up to three days');
    const problem = await agent.get('/notes').expect(403);
    expect(JSON.parse(problem.text)).toMatchObject({ code: 'verification_pending' });
    expect((await agent.get('/me')).body).toMatchObject({ verified: false, verification: 'pending' });
  });

  test('allows a pending clinician after the verification, without a new sign-in', async () => {
    const agent = supertest.agent(siteFor(provider, { clock: provider.clock, idleTimeout: Infinity }).app);
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(403);
    provider.clock.advance('3 days');
    await agent.get('/notes').expect(200, 'notes');
  });
});

describe('a scope that was requested and not granted', () => {
  const narrowing: typeof fetch = async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (!String(url).endsWith('/oauth/token')) return response;
    return Response.json({ ...((await response.json()) as object), scope: 'openid email' }, response);
  };
  async function signedIn(options: SiteOptions = {}) {
    const { app, clinician } = siteFor(provider, { fetch: narrowing as never, ...options });
    app.get('/granted', clinician.requireScope('email'), (_req, res) => void res.send('granted'));
    app.get('/others', clinician.requireScope('colleagues'), (_req, res) => void res.send('others'));
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    return agent;
  }

  test.each([
    ['/others', 'colleagues'],
    ['/notes', 'basic'],
  ])('is a 403 at %s, and a page with a link to approve it', async (path, scope) => {
    const agent = await signedIn();
    const problem = await agent.get(path).expect(403);
    expect(JSON.parse(problem.text)).toMatchObject({ code: 'scope_missing', detail: expect.stringContaining(scope) });
    const page = await agent.get(path).set(navigation).expect(403);
    expect(page.text).toContain(`href="/auth/login?returnTo=${encodeURIComponent(path)}"`);
    expect(page.text).toContain(scope);
  });

  test('is described to users by what to do, in the language of the pages', async () => {
    const shown = async (options: SiteOptions) => {
      const agent = await withNodeEnv('production', () => signedIn({ ...options, onEvent: () => undefined }));
      const page = await agent.get('/notes').set(navigation).expect(403);
      return [page.text, (await agent.get('/notes').expect(403)).body.detail];
    };
    const approval = 'Sign in again and allow this site what it needs for this page.';
    expect(await shown({})).toEqual([expect.stringContaining(approval), approval]);
    const translated = await shown({ texts: { approvalText: 'Zustimmung <fehlt>' } });
    expect(translated).toEqual([expect.stringContaining('Zustimmung &lt;fehlt&gt;'), 'Zustimmung <fehlt>']);
  });

  test('does not affect requireScope() of a granted scope', async () => {
    await (await signedIn()).get('/granted').expect(200, 'granted');
  });
});

describe('a site without a session', () => {
  test('gets an error that names the missing line', async () => {
    const { default: express } = await import('express');
    const { clinicianLogin } = await import('../../lib/index.js');
    const { loginOptions } = await import('./site.js');
    const app = express();
    const clinician = clinicianLogin(loginOptions(provider));
    app.use(clinician);
    app.get('/me', clinician.requireLogin(), (_req, res) => void res.end());
    app.use(((error, _req, res, _next) => void res.status(500).json(error)) as import('express').ErrorRequestHandler);
    const { body } = await supertest(app).get('/me');
    expect(body.message).toMatch(/app\.use\(session\(/);
  });
});

test('a guarded page responds 403 to a pending clinician until the service has verified them', async () => {
  const site = siteFor(provider, { clock: { now: () => provider.clock.now() }, idleTimeout: Infinity });
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'pending' });
  expect((await agent.get('/notes').set(navigation).expect(403)).text).toContain('Check again');
  provider.clock.advance('2 days');
  await agent.get('/notes').set(navigation).expect(403);
  provider.clock.advance('1 day');
  await agent.get('/notes').set(navigation).expect(200, 'notes');
});
