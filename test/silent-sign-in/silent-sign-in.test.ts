import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, type SiteOptions, sameOriginScript, siteFor } from '../integration/site.js';

const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document' };
/** Any cookie of the browser shows that it sends cookies. */
const browser = { ...pageView, Cookie: 'a=b' };

const silentLogin = '/auth/login?prompt=none&returnTo=%2Fx';

/** A site with a page that signs in silently, and a browser with its own session at the provider. */
function siteAndBrowser(options: SiteOptions = {}) {
  const { app, clinician } = siteFor(provider, { onEvent: () => undefined, ...options });
  app.all('/silent', clinician.signInSilently(), (req, res) => {
    res.send(req.clinician.isAuthenticated ? 'in' : 'out');
  });
  return { app, agent: supertest.agent(app) };
}

test('a user without a session at the service remains signed out, and is not redirected again', async () => {
  const { agent } = siteAndBrowser();
  await agent.get('/silent').set(pageView).expect(200, 'out');
  const { headers } = await agent.get('/silent').set(pageView).expect(302);
  expect(new URL(headers.location as string).searchParams.get('prompt')).toBe('none');
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
  expect(back.searchParams.get('error')).toBe('login_required');
  const response = await agent.get(back.pathname + back.search).set(pageView);
  expect([response.status, response.headers.location]).toEqual([302, '/silent']);
  await agent.get('/silent').set(pageView).expect(200, 'out');
});

test('a user with a session at the service is signed in, and returns to the page', async () => {
  const { agent } = siteAndBrowser();
  await signIn(agent, provider, { as: 'verified' });
  agent.jar.setCookie('connect.sid=; Max-Age=0; Path=/', '127.0.0.1', '/');
  agent.set(pageView);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: '/silent' });
  const { query } = provider.requests.findLast(({ path }) => path === '/oauth/authorize') ?? {};
  expect([query?.prompt, page.text]).toEqual(['none', 'in']);
});

test('a browser without cookies gets every page without a redirect', async () => {
  const { app } = siteAndBrowser();
  for (let views = 0; views < 3; views++) await supertest(app).get('/silent').set(pageView).expect(200, 'out');
  expect((await supertest(app).get('/silent').set(browser).expect(302)).headers.location).toMatch(
    `${provider.issuer}/oauth/authorize?`,
  );
});

test.each(['/auth/logout', '/auth/forget'])('does nothing for a signed-in user, and after POST %s', async (path) => {
  const { agent } = siteAndBrowser();
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/silent').set(pageView).expect(200, 'in');
  await agent.post(path).set(sameOriginScript).expect(200);
  await agent.get('/silent').set(pageView).expect(200, 'out');
});

test('shows the page while the service is unavailable', async () => {
  const { app } = siteAndBrowser({ fetch: () => Promise.reject(new Error('unreachable')) });
  await supertest(app).get('/silent').set(browser).expect(200, 'out');
});

test.each<[string, object, string?]>([
  ['a script', { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'cors' }],
  ['a frame', { 'Sec-Fetch-Dest': 'iframe' }],
  ['a prefetched page of a browser without cookies', { 'Sec-Purpose': 'prefetch', Cookie: undefined }],
  ['a browser that does not name the destination', { 'Sec-Fetch-Dest': undefined }],
  ['an address that is too long to return to', {}, `?${'a'.repeat(1000)}`],
  ['another host than that of the callback', { Host: 'localhost:3000' }],
])('%s gets the page, and no cookie', async (_, headers, query = '') => {
  const sent = Object.entries({ ...browser, ...headers }).filter(([, value]) => value !== undefined);
  const { app } = siteAndBrowser();
  const response = await supertest(app).get(`/silent${query}`).set(Object.fromEntries(sent));
  expect([response.status, response.text, response.headers['set-cookie']]).toEqual([200, 'out', undefined]);
});

test('a form is not redirected', async () => {
  await supertest(siteAndBrowser().app).post('/silent').set(browser).expect(200, 'out');
});

test.each([
  ['strict', 'cross-site', 200],
  ['strict', 'same-origin', 302],
  ['lax', 'cross-site', 302],
] as const)('with a SameSite=%s session, a request that is %s gets %i', async (sameSite, site, status) => {
  const { app } = siteAndBrowser({ session: { cookie: { sameSite } } });
  const headers = { ...browser, 'Sec-Fetch-Site': site };
  await supertest(app).get('/silent').set(headers).expect(status);
});

test('a link to a silent sign-in that cannot be started, or that onSignIn denies, leads to returnTo', async () => {
  const { app } = siteAndBrowser({ fetch: () => Promise.reject(new Error('unreachable')) });
  await supertest(app).get(silentLogin).set(pageView).expect(302).expect('Location', '/x');
  let calls = 0;
  const denying = siteAndBrowser({
    onSignIn() {
      calls += 1;
      return false;
    },
  });
  await signIn(denying.agent, provider, { as: 'verified' });
  const own = { ...pageView, 'Sec-Fetch-Site': 'same-origin' };
  const { headers } = await denying.agent.get(silentLogin).set(own).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: denying.agent }));
  const denied = await denying.agent.get(back.pathname + back.search).set(pageView);
  expect([denied.status, denied.headers.location, calls]).toEqual([302, '/x', 2]);
  await denying.agent.get('/me').expect(401);
});

test.each(['iframe', 'frame', 'embed', 'object'])(
  'a sign-in that a frame starts (%s) is refused without an authorization request; a silent one shows no error',
  async (dest) => {
    const framed = { ...navigation, 'Sec-Fetch-Dest': dest };
    const { app } = siteAndBrowser();
    const { text, headers } = await supertest(app).get('/auth/login').set(framed).expect(403);
    expect(text).toContain('framed_sign_in');
    expect(headers['set-cookie']).toBeUndefined();
    await supertest(app).get(silentLogin).set(framed).expect(302).expect('Location', '/x');
  },
);
