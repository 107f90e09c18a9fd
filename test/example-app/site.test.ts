import { expect, test } from '@jest/globals';
import request from 'supertest';
import { createSite } from '../../example-app/src/app.js';
import { readConfig } from '../../example-app/src/config.js';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { takePrinted } from '../helpers/printed.js';
import { provider } from '../helpers/provider.js';
import { freePort } from '../helpers.js';
import { siteFor } from './site.js';

const pageHeaders = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };

test.each(['openid', 'profile'] as const)('/api/me contains the signed-in user and no secret: %s', async (flow) => {
  const agent = request.agent(siteFor(provider, { signInBy: flow === 'openid' ? 'passport' : 'drop-in', flow }));
  await signIn(agent, provider, { as: 'verified' });
  const { body, headers } = await agent.get('/api/me').expect(200);
  const { sub, id } = provider.clinicians.get('verified');
  expect(body).toEqual({
    isAuthenticated: true,
    user: { id: flow === 'openid' ? sub : String(id) },
    flow,
    scope: expect.arrayContaining(['basic', 'colleagues', 'email']),
    verified: true,
  });
  expect(headers['cache-control']).toBe('no-store');
});

test('/profile shows every member from the service, and "none" for null', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'verified' });
  const { text } = await agent.get('/profile').set(pageHeaders).expect(200);
  const hidden = ['username', 'password', 'verified', 'sub', 'profilePhoto'];
  const clinician = Object.entries(provider.clinicians.get('verified'));
  const shown = leavesOf(Object.fromEntries(clinician.filter(([name]) => !hidden.includes(name))));
  expect(shown.length).toBeGreaterThan(40);
  for (const value of shown) expect(text).toContain(value === null ? 'none' : escaped(value));
  const photo = /\?of=([a-z-]+)$/.exec(String(provider.clinicians.get('verified').profilePhoto))?.[1];
  expect(text).toContain(`src="/assets/photos/${photo}.svg"`);
  await agent
    .get(`/assets/photos/${photo}.svg`)
    .expect(200)
    .expect('content-type', /^image\/svg/);
});

/** @returns every string and number in a value. */
function leavesOf(value: unknown): (string | null)[] {
  if (typeof value !== 'object' || value === null) return [value === null ? null : String(value)];
  return Object.values(value).flatMap(leavesOf);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
}

test('the notes are shown to a verified user only', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'pending' });
  const { text } = await agent.get('/notes').set(pageHeaders).expect(403);
  expect(text).toContain('Your verification is in progress');
  provider.clinicians.update('pending', { verified: true });
  await agent.get('/notes').set(pageHeaders).expect(200);
});

test('/api/me without a session is a 401 problem document, for a browser too', async () => {
  const app = siteFor(provider);
  for (const headers of [{ accept: 'application/json' }, pageHeaders]) {
    const { body } = await request(app).get('/api/me').set(headers).expect(401);
    expect(body).toMatchObject({ status: 401, code: 'sign_in_required' });
  }
  await request(app)
    .get('/api/me')
    .expect('content-type', /^application\/problem\+json/);
});

test('an unknown path is a 404: a problem document below /api, else a page', async () => {
  const app = siteFor(provider);
  await request(app)
    .get('/api/nothing')
    .expect(404, /not_found/)
    .expect('content-type', /problem\+json/);
  await request(app)
    .get('/nothing')
    .expect(404, /Page not found/)
    .expect('content-type', /html/);
});

test('while the service is unavailable, pages and scripts get 503 and the user remains signed in', async () => {
  const stopped = await startMockProvider({ port: await freePort() });
  const agent = request.agent(siteFor(stopped));
  await signIn(agent, stopped, { as: 'pending' });
  await stopped.stop();
  await agent
    .get('/profile')
    .set(pageHeaders)
    .expect(503, /The service is unavailable[\s\S]*<a class="button primary" href="">Try again<\/a>/);
  await agent.get('/api/me').expect(503, /retryable|service_unreachable/);
  await agent
    .get('/')
    .set(pageHeaders)
    .expect(200, /You are signed in/);
  expect(takePrinted()).toEqual([expect.stringMatching(/^warn: .* A request failed: .*service_unreachable/)]);
});

