import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createFetch } from '../../lib/http.js';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
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
const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };
const revoked = () => provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200).length;

async function world(options: SiteOptions = {}) {
  const store = new MemoryTokenStore();
  const events: ClinicianEvent[] = [];
  const site = siteFor(provider, { tokenStore: store, onEvent: (event) => events.push(event), ...options });
  async function agentAs(name = 'verified') {
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: name });
    return agent;
  }
  const [here, there, somebodyElse] = [await agentAs(), await agentAs(), await agentAs('minimal')];
  const userID = (await here.get('/me')).body.user.id as string;
  return { ...site, store, events, here, there, somebodyElse, userID, agentAs };
}

describe('clinician.forget(userID)', () => {
  test('revokes and erases everything, and every session of theirs is signed out at its next request', async () => {
    const { clinician, store, here, there, somebodyElse, userID } = await world();
    await there.get('/notes').expect(200);
    expect(await store.grantsOf(userID)).toHaveLength(2);
    await clinician.forget(userID);
    expect(await store.grantsOf(userID)).toEqual([]);
    expect(revoked()).toBe(2);
    expect((await here.get('/')).text).toBe('out');
    await there.get('/notes').expect(401);
    await there.get('/me').expect(401);
    await somebodyElse.get('/notes').expect(200);
  });

  test('is safe to repeat, and for somebody whom nobody knows', async () => {
    const { clinician, userID, events } = await world();
    for (const id of [userID, userID, 'nobody']) await clinician.forget(id);
    expect(revoked()).toBe(2);
    const forgotten = events.filter(({ name }) => name === 'forgotten');
    expect(forgotten).toMatchObject([{ userID, logins: 2 }, { logins: 0 }, { userID: 'nobody', logins: 0 }]);
  });

  test('who signs in again is in', async () => {
    const { clinician, userID, agentAs, here } = await world();
    await clinician.forget(userID);
    await (await agentAs()).get('/notes').expect(200);
    await signIn(here, provider, { as: 'verified' });
    await here.get('/me').expect(200);
  });

  test('a person is sent to sign in and back, and nothing of the old session is left', async () => {
    const { app, clinician, userID, agentAs } = await world();
    app.get('/keep', (req, res) => {
      Object.assign(req.session, { draft: 'private' });
      res.end();
    });
    app.get('/kept', (req, res) => void res.json(req.session));
    const agent = await agentAs();
    await agent.get('/keep');
    await clinician.forget(userID);
    const answer = await agent.get('/notes').set(browser).expect(302);
    expect(answer.headers.location).toBe('/auth/login?returnTo=%2Fnotes');
    expect((await agent.get('/kept')).text).not.toContain('private');
  });

  test('another process notices when its guard asks the store again', async () => {
    let now = Date.now();
    const clock = { now: () => now };
    const tokenStore = new MemoryTokenStore({ clock });
    const [one, other] = [siteFor(provider, { tokenStore, clock }), siteFor(provider, { tokenStore, clock })];
    const agent = supertest.agent(other.app);
    await signIn(agent, provider, { as: 'verified' });
    await one.clinician.forget((await agent.get('/me')).body.user.id);
    now += 5 * 60 * 1000 + 1;
    await agent.get('/me').expect(401);
    expect((await agent.get('/')).text).toBe('out');
  });
});

describe('POST /auth/forget', () => {
  test('forgets whoever asks from a page of the site, on every session', async () => {
    const { here, there, somebodyElse, store, userID } = await world();
    expect((await here.post('/auth/forget').set(ownPage).expect(303)).headers.location).toBe('/auth/logged-out');
    expect(await store.grantsOf(userID)).toEqual([]);
    await here.get('/me').expect(401);
    await there.get('/me').expect(401);
    await somebodyElse.get('/me').expect(200);
    await here.post('/auth/forget').set('Sec-Fetch-Site', 'same-origin').expect(204);
  });

  test('attack 139: does nothing for another site', async () => {
    const { here, store, userID } = await world();
    await here.post('/auth/forget').set('Sec-Fetch-Site', 'cross-site').expect(403);
    await here.get('/auth/forget').expect(405);
    expect(await store.grantsOf(userID)).toHaveLength(2);
  });
});

