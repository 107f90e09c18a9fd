import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let provider: MockProvider;

beforeAll(async () => {
  provider = await startMockProvider({ port: 0 });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const asPage = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };

describe.each(['openid', 'profile'] as const)('in the %s flow', (flow) => {
  test('/api/me says who is signed in, and nothing that is secret', async () => {
    const agent = request.agent(siteFor(provider, { flow }));
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

  test('/profile shows every member that the service sent, each null as none', async () => {
    const agent = request.agent(siteFor(provider, { flow }));
    await signIn(agent, provider, { as: 'verified' });
    const { text } = await agent.get('/profile').set(asPage).expect(200);
    const { username: _, password: __, verified: ___, sub: ____, ...cv } = provider.clinicians.get('verified');
    for (const value of leavesOf(cv)) expect(text).toContain(value === null ? 'none' : escaped(value));
  });
});

/** @returns every text and number in a value. */
function leavesOf(value: unknown): (string | null)[] {
  if (typeof value !== 'object' || value === null) return [value === null ? null : String(value)];
  return Object.values(value).flatMap(leavesOf);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
}

test('/api/me is a 401 problem for whoever is signed out, in a browser, too', async () => {
  const app = siteFor(provider);
  for (const headers of [{ accept: 'application/json' }, asPage]) {
    const { body } = await request(app).get('/api/me').set(headers).expect(401);
    expect(body).toMatchObject({ status: 401, code: 'sign_in_required' });
  }
  await request(app)
    .get('/api/me')
    .expect('content-type', /^application\/problem\+json/);
});

test('/api/nothing is a 404 problem, /nothing a page', async () => {
  const app = siteFor(provider);
  await request(app)
    .get('/api/nothing')
    .expect(404, /not_found/)
    .expect('content-type', /problem\+json/);
  await request(app)
    .get('/nothing')
    .expect(404, /There is no such page/)
    .expect('content-type', /html/);
});

test('an address that cannot be decoded is a 400 or 404, and never a stack (attack 169)', async () => {
  const { status, text } = await request(siteFor(provider)).get('/assets/%E0%A4%A');
  expect([400, 404]).toContain(status);
  expect(text).not.toMatch(/at .+:\d+:\d+|node_modules/);
});

test('a service that is down is a page with a retry, a 503 problem for scripts, and no reason to be signed out', async () => {
  const alone = await startMockProvider({ port: 0 });
  const agent = request.agent(siteFor(alone));
  await signIn(agent, alone, { as: 'pending' });
  await alone.stop();
  const errors = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  await agent
    .get('/profile')
    .set(asPage)
    .expect(503, /is not answering/);
  await agent.get('/api/me').expect(503, /retryable|service_unreachable/);
  await agent
    .get('/')
    .set(asPage)
    .expect(200, /You are signed in/);
  errors.mockRestore();
});

test('a sign-in that the service has ended is a page with the way back, and never a redirect without end (attack 148)', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'verified' });
  provider.reset();
  const { text } = await agent.get('/profile').set(asPage).expect(401);
  expect(text).toMatch(/Please sign in once more/);
  expect(text).toMatch(/href="\/auth\/login\?returnTo=%2Fprofile"/);
  await agent.get('/').set(asPage).expect(200);
});

test('every address that pages ask a browser for is there', async () => {
  const agent = request.agent(siteFor(provider));
  const { text } = await agent.get('/').set(asPage);
  const assets = [...text.matchAll(/(?:src|href)="(\/(?:assets|auth)\/[^"?]+\.[a-z]+)"/g)].map(([, path]) => path);
  expect(assets.length).toBeGreaterThanOrEqual(4);
  for (const path of assets) await agent.get(path as string).expect(200);
  await agent.get('/favicon.ico').redirects(1).expect(200);
});

test('with scope openid alone the pages that need more say which scope is missing', async () => {
  const agent = request.agent(siteFor(provider, { scope: ['openid'] }));
  await signIn(agent, provider, { as: 'verified' });
  for (const path of ['/profile', '/notes']) {
    const { text } = await agent.get(path).set(asPage).expect(200);
    expect(text).toMatch(/takes the scope <code>basic<\/code>.*asks for <code>openid<\/code> only/);
  }
  const { body } = await agent.get('/api/me').expect(200);
  expect(body).toMatchObject({ isAuthenticated: true, scope: ['openid'], verified: false });
  await agent
    .get('/account')
    .set(asPage)
    .expect(200, /Verification unknown/);
});

test('a profile with almost nothing in it is a page all the same', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'minimal' });
  const { text } = await agent.get('/profile').set(asPage).expect(200);
  expect(text).toContain('Mo Li');
  expect(text).not.toMatch(/undefined|null|Office|Training/);
});

test('every text of a hostile profile is inert, and its photo is not shown (attacks 164, 165)', async () => {
  const agent = request.agent(siteFor(provider));
  await signIn(agent, provider, { as: 'hostile' });
  for (const path of ['/', '/profile', '/account']) {
    const { text } = await agent.get(path).set(asPage).expect(200);
    expect(text).not.toMatch(
      /<(script(?! src="\/auth\/clinician\.js" defer>)|svg|marquee|u|i|b)\b|<img src=x|href="javascript|src="javascript|<%|>49</i,
    );
  }
});

test('an https site sets its cookies Secure behind a proxy that speaks https', async () => {
  const app = siteFor(provider, { appURL: 'https://rounds.example' });
  const { headers } = await request(app).get('/auth/login').set('x-forwarded-proto', 'https').expect(302);
  expect(headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-clinician-tx-.*; Secure/)]);
});

test('the session cookie is HttpOnly and SameSite=Lax, and comes with a sign-in only', async () => {
  const agent = request.agent(siteFor(provider));
  const before = await agent.get('/').set(asPage);
  expect(before.headers['set-cookie']).toBeUndefined();
  await signIn(agent, provider, { as: 'verified' });
  const cookie = agent.jar.getCookie('rounds.session', {
    domain: '127.0.0.1',
    path: '/',
    secure: false,
    script: false,
  });
  expect(cookie).toMatchObject({ noscript: true });
});

test('whoever types localhost is led to the one host name, and to no other host', async () => {
  const app = siteFor(provider);
  const here = 'http://127.0.0.1:3000';
  await request(app).get('/notes?a=b').set('host', 'localhost:3000').expect('location', `${here}/notes?a=b`);
  await request(app).get('//evil.example/').set('host', 'localhost:3000').expect('location', `${here}/evil.example/`);
});

test('every page has a policy without unsafe scripts, and no page is kept or framed (attack 167)', async () => {
  const { headers } = await request(siteFor(provider)).get('/').set(asPage);
  expect(headers['content-security-policy']).toMatch(/script-src 'self';/);
  expect(headers['content-security-policy']).toMatch(/frame-ancestors 'self'/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-powered-by']).toBeUndefined();
  expect(headers['cache-control']).toBe('no-store');
});
