import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { createFetch } from '../../lib/http/http.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn, signOut } from '../../lib/testing/testing.js';
import { textOf } from '../helpers/response-text.js';
import {
  endSessionURL,
  logoutURLOf,
  navigation,
  refreshOf,
  type SiteOptions,
  sameOriginForm,
  sameOriginScript,
  siteFor,
} from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const SITE = 'http://127.0.0.1:3000';

async function signedIn(options: SiteOptions = {}) {
  const site = siteFor(provider, options);
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
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
    expect(String(page.headers['set-cookie'])).toMatch(/^clinician-[\w-]{6}-logout=; Max-Age=0/);
    expect(revocations()).toMatchObject([{ status: 200 }]);
    await agent.get('/me').expect(401);
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

  test('the state of another browser is not accepted', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await one.agent.post('/auth/logout').set(sameOriginForm);
    const { href } = await logoutURLOf(other.agent, await other.agent.post('/auth/logout').set(sameOriginForm));
    const { search } = await logOutAtService(href);
    expect((await one.agent.get(`/auth/logged-out${search}`)).text).not.toContain('and of the sign-in service.');
  });

  test('a link to the logged-out page neither signs out nor reports a sign-out', async () => {
    const { agent } = await signedIn();
    expect((await agent.get('/auth/logged-out?state=x').expect(302)).headers.location).toBe('/');
    await agent.get('/me').expect(200);
  });
});

describe('signing out by a script', () => {
  test('returns the path to visit as JSON that no other site can read', async () => {
    const { agent } = await signedIn();
    const { body, headers } = await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(body).toEqual({ url: '/auth/end-session' });
    const back = await logOutAtService((await endSessionURL(agent, body.url)).href);
    expect((await agent.get(back.pathname + back.search)).text).toContain('and of the sign-in service.');
    await agent.get('/me').expect(401);
  });

  test('without a session, or at a service that does not respond, returns the logged-out page', async () => {
    const { app } = siteFor(provider);
    await supertest(app).post('/auth/logout').set(sameOriginScript).expect(200, { url: '/auth/logged-out' });
  });

  test('from another site returns a problem document without an address', async () => {
    const { agent } = await signedIn();
    const { body } = await agent.post('/auth/logout').set('Sec-Fetch-Site', 'cross-site').expect(403);
    expect(body).toMatchObject({ code: 'cross_site_request' });
    expect(body).not.toHaveProperty('url');
  });
});

test('a link to the logout route leads a signed-out user to the logged-out page', async () => {
  const { app } = siteFor(provider);
  const { headers } = await supertest(app).get('/auth/logout').set('Accept', 'text/html').expect(302);
  expect(headers.location).toBe('/auth/logged-out');
});

test('signOutButton() posts to the logout route, and throws where it is left out', () => {
  const { clinician } = siteFor(provider, { routes: { logout: '/bye' } });
  expect(clinician.signOutButton({ csrfToken: 'a' })).toContain('action="/bye"><input type="hidden" name="_csrf"');
  expect(() => clinician.signOutButton({ csrf: 'a' } as never)).toThrow("Did you mean 'csrfToken'?");
  expect(() => siteFor(provider, { routes: { logout: false } }).clinician.signOutButton()).toThrow(
    'signOutButton() needs the route that is left out by routes.logout: false.',
  );
});

