import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { createFetch } from '../../lib/http.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type SiteOptions, siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const ownPage = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };
const HERE = 'http://127.0.0.1:3000';

async function signedIn(options: SiteOptions = {}) {
  const site = siteFor(provider, options);
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  return { ...site, agent };
}

/** What the service answers to a browser that is sent there. */
async function atService(location: string): Promise<URL> {
  const answer = await fetch(location, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location') as string);
}

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke');

describe('attack 39: signing out at the service, too', () => {
  test('goes there with the ID Token and state, comes back, and says that both are done', async () => {
    const { agent } = await signedIn();
    const { headers } = await agent.post('/auth/logout').set(ownPage).expect(303);
    const there = new URL(headers.location as string);
    expect(there.origin + there.pathname).toBe(`${provider.issuer}/oauth/logout`);
    expect([...there.searchParams.keys()].sort()).toEqual(
      expect.arrayContaining(['id_token_hint', 'post_logout_redirect_uri', 'state']),
    );
    expect(there.searchParams.get('post_logout_redirect_uri')).toBe(`${HERE}/auth/logged-out`);
    const back = await atService(there.href);
    expect(back.origin + back.pathname).toBe(`${HERE}/auth/logged-out`);
    const page = await agent.get(back.pathname + back.search).expect(200);
    expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
    expect(String(page.headers['set-cookie'])).toMatch(/^clinician-logout=; Max-Age=0/);
    expect(revocations()).toMatchObject([{ status: 200 }]);
    await agent.get('/me').expect(401);
  });

  test.each([
    ['attack 40: another state', '?state=another'],
    ['attack 40: two of them', '?state=a&state=b'],
    ['attack 41: no state', ''],
  ])('%s on the way back: signed out here all the same, and nothing else is done', async (_name, query) => {
    const { agent } = await signedIn();
    const { headers } = await agent.post('/auth/logout').set(ownPage).expect(303);
    const page = await agent.get(`/auth/logged-out${query}`).expect(200);
    expect(page.text).toContain('You may still be signed in at the sign-in service');
    expect(page.headers['set-cookie']).toBeUndefined();
    await agent.get('/me').expect(401);
    // The answer to the logout of this browser is still known when it comes.
    const back = await atService(headers.location as string);
    expect((await agent.get(back.pathname + back.search)).text).toContain('and of the sign-in service.');
  });

  test('a state of another browser is none of this one', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await one.agent.post('/auth/logout').set(ownPage);
    const theirs = (await other.agent.post('/auth/logout').set(ownPage)).headers.location as string;
    const { search } = await atService(theirs);
    expect((await one.agent.get(`/auth/logged-out${search}`)).text).not.toContain('and of the sign-in service.');
  });

  test('a link to the page signs nobody out, and tells nobody that they are', async () => {
    const { agent } = await signedIn();
    expect((await agent.get('/auth/logged-out?state=x').expect(302)).headers.location).toBe('/');
    await agent.get('/me').expect(200);
  });
});

describe('signing out here only', () => {
  test.each([
    ['in the profile flow, which has no ID Token', { flow: 'profile' }, '/auth/logged-out'],
    ['where the option is off', { postLogoutRedirectURI: false }, '/auth/logged-out'],
    ['where there is no page to come back to', { routes: { loggedOut: false } }, '/'],
  ] as const)('%s', async (_name, options, location) => {
    const { agent } = await signedIn(options);
    expect((await agent.post('/auth/logout').set(ownPage).expect(303)).headers.location).toBe(location);
    await agent.get('/me').expect(401);
    expect(revocations()).toHaveLength(1);
  });

  test('for a script, which cannot be sent anywhere', async () => {
    const { agent } = await signedIn();
    await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(204);
    await agent.get('/me').expect(401);
  });

  test('another address to come back to can be given, and must be one', async () => {
    const { agent } = await signedIn({ postLogoutRedirectURI: 'https://www.app.example/bye' });
    const { headers } = await agent.post('/auth/logout').set(ownPage);
    const there = new URL(headers.location as string);
    expect(there.searchParams.get('post_logout_redirect_uri')).toBe('https://www.app.example/bye');
    expect(() => siteFor(provider, { postLogoutRedirectURI: '/bye' })).toThrow(/postLogoutRedirectURI.*absolute/);
  });
});

