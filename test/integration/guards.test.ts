import { describe, expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { type Site, signedInAt, siteFor } from './site.js';

const SITE = 'http://127.0.0.1:3000';
const navigation = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Sec-Fetch-Mode': 'navigate' };

describe('a request of a signed-out user', () => {
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
    const agent = await signedInAt(app, provider);
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
    const agent = await signedInAt(app, provider, 'pending');
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

  test('that posts a form which needs a recent sign-in leads to one with the password', async () => {
    let now = Date.now();
    const { app, clinician } = siteFor(provider, { clock: { now: () => now } });
    app.post('/confirm', clinician.requireRecentLogin({ maxAge: 60_000 }), (_req, res) => void res.send('done'));
    const agent = await signedInAt(app, provider);
    await agent.post('/confirm').set(navigation).expect(200, 'done');
    now += 3_600_000;
    const { text } = await agent.post('/confirm').set(navigation).expect(401);
    expect(text).toContain('Your form was not sent');
    expect(text).toContain('href="/auth/login?returnTo=%2F&amp;prompt=login&amp;maxAge=60000" target="_blank"');
  });
});

test('requireVerified() reads the profile again after recheckAfter, by a conditional request', async () => {
  let now = Date.now();
  const site = siteFor(provider, { clock: { now: () => now } });
  const agent = await signedInAt(site.app, provider);
  await agent.get('/profile').expect(200);
  const before = provider.requests.length;
  now += 5 * 60 * 1000 + 1;
  await agent.get('/notes').expect(200);
  const requests = provider.requests.slice(before);
  expect(requests.map(({ path, status }) => [path, status])).toEqual([['/api/v1/users/current', 304]]);
});

test.each<[string, string, (clinician: Site['clinician']) => RequestHandler]>([
  ['requireVerified()', 'basic', (clinician) => clinician.requireVerified()],
  ['requireProfile()', 'basic', (clinician) => clinician.requireProfile(() => true)],
  ['requireScope()', 'colleagues', (clinician) => clinician.requireScope('colleagues')],
])('a scope that was not granted is a 403 of %s, and a page with a link to approve it', async (_, scope, guardOf) => {
  const { app, clinician } = siteFor(provider, { scope: 'openid email', optionalScope: 'basic colleagues' });
  app.get('/guarded', guardOf(clinician), (_req, res) => void res.send('guarded'));
  app.get('/granted', clinician.requireScope('email'), (_req, res) => void res.send('granted'));
  const agent = await signedInAt(app, provider);
  await agent.get('/granted').expect(200, 'granted');
  const problem = await agent.get('/guarded').expect(403);
  expect(problem.body).toMatchObject({ code: 'scope_missing', detail: expect.stringContaining(scope) });
  const page = await agent.get('/guarded').set(navigation).expect(403);
  expect(page.text).toContain(`href="/auth/login?returnTo=%2Fguarded&amp;scope=${scope}"`);
  expect(provider.requests.filter(({ path }) => path === '/api/v1/users/current')).toEqual([]);
});

test('a guarded page responds 403 to a pending clinician until the service has verified them', async () => {
  const site = siteFor(provider, { clock: { now: () => provider.clock.now() }, idleTimeout: Infinity });
  const agent = await signedInAt(site.app, provider, 'pending');
  expect((await agent.get('/notes').set(navigation).expect(403)).text).toContain('up to three days');
  provider.clock.advance('2 days');
  await agent.get('/notes').set(navigation).expect(403);
  provider.clock.advance('1 day');
  await agent.get('/notes').set(navigation).expect(200, 'notes');
});

test('while the token store is unavailable, a guard responds 503 and the user remains signed in', async () => {
  let now = Date.now();
  const clock = { now: () => now };
  const store = new MemoryTokenStore({ clock });
  const { app } = siteFor(provider, { tokenStore: store, clock });
  const agent = await signedInAt(app, provider);
  const { get } = store;
  store.get = () => Promise.reject(new Error('down'));
  now += 5 * 60 * 1000 + 1;
  const page = await agent.get('/me').set(navigation).expect(503);
  expect(page.text).toContain('Please try again in a moment');
  expect(page.text).not.toMatch(/could not sign you in|signs you in/);
  expect(page.text).toContain('href="/me"');
  store.get = get;
  await agent.get('/me').expect(200);
});

test('a login that another process has ended is refused by a guard whose recheckAfter has passed', async () => {
  let now = Date.now();
  const clock = { now: () => now };
  const tokenStore = new MemoryTokenStore({ clock });
  const [one, other] = [siteFor(provider, { tokenStore, clock }), siteFor(provider, { tokenStore, clock })];
  one.app.get('/soon', one.clinician.requireLogin({ recheckAfter: 1_000 }), (_req, res) => void res.send('in'));
  const agent = await signedInAt(one.app, provider);
  await agent.get('/soon').expect(200);
  await other.clinician.forget((await agent.get('/me')).body.user.id);
  now += 999;
  await agent.get('/soon').expect(200);
  now += 1;
  await agent.get('/soon').expect(401);
});