describe('the tokens of one login, clinician.grant(req)', () => {
  test('can be looked at without a token, refreshed and revoked', async () => {
    const { app, clinician, here, events } = await world();
    app.get('/state', async (req, res) => void res.json((await clinician.grant(req).state()) ?? null));
    app.post('/refresh', async (req, res) => void res.json(await clinician.grant(req).refresh()));
    app.post('/revoke', async (req, res) => void res.json(await clinician.grant(req).revoke()));
    const { body } = await here.get('/state').expect(200);
    expect(Object.keys(body).sort()).toEqual(['expiresAt', 'refreshable', 'scope']);
    await here.post('/refresh').expect(200);
    const asked = provider.requests.filter(({ path }) => path === '/oauth/token').length;
    expect(asked).toBe(4);
    await here.get('/profile').expect(200);
    await here.post('/revoke').expect(200);
    expect(revoked()).toBe(1);
    await here.get('/me').expect(401);
    expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['refreshed', 'revoked']));
    await supertest(app).get('/state').expect(401);
  });
});

test('attack 191: a refresh that is refused ends the login at every guard, and the person comes back to where they were', async () => {
  let refuses = false;
  const real = createFetch({});
  const refusal = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  const { app, clinician, agentAs, events } = await world({
    fetch: async (input, init) =>
      refuses && String(input).endsWith('/oauth/token') ? refusal() : await real(input, init),
  });
  app.post('/refresh', async (req, res) => {
    await clinician
      .grant(req)
      .refresh()
      .then(
        () => res.end(),
        ({ code }) => res.status(401).json({ code }),
      );
  });
  const agent = await agentAs();
  refuses = true;
  expect((await agent.post('/refresh').expect(401)).body).toEqual({ code: 'grant_ended' });
  refuses = false;
  const answer = await agent.get('/deep/x').set(browser).expect(302);
  const landed = await signIn(agent, provider, { as: 'verified', loginPath: answer.headers.location as string });
  expect(landed.text).toBe('deep /deep/x');
  expect(events.find(({ name }) => name === 'refresh_failed')).toMatchObject({ code: 'invalid_grant' });
});

test('a token store that is down is a 503 page that does not speak of a sign-in, and signs nobody out', async () => {
  let now = Date.now();
  const clock = { now: () => now };
  const store = new MemoryTokenStore({ clock });
  const { app } = siteFor(provider, { tokenStore: store, clock });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  const { get } = store;
  store.get = () => Promise.reject(new Error('down'));
  now += 5 * 60 * 1000 + 1;
  const page = await agent.get('/me').set(browser).expect(503);
  expect(page.text).toContain('Please try again in a moment');
  expect(page.text).not.toMatch(/could not sign you in|signs you in/);
  expect(page.text).toContain('href="/me"');
  store.get = get;
  await agent.get('/me').expect(200);
});

test.each(['openid', 'profile'] as const)(
  'attack 196: forgotten while a refresh is under way, nothing lives on, here or at the service (%s flow)',
  async (flow) => {
    const real = createFetch({});
    const brought: string[] = [];
    let asked: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const fetch: typeof real = async (input, init) => {
      const answer = await real(input, init);
      if (!String(init?.body ?? '').includes('grant_type=refresh_token')) return answer;
      const text = await answer.text();
      const { access_token, refresh_token } = JSON.parse(text) as Record<string, string>;
      brought.push(access_token as string, refresh_token as string);
      asked();
      await mayGoOn;
      return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } }) as never;
    };
    const { clinician, store, here, userID } = await world({ flow, fetch, clock: provider.clock });
    provider.clock.advance('2 hours');
    const underWay = here.get('/profile').then(({ status }) => status);
    await isAsked;
    const forgetting = clinician.forget(userID);
    goOn();
    await forgetting;
    expect([200, 401]).toContain(await underWay);
    expect(await store.grantsOf(userID)).toEqual([]);
    await here.get('/me').expect(401);
    const [accessToken, refreshToken] = brought as [string, string];
    const api = await globalThis.fetch(`${provider.apiURL}/api/v1/users/current`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(api.status).toBe(401);
    const { clientID, clientSecret } = provider.clients[flow];
    const again = await globalThis.fetch(`${provider.issuer}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientID}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
    expect(await again.json()).toMatchObject({ error: 'invalid_grant' });
  },
);