test('attack 140: a service that does not answer holds nobody up for longer than two seconds', async () => {
  let isDown = false;
  const real = createFetch({});
  const { agent } = await signedIn({
    fetch: (input, init) => (isDown ? new Promise<never>(() => undefined) : real(input, init)),
  });
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  isDown = true;
  const started = Date.now();
  await agent.post('/auth/logout').set(ownPage).expect(303);
  expect(Date.now() - started).toBeLessThan(3500);
  expect(warned.mock.calls.map(([, about]) => about)).toMatchObject([{ code: 'revocation_failed' }]);
  warned.mockRestore();
  await agent.get('/me').expect(401);
}, 10_000);

describe('a browser that sends no Sec-Fetch-Site, under helmet: Origin is null', () => {
  const asForm = { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' };

  async function withToken() {
    const site = siteFor(provider);
    site.app.get('/token', (req, res) => void res.send(site.clinician.csrfToken(req)));
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    return { agent, token: (await agent.get('/token')).text };
  }

  test('attack 139: signs out with the token of its own page, in a form or a header', async () => {
    const { agent, token } = await withToken();
    await agent
      .post('/auth/logout')
      .set(asForm)
      .send(new URLSearchParams({ _csrf: token }).toString())
      .expect(204);
    const other = await withToken();
    await other.agent.post('/auth/logout').set({ Origin: 'null', 'X-CSRF-Token': other.token }).expect(204);
    await other.agent.get('/me').expect(401);
  });

  test("attack 139: not with somebody else's, a broken one, two, or one in a body too long", async () => {
    const { agent, token } = await withToken();
    const stranger = (await withToken()).token;
    const bodies = [
      `_csrf=${stranger}`,
      `_csrf=${token.slice(0, -1)}`,
      `_csrf=${token}&_csrf=${token}`,
      `x=${'x'.repeat(20_000)}&_csrf=${token}`,
      '_csrf=',
    ];
    for (const body of bodies) await agent.post('/auth/logout').set(asForm).send(body).expect(403);
    await agent.get('/me').expect(200);
  });

  test('attack 139: a token does not make good what the browser says is from another site', async () => {
    const { agent, token } = await withToken();
    const fromThere = { 'Sec-Fetch-Site': 'cross-site', 'X-CSRF-Token': token };
    await agent.post('/auth/logout').set(fromThere).expect(403);
    await agent.post('/auth/logout').set({ Origin: 'https://evil.example', 'X-CSRF-Token': token }).expect(403);
    await agent.get('/me').expect(200);
  });

  test('a token ends after twelve hours', async () => {
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

  describe('of somebody who is signed out', () => {
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

    test('attack 139: a token is good in the browser that it was made for, and in no other', async () => {
      const { app } = openSite();
      const agent = supertest.agent(app);
      for (const token of (await agent.get('/token')).text.split(' '))
        await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': token }).expect(200);
      const [foreign = ''] = (await supertest(app).get('/token')).text.split(' ');
      await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': foreign }).expect(403);
      await supertest(app).post('/mine').set({ Origin: 'null', 'X-CSRF-Token': foreign }).expect(403);
    });

    test('one asked for too late is an error that says so', async () => {
      const { app, late } = openSite();
      await supertest(app).get('/late').expect(200);
      expect(late).toEqual(['csrf_token_too_late']);
    });

    test("the form is still there for the site's own parser behind the guard", async () => {
      const { app } = openSite();
      const agent = supertest.agent(app);
      const [token = ''] = (await agent.get('/token')).text.split(' ');
      const body = `_csrf=${token}&a[b]=c&text=${'long'.repeat(3000)}`;
      const answer = await agent.post('/mine').set(asForm).send(body).expect(200);
      expect(answer.body).toEqual({ _csrf: token, a: { b: 'c' }, text: 'long'.repeat(3000) });
      // Sent in pieces, with no length told before.
      const inPieces = agent.post('/mine').set({ ...asForm, 'Transfer-Encoding': 'chunked' });
      inPieces.write(`_csrf=${token}&a`);
      inPieces.write('=b');
      expect((await inPieces.expect(200)).body).toEqual({ _csrf: token, a: 'b' });
      await agent
        .post('/mine')
        .set(asForm)
        .send(`x=${'x'.repeat(90_000)}`)
        .expect(403);
      await agent.post('/mine').set({ 'Sec-Fetch-Site': 'same-origin' }).send('a=b').expect(200, { a: 'b' });
    });
  });
});