describe("with endSessionMethod: 'POST'", () => {
  const byPost = { endSessionMethod: 'POST' } as const;

  test('a navigation gets a page whose form posts the ID Token, which is in no URL', async () => {
    const { agent } = await signedIn(byPost);
    const next = refreshOf((await agent.post('/auth/logout').set(sameOriginForm).expect(200)).text);
    const { text, headers } = await agent.get(next).set(navigation).expect(200);
    expect(headers.location).toBeUndefined();
    expect(text).toContain(`<form method="post" action="${provider.issuer}/oauth/logout" data-clinician-submit>`);
    const policy = headers['content-security-policy'];
    expect(policy).toContain(`form-action 'self' ${provider.issuer} ${SITE};`);
    expect(policy).toContain("script-src 'self';");
    expect(headers['cache-control']).toBe('no-store');
    await agent.get('/me').expect(401);

    const fields = Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
    );
    expect(Object.keys(fields)).toEqual(['id_token_hint', 'post_logout_redirect_uri', 'state', 'client_id']);
    const posted = await fetch(`${provider.issuer}/oauth/logout`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    const back = new URL(posted.headers.get('location') as string);
    expect(back.href).not.toContain(fields.id_token_hint);
    expect((await agent.get(back.pathname + back.search)).text).toContain('and of the sign-in service.');
    const logout = provider.requests.findLast(({ path }) => path === '/oauth/logout');
    expect([logout?.method, logout?.query]).toEqual(['POST', {}]);
  });

  test('a script receives the path of that page', async () => {
    const { agent } = await signedIn(byPost);
    const { body } = await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    expect(body).toEqual({ url: '/auth/end-session' });
    const { text } = await agent.get(body.url).set(navigation).expect(200);
    expect(text).toContain(`name="post_logout_redirect_uri" value="${SITE}/auth/logged-out"`);
  });

  test('a query in the URL of the endpoint stays there', async () => {
    const real = createFetch({});
    const { agent } = await signedIn({
      ...byPost,
      fetch: async (input, init) => {
        const response = await real(input, init);
        if (!String(input).endsWith('/.well-known/openid-configuration')) return response;
        const metadata = JSON.parse(await textOf(response)) as { end_session_endpoint: string };
        return Response.json({ ...metadata, end_session_endpoint: `${metadata.end_session_endpoint}?tenant=a%26b` });
      },
    });
    await agent.post('/auth/logout').set(sameOriginForm).expect(200);
    const { text } = await agent.get('/auth/end-session').set(navigation).expect(200);
    expect(text).toContain(`action="${provider.issuer}/oauth/logout?tenant=a%26b"`);
    expect(text).not.toContain('name="tenant"');
  });

  test('the profile flow and a sign-out without a session redirect as before', async () => {
    const { agent } = await signedIn({ ...byPost, flow: 'profile' });
    for (let logout = 0; logout < 2; logout += 1) {
      const { headers } = await agent.post('/auth/logout').set(sameOriginForm).expect(303);
      expect(headers.location).toBe('/auth/logged-out');
    }
  });

  test('signOut() of the test helpers submits the form', async () => {
    const { agent } = await signedIn(byPost);
    expect((await signOut(agent, provider)).text).toContain(
      'You are signed out of this site and of the sign-in service.',
    );
  });

  test('another method is refused', () => {
    expect(() => siteFor(provider, { endSessionMethod: 'PUT' as 'GET' })).toThrow(/endSessionMethod.*'GET'.*'POST'/);
  });
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

  test.each([
    ['in the profile flow', { flow: 'profile' }, '/auth/logged-out'],
    ['where postLogoutRedirectURI is false', { postLogoutRedirectURI: false }, '/auth/logged-out'],
    ['without a logged-out route', { routes: { loggedOut: false } }, '/'],
  ] as const)('%s, a script receives the address of this site to visit', async (_name, options, url) => {
    for (const path of ['/auth/logout', '/auth/forget']) {
      const { agent } = await signedIn(options);
      await agent.post(path).set(sameOriginScript).expect(200, { url });
      await agent.get('/me').expect(401);
    }
  });

  test('postLogoutRedirectURI replaces the logged-out route, and must be an absolute URL', async () => {
    const { agent } = await signedIn({ postLogoutRedirectURI: 'https://www.app.example/bye' });
    const logoutURL = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    expect(logoutURL.searchParams.get('post_logout_redirect_uri')).toBe('https://www.app.example/bye');
    expect(() => siteFor(provider, { postLogoutRedirectURI: '/bye' })).toThrow(/postLogoutRedirectURI.*absolute/);
  });
});

test('a service that does not respond delays the logout by two seconds at most', async () => {
  let isDown = false;
  const real = createFetch({});
  const { agent } = await signedIn({
    fetch: (input, init) => (isDown ? new Promise<never>(() => undefined) : real(input, init)),
  });
  isDown = true;
  const started = Date.now();
  await agent.post('/auth/logout').set(sameOriginForm).expect(200);
  // The time limit of other requests.
  expect(Date.now() - started).toBeLessThan(10_000);
  await agent.get('/me').expect(401);
});

