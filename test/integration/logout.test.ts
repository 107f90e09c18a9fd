import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createFetch } from '../../lib/http/http.js';
import { provider } from '../helpers/provider.js';
import { textOf } from '../helpers.js';
import {
  logoutURLOf,
  navigation,
  refreshOf,
  type SiteOptions,
  sameOriginForm,
  sameOriginScript,
  signedInAt,
  siteFor,
} from './site.js';

const SITE = 'http://127.0.0.1:3000';

async function signedIn(options: SiteOptions = {}) {
  const site = siteFor(provider, options);
  const agent = await signedInAt(site.app, provider);
  return { ...site, agent };
}

/** @returns where the service redirects a browser to after its logout. */
async function logOutAtService(location: string): Promise<URL> {
  const response = await fetch(location, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location') as string);
}

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke');

describe('signing out at the service', () => {
  test('redirects there with the ID Token and state, and back to a page that reports both sign-outs', async () => {
    const { agent } = await signedIn();
    const logoutURL = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    expect(logoutURL.origin + logoutURL.pathname).toBe(`${provider.issuer}/oauth/logout`);
    expect([...logoutURL.searchParams.keys()].sort()).toEqual(
      expect.arrayContaining(['id_token_hint', 'post_logout_redirect_uri', 'state']),
    );
    expect(logoutURL.searchParams.get('post_logout_redirect_uri')).toBe(`${SITE}/auth/logged-out`);
    const back = await logOutAtService(logoutURL.href);
    expect(back.origin + back.pathname).toBe(`${SITE}/auth/logged-out`);
    const page = await agent.get(back.pathname + back.search).expect(200);
    expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
    expect(String(page.headers['set-cookie'])).toMatch(/^clinician-[\w-]{6}-logout-3000=; Max-Age=0/);
    expect(revocations()).toMatchObject([{ status: 200 }]);
    await agent.get('/me').expect(401);
  });

  test('of two sites on two ports, which get the cookies of each other, reports both', async () => {
    const jar = new Map<string, string>();
    const pending = [];
    for (const port of [3000, 3001]) {
      const { agent, app } = await signedIn({ callbackURL: `http://127.0.0.1:${port}/auth/callback` });
      const response = await agent.post('/auth/logout').set(sameOriginForm);
      for (const line of response.get('Set-Cookie') ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      pending.push({ app, logoutURL: await logoutURLOf(agent, response) });
    }
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const { app, logoutURL } of pending) {
      const { pathname, search } = await logOutAtService(logoutURL.href);
      const { text } = await supertest(app)
        .get(pathname + search)
        .set('Cookie', cookie)
        .expect(200);
      expect(text).toContain('You are signed out of this site and of the sign-in service.');
    }
  });

  test.each([
    ['another state', '?state=another'],
    ['two states', '?state=a&state=b'],
    ['no state', ''],
  ])('a redirect back with %s reports the sign-out of this site only, and changes nothing', async (_name, query) => {
    const { agent } = await signedIn();
    const logoutURL = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    const page = await agent.get(`/auth/logged-out${query}`).expect(200);
    expect(page.text).toContain('You may still be signed in at the sign-in service');
    expect(page.headers['set-cookie']).toBeUndefined();
    await agent.get('/me').expect(401);
    const back = await logOutAtService(logoutURL.href);
    const repeated = await agent.get(`${back.pathname}${back.search}&state=another`);
    expect(repeated.text).not.toContain('and of the sign-in service.');
    // The redirect back with the correct state is still accepted.
    expect((await agent.get(back.pathname + back.search)).text).toContain('and of the sign-in service.');
  });

  test('a link to the logged-out page neither signs out nor reports a sign-out', async () => {
    const { agent } = await signedIn();
    expect((await agent.get('/auth/logged-out?state=x').expect(302)).headers.location).toBe('/');
    await agent.get('/me').expect(200);
  });
});

describe('signing out by a script', () => {
  test.each<[string, object, string, string]>([
    ['htmx leads the window there', { 'HX-Request': 'true', Accept: 'text/html' }, 'hx-redirect', '/auth/end-session'],
    ['Turbo follows a redirect', { 'X-Turbo-Request-Id': 'x', Accept: 'text/html' }, 'location', '/auth/end-session'],
  ])('%s, and gets no URL with the ID Token', async (_, library, header, path) => {
    const { agent } = await signedIn();
    const { headers } = await agent.post('/auth/logout').set({ ...sameOriginScript, ...library });
    expect(headers[header]).toBe(path);
    const { location } = (await agent.get(path).set({ ...library })).headers;
    expect(location).toBe('/auth/logged-out');
    await agent.get('/me').expect(401);
  });
});

test('signOutButton() posts to the logout route, and throws where it is left out', () => {
  const { clinician } = siteFor(provider, { routes: { logout: '/bye' } });
  expect(clinician.signOutButton()).toContain('action="/bye"');
  expect(() => siteFor(provider, { routes: { logout: false } }).clinician.signOutButton()).toThrow(
    'signOutButton() needs the route that routes.logout: false leaves out.',
  );
});

test('a logout request of more than 2,000 characters is a form that posts the ID Token, which is in no URL', async () => {
  const real = createFetch({});
  const { agent } = await signedIn({
    postLogoutRedirectURI: `${SITE}/bye/${'x'.repeat(2_000)}`,
    fetch: async (input, init) => {
      const response = await real(input, init);
      if (!String(input).endsWith('/.well-known/openid-configuration')) return response;
      const metadata = JSON.parse(await textOf(response)) as { end_session_endpoint: string };
      return Response.json({ ...metadata, end_session_endpoint: `${metadata.end_session_endpoint}?tenant=a%26b` });
    },
  });
  const next = refreshOf((await agent.post('/auth/logout').set(sameOriginForm).expect(200)).text);
  const { text, headers } = await agent.get(next).set(navigation).expect(200);
  expect(headers.location).toBeUndefined();
  // The query of the endpoint remains in its URL.
  expect(text).toContain(
    `<form method="post" action="${provider.issuer}/oauth/logout?tenant=a%26b" data-clinician-submit>`,
  );
  const policy = headers['content-security-policy'];
  expect(policy).toContain(`form-action 'self' ${provider.issuer} ${SITE};`);
  expect(policy).toContain("script-src 'sha256-");
  // No other page of the site can read it. The HTML standard refuses a sandboxed page with the opener policy of helmet.
  expect(policy).toMatch(/^sandbox allow-forms allow-scripts;/);
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers).not.toHaveProperty('cross-origin-opener-policy');
  expect(headers['cache-control']).toBe('no-store');
  const names = [...text.matchAll(/<input type="hidden" name="(\w+)" value="[^"]+">/g)].map(([, name]) => name);
  expect(names).toEqual(['id_token_hint', 'post_logout_redirect_uri', 'state', 'client_id']);
  await agent.get('/me').expect(401);
});

describe('signing out of this site only', () => {
  test.each([
    ['in the profile flow, which has no ID Token', { flow: 'profile' }, '/auth/logged-out'],
    ['where postLogoutRedirectURI is false', { postLogoutRedirectURI: false }, '/auth/logged-out'],
    ['without a logged-out route', { routes: { loggedOut: false } }, '/'],
    ['without the route that continues at the service', { routes: { endSession: false } }, '/auth/logged-out'],
  ] as const)('%s', async (_name, options, location) => {
    const { agent } = await signedIn(options);
    expect((await agent.post('/auth/logout').set(sameOriginForm).expect(303)).headers.location).toBe(location);
    await agent.get('/me').expect(401);
    expect(revocations()).toHaveLength(1);
    if (location === '/') return;
    const { text } = await agent.get(location).expect(200);
    expect(text).toContain('<strong>You are still signed in at the sign-in service</strong>');
    expect(text).toContain(`sign out at <bdi>${new URL(provider.issuer).host}</bdi>`);
  });

  test('postLogoutRedirectURI replaces the logged-out route, and must be an absolute URL', async () => {
    const { agent } = await signedIn({ postLogoutRedirectURI: 'https://www.app.example/bye' });
    const logoutURL = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    expect(logoutURL.searchParams.get('post_logout_redirect_uri')).toBe('https://www.app.example/bye');
    expect(() => siteFor(provider, { postLogoutRedirectURI: '/bye' })).toThrow(/postLogoutRedirectURI.*absolute/);
  });
});