test('every asset that a page refers to exists', async () => {
  const agent = request.agent(siteFor(provider));
  const { text } = await agent.get('/').set(pageHeaders);
  const assets = [...text.matchAll(/(?:src|href)="(\/(?:assets|auth)\/[^"?]+\.[a-z]+)"/g)].map(([, path]) => path);
  expect(assets.length).toBeGreaterThanOrEqual(4);
  expect(text).toContain('<link rel="icon" href="/assets/icon.svg"');
  for (const path of assets) await agent.get(path as string).expect(200);
  await agent.get('/favicon.ico').redirects(1).expect(200);
});

test('with only the scope openid, pages that need more name the missing scope', async () => {
  const agent = request.agent(siteFor(provider, { scope: ['openid'] }));
  await signIn(agent, provider, { as: 'verified' });
  for (const path of ['/profile', '/notes']) {
    const { text } = await agent.get(path).set(pageHeaders).expect(200);
    expect(text).toMatch(/needs the scope <code>basic<\/code>.*requests only <code>openid<\/code>/);
  }
  const { body } = await agent.get('/api/me').expect(200);
  expect(body).toMatchObject({ isAuthenticated: true, scope: ['openid'], verified: false });
  await agent
    .get('/account')
    .set(pageHeaders)
    .expect(200, /Verification unknown/);
});

test('a minimal profile with empty and null members is shown without empty sections', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'minimal' });
  const { text } = await agent.get('/profile').set(pageHeaders).expect(200);
  expect(text).toContain('Mo Li');
  expect(text).not.toMatch(/undefined|null|Training/);
});

test('HTML in a profile is escaped, and a photo with a script URL is not shown', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'hostile' });
  for (const path of ['/', '/profile', '/account']) {
    const { text } = await agent.get(path).set(pageHeaders).expect(200);
    expect(text).not.toMatch(
      /<(script(?! src="\/auth\/clinician\.js" defer>)|svg|marquee|u|i|b)\b|<img src=x|href="javascript|src="javascript|<%|>49</i,
    );
  }
});

test('the session cookie is HttpOnly and SameSite=Lax, and is set only by a sign-in', async () => {
  const agent = request.agent(siteFor(provider));
  const before = await agent.get('/').set(pageHeaders);
  expect(before.headers['set-cookie']).toBeUndefined();
  const started = await agent.get('/auth/login').set(pageHeaders).expect(302);
  const callback = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
  const { headers } = await agent.get(callback.pathname + callback.search).set(pageHeaders);
  const cookies = headers['set-cookie'] as unknown as string[];
  const cookie = cookies.find((line) => line.startsWith('rounds.session='));
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
});

test('the session cookie of an https site is bound to its host', async () => {
  const https = { ...pageHeaders, 'X-Forwarded-Proto': 'https' };
  const appURL = 'https://rounds.example';
  const { clientID, clientSecret } = provider.registerClient({
    flow: 'openid',
    redirectURIs: [`${appURL}/auth/callback`],
    scope: ['openid', 'basic', 'colleagues', 'email'],
  });
  const environment = {
    APP_URL: appURL,
    SESSION_SECRET: 'reference-site-secret-0123456789-0123456789',
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
  };
  const { app } = createSite(readConfig(environment));
  const started = await request(app).get('/auth/login').set(https).expect(302);
  const callback = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
  const sent = (lines: unknown) => (lines as string[]).map((line) => line.split(';')[0]).join('; ');
  const { headers } = await request(app)
    .get(callback.pathname + callback.search)
    .set({ ...https, Cookie: sent(started.headers['set-cookie']) });
  const cookies = headers['set-cookie'] as unknown as string[];
  expect(cookies.find((line) => line.startsWith('__Host-rounds.session='))).toMatch(
    /; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
});

test('localhost is redirected to 127.0.0.1, and never to another host', async () => {
  const app = siteFor(provider);
  const here = 'http://127.0.0.1:3000';
  await request(app).get('/notes?a=b').set('host', 'localhost:3000').expect('location', `${here}/notes?a=b`);
  await request(app).get('//evil.example/').set('host', 'localhost:3000').expect('location', `${here}/evil.example/`);
});

test('pages have a Content-Security-Policy without unsafe scripts, and are not cached or framed', async () => {
  const { headers } = await request(siteFor(provider)).get('/').set(pageHeaders);
  expect(headers['content-security-policy']).toContain(`script-src 'self' ${provider.issuer};`);
  expect(headers['content-security-policy']).toMatch(/frame-ancestors 'self'/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-powered-by']).toBeUndefined();
  expect(headers['cache-control']).toBe('no-store');
});