describe('a browser that sends no Sec-Fetch-Site, and Origin: null because of helmet', () => {
  const asForm = { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' };

  async function withToken() {
    const site = siteFor(provider);
    site.app.get('/token', (req, res) => void res.send(site.clinician.csrfToken(req)));
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    return { agent, token: (await agent.get('/token')).text };
  }

  test('signs out with the CSRF token of its page, in a form or a header', async () => {
    const { agent, token } = await withToken();
    await agent
      .post('/auth/logout')
      .set(asForm)
      .send(new URLSearchParams({ _csrf: token }).toString())
      .expect(200);
    const other = await withToken();
    await other.agent.post('/auth/logout').set({ Origin: 'null', 'X-CSRF-Token': other.token }).expect(200);
    await other.agent.get('/me').expect(401);
  });

  test('does not sign out with the token of another user, an altered token, two tokens, or a token in an oversized body', async () => {
    const { agent, token } = await withToken();
    const otherToken = (await withToken()).token;
    const bodies = [
      `_csrf=${otherToken}`,
      `_csrf=${token.slice(0, -1)}`,
      `_csrf=${token}&_csrf=${token}`,
      `x=${'x'.repeat(20_000)}&_csrf=${token}`,
      '_csrf=',
    ];
    for (const body of bodies) await agent.post('/auth/logout').set(asForm).send(body).expect(403);
    await agent.get('/me').expect(200);
  });

  test('a token does not allow a request that Sec-Fetch-Site marks as cross-site', async () => {
    const { agent, token } = await withToken();
    const fromOtherSite = { 'Sec-Fetch-Site': 'cross-site', 'X-CSRF-Token': token };
    await agent.post('/auth/logout').set(fromOtherSite).expect(403);
    await agent.post('/auth/logout').set({ Origin: 'https://evil.example', 'X-CSRF-Token': token }).expect(403);
    await agent.get('/me').expect(200);
  });

  test('a token expires after twelve hours', async () => {
    let now = Date.now();
    const site = siteFor(provider, { clock: { now: () => now } });
    site.app.get('/token', (req, res) => void res.send(site.clinician.csrfToken(req)));
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    const { text } = await agent.get('/token');
    site.app.post('/mine', site.clinician.requireSameOrigin(), (_req, res) => void res.send('done'));
    now += 12 * 60 * 60 * 1000;
    await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': text }).expect(200);
    now += 1;
    await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': text }).expect(403);
  });

  describe('of a signed-out user', () => {
    function openSite() {
      const site = siteFor(provider);
      site.app.get(
        '/token',
        (req, res) => void res.send([site.clinician.csrfToken(req), site.clinician.csrfToken(req)].join(' ')),
      );
      site.app.get('/late', (req, res) => {
        res.send('sent');
        try {
          site.clinician.csrfToken(req);
        } catch (error) {
          late.push((error as { code: string }).code);
        }
      });
      const late: string[] = [];
      site.app.post('/mine', site.clinician.requireSameOrigin(), express.urlencoded({ extended: true }), (req, res) => {
        res.json(req.body);
      });
      return { ...site, late };
    }

    test('a token is valid in the browser that it was created for, and in no other', async () => {
      const { app } = openSite();
      const agent = supertest.agent(app);
      for (const token of (await agent.get('/token')).text.split(' '))
        await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': token }).expect(200);
      const [foreign = ''] = (await supertest(app).get('/token')).text.split(' ');
      await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': foreign }).expect(403);
      await supertest(app).post('/mine').set({ Origin: 'null', 'X-CSRF-Token': foreign }).expect(403);
    });

    test.each(['_csrf[a]=b', '_csrf[toString]=x', '_csrf[]=x&_csrf[]=y'])(
      'the form field %s of a parsed body is no token: 403, not an error of the site',
      async (body) => {
        const { app, clinician } = siteFor(provider);
        app.post('/parsed', express.urlencoded({ extended: true }), clinician.requireSameOrigin(), (_req, res) => {
          res.end();
        });
        await supertest(app).post('/parsed').set(asForm).send(body).expect(403);
      },
    );

    test('a token requested after the response throws csrf_token_too_late', async () => {
      const { app, late } = openSite();
      await supertest(app).get('/late').expect(200);
      expect(late).toEqual(['csrf_token_too_late']);
    });

    test("the body is still available to the site's own parser after the check", async () => {
      const { app } = openSite();
      const agent = supertest.agent(app);
      const [token = ''] = (await agent.get('/token')).text.split(' ');
      const body = `_csrf=${token}&a[b]=c&text=${'long'.repeat(3000)}`;
      const response = await agent.post('/mine').set(asForm).send(body).expect(200);
      expect(response.body).toEqual({ _csrf: token, a: { b: 'c' }, text: 'long'.repeat(3000) });
      // Chunked, without Content-Length.
      const chunked = agent.post('/mine').set({ ...asForm, 'Transfer-Encoding': 'chunked' });
      chunked.write(`_csrf=${token}&a`);
      chunked.write('=b');
      expect((await chunked.expect(200)).body).toEqual({ _csrf: token, a: 'b' });
      await agent
        .post('/mine')
        .set(asForm)
        .send(`x=${'x'.repeat(90_000)}`)
        .expect(403);
      await agent.post('/mine').set({ 'Sec-Fetch-Site': 'same-origin' }).send('a=b').expect(200, { a: 'b' });
    });
  });
});
