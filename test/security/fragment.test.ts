import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { navigation, siteFor } from '../integration/site.js';
import { ALL_LOGIN_PATHS, siteAt } from '../integration/strategy-site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

type Agent = ReturnType<typeof supertest.agent>;
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const link = '/auth/login?responseMode=fragment&returnTo=%2Fme';

/** Starts a login and signs in at the service. @returns the fragment that the browser receives */
async function fragmentOf(agent: Agent, loginPath = link, settings: { deny?: boolean } = {}): Promise<string> {
  const { headers } = await agent.get(loginPath).expect(302);
  expect(new URL(headers.location as string).searchParams.get('response_mode')).toBe('fragment');
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', ...settings }));
  expect([back.search, back.hash.startsWith('#')]).toEqual(['', true]);
  return back.hash.slice(1);
}
const postedTo = (agent: Agent, body: string, headers: object = {}) =>
  agent
    .post('/auth/callback')
    .set({ ...form, ...headers })
    .send(body);

describe.each(ALL_LOGIN_PATHS)('a response in the fragment, on a site that signs in by: %s', (path) => {
  test('is posted by a page at the callback, and signs the user in', async () => {
    const agent = supertest.agent(siteAt(provider, path).app);
    const fragment = await fragmentOf(agent);
    const page = await agent.get('/auth/callback').set(navigation).expect(200);
    expect(page.text).toContain('data-clinician-fragment');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(page.headers['cache-control']).toBe('no-store');
    const posted = await postedTo(agent, fragment).expect(204);
    const cookie = String(posted.headers['set-cookie']);
    expect(cookie).toMatch(/clinician-[\w-]{6}-response=.*Max-Age=300.*HttpOnly/);
    expect(cookie).not.toContain(new URLSearchParams(fragment).get('code'));
    const { headers } = await agent.get('/auth/callback').set(navigation).expect(302);
    expect([headers.location, headers['content-security-policy']]).toEqual(['/me', undefined]);
    await agent.get('/me').expect(200);
    const again = await agent.get('/auth/callback').set(navigation);
    expect(again.text).not.toContain('data-clinician-fragment');
  });

  test('can be an error, which is reported once', async () => {
    const agent = supertest.agent(siteAt(provider, path).app);
    await postedTo(agent, await fragmentOf(agent, link, { deny: true })).expect(204);
    const { status } = await agent.get('/auth/callback').set(navigation);
    expect([401, 403]).toContain(status);
    await agent.get('/').expect(200, [false, null]);
  });

  test('without a fragment ends with an error, and does not load the page again', async () => {
    const agent = supertest.agent(siteAt(provider, path).app);
    await fragmentOf(agent);
    await agent
      .get('/auth/callback?fragment=none')
      .set(navigation)
      // Passport itself responds to fail() without a reason.
      .expect(403, path === 'strategy' ? 'Forbidden' : /state_missing/);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame of another site', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ])('is refused when a page of %s posts it', async (_, headers) => {
    const agent = supertest.agent(siteAt(provider, path).app);
    const fragment = await fragmentOf(agent);
    await postedTo(agent, fragment, headers).expect(403, /cross_site_request/);
    expect(await agent.get('/auth/callback').set(navigation)).toMatchObject({ status: 200 });
    await agent.get('/').expect(200, [false, null]);
  });

  test('of another browser is refused (login CSRF)', async () => {
    const { app } = siteAt(provider, path);
    const fragment = await fragmentOf(supertest.agent(app));
    const victim = supertest.agent(app);
    await postedTo(victim, fragment).expect(403, /transaction_missing/);
    await fragmentOf(victim);
    await postedTo(victim, fragment).expect(403, /transaction_missing/);
    await victim.get('/').expect(200, [false, null]);
  });
});

describe('a post to the callback', () => {
  test('for an attempt whose response comes in the query is refused', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    await postedTo(agent, back.search.slice(1)).expect(403, /transaction_missing/);
  });

  test.each(['', 'code=x', 'state=', 'state=a&state=b'])('without exactly one state is refused: %p', async (body) => {
    await postedTo(supertest.agent(siteFor(provider).app), body).expect(403, /state_missing/);
  });

  test('with a repeated parameter is refused when it is used', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const fragment = await fragmentOf(agent);
    await postedTo(agent, `${fragment}&code=planted`).expect(204);
    await agent.get('/auth/callback').expect(400, /callback_malformed/);
  });

  test('that is too long for a cookie is refused', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const response = `${await fragmentOf(agent)}&error_description=${'x'.repeat(5000)}`;
    await postedTo(agent, response).expect(400, /callback_malformed/);
  });

  test('saves the parameters of an authorization response only', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await postedTo(agent, `${await fragmentOf(agent)}&unknown=${'x'.repeat(5000)}`).expect(204);
    await agent.get('/auth/callback').expect(302);
    await agent.get('/me').expect(200);
  });

  test('works behind a body parser of the site', async () => {
    const { app } = siteFor(provider);
    const parsed = express().use(express.urlencoded({ extended: false }), app);
    const agent = supertest.agent(parsed);
    await postedTo(agent, await fragmentOf(agent)).expect(204);
    await agent.get('/auth/callback').expect(302);
    await agent.get('/me').expect(200);
  });
});

test.each([{ callback: false }, { clientScript: false as const }])(
  'responseMode fragment is refused with the routes %j',
  async (routes) => {
    const { app, clinician } = siteFor(provider, { routes, onEvent: () => undefined });
    await supertest(app)
      .get('/auth/login?responseMode=fragment')
      .expect(500, /response_mode_unsupported/);
    app.get('/more', async (req, res) => {
      await clinician.login(req, res, { responseMode: 'fragment' }).catch(({ code }) => void res.json({ code }));
    });
    await supertest(app).get('/more').expect(200, { code: 'response_mode_unsupported' });
  },
);
