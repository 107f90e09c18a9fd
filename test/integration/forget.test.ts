import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { textOf } from '../helpers/response-text.js';
import { navigation, type Site, type SiteOptions, sameOriginForm, siteFor } from './site.js';

/** Waits for what happens after a response. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const revoked = () => provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200).length;

async function signedInSite(options: SiteOptions = {}) {
  const store = new MemoryTokenStore();
  const events: ClinicianEvent[] = [];
  const site = siteFor(provider, { tokenStore: store, onEvent: (event) => events.push(event), ...options });
  async function agentAs(name = 'verified') {
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: name });
    return agent;
  }
  const [here, there, otherUser] = [await agentAs(), await agentAs(), await agentAs('minimal')];
  const userID = (await here.get('/me')).body.user.id as string;
  return { ...site, store, events, here, there, otherUser, userID, agentAs };
}

describe('clinician.forget(userID)', () => {
  test('revokes and erases everything, and signs out every session of the user at its next request', async () => {
    const { clinician, store, here, there, otherUser, userID } = await signedInSite();
    await there.get('/notes').expect(200);
    expect(await store.grantsOf(userID)).toHaveLength(2);
    await clinician.forget(userID);
    expect(await store.grantsOf(userID)).toEqual([]);
    expect(revoked()).toBe(2);
    expect((await here.get('/')).text).toBe('out');
    await there.get('/notes').expect(401);
    await there.get('/me').expect(401);
    await otherUser.get('/notes').expect(200);
  });

  test('can be repeated, and accepts an unknown user', async () => {
    const { clinician, userID, events } = await signedInSite();
    for (const id of [userID, userID, 'unknown']) await clinician.forget(id);
    expect(revoked()).toBe(2);
    const forgotten = events.filter(({ name }) => name === 'forgotten');
    expect(forgotten).toMatchObject([{ userID, logins: 2 }, { logins: 0 }, { userID: 'unknown', logins: 0 }]);
  });

  test('does not affect a later sign-in of the user', async () => {
    const { clinician, userID, agentAs, here } = await signedInSite();
    await clinician.forget(userID);
    await (await agentAs()).get('/notes').expect(200);
    await signIn(here, provider, { as: 'verified' });
    await here.get('/me').expect(200);
  });

  test('while the token store is unavailable rejects, and ends the logins of the user in this process', async () => {
    const { clinician, store, here, there, otherUser, userID } = await signedInSite();
    store.grantsOf = () => Promise.reject(new Error('down'));
    await expect(clinician.forget(userID)).rejects.toMatchObject({ code: 'token_store_unavailable', retryable: true });
    await here.get('/me').expect(401);
    await otherUser.post('/auth/forget').set(sameOriginForm).expect(503);
    for (const agent of [there, otherUser]) await agent.get('/me').expect(401);
  });

  test('with a token store that throws instead of rejecting reports an unavailable store', async () => {
    const { clinician, store, userID } = await signedInSite();
    store.grantsOf = () => {
      throw new Error('down');
    };
    await expect(clinician.forget(userID)).rejects.toMatchObject({ code: 'token_store_unavailable', retryable: true });
  });

  test('replaces the session of the user, and a guard redirects to the sign-in', async () => {
    const { app, clinician, userID, agentAs } = await signedInSite();
    app.get('/keep', (req, res) => {
      Object.assign(req.session, { draft: 'private' });
      res.end();
    });
    app.get('/session', (req, res) => void res.json(req.session));
    const agent = await agentAs();
    await agent.get('/keep');
    await clinician.forget(userID);
    const response = await agent.get('/notes').set(navigation).expect(302);
    expect(response.headers.location).toBe('/auth/login?returnTo=%2Fnotes');
    expect((await agent.get('/session')).text).not.toContain('private');
  });

  test('signs out in another process when its guard reads the token store again', async () => {
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

describe('the sessions of a forgotten user', () => {
  const idsIn = (sessions: Site['sessions']) =>
    new Promise<string[]>((resolve) => sessions.all((_error, all) => resolve(Object.keys(all ?? {}))));

  test('are deleted from the session store, with the data of the site, and no others', async () => {
    const { clinician, sessions, userID, otherUser } = await signedInSite();
    expect(await idsIn(sessions)).toHaveLength(3);
    await clinician.forget(userID);
    expect(await idsIn(sessions)).toHaveLength(1);
    await otherUser.get('/me').expect(200);
  });

  test('are deleted by a process that shares the session store, once it has received a request', async () => {
    const tokenStore = new MemoryTokenStore();
    const store = new session.MemoryStore();
    const events: ClinicianEvent[] = [];
    const options = { tokenStore, session: { store }, onEvent: (event: ClinicianEvent) => events.push(event) };
    const [one, other] = [siteFor(provider, options), siteFor(provider, options)];
    const agent = supertest.agent(other.app);
    await signIn(agent, provider, { as: 'verified' });
    const { id } = (await agent.get('/me')).body.user;
    await supertest(one.app).get('/');
    await one.clinician.forget(id);
    expect(await idsIn(store)).toEqual([]);

    await signIn(agent, provider, { as: 'verified' });
    await siteFor(provider, options).clinician.forget(id);
    expect(await idsIn(store)).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({ name: 'erasure_failed', userID: id, code: 'session_erasure_failed' }),
    );
    expect(await tokenStore.grantsOf(id)).toEqual([]);
  });

  test('are deleted after a refresh of the tokens too', async () => {
    const { app, clinician, sessions, here, userID } = await signedInSite();
    app.post('/refresh', async (req, res) => void res.json(await clinician.grant(req).refresh()));
    await here.post('/refresh').expect(200);
    await clinician.forget(userID);
    expect(await idsIn(sessions)).toHaveLength(1);
  });

  test.each([
    ['fails', (done?: (error: unknown) => void) => done?.(new Error('down'))],
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['does not respond', () => undefined],
  ])(
    'with a session store that %s, the logins end, the tokens are revoked, and an event is emitted',
    async (_, fail) => {
      const { clinician, sessions, store, here, there, userID, events } = await signedInSite();
      const { destroy } = sessions;
      sessions.destroy = (_id, done) => fail(done);
      await clinician.forget(userID);
      sessions.destroy = destroy;
      expect(await store.grantsOf(userID)).toEqual([]);
      expect(revoked()).toBe(2);
      expect(events.filter(({ code }) => code === 'session_erasure_failed')).toMatchObject([{ userID }, { userID }]);
      expect(events.at(-1)).toMatchObject({ name: 'forgotten', logins: 2 });
      for (const agent of [here, there]) await agent.get('/me').expect(401);
    },
  );

  test('that the site has regenerated are signed out through their tokens', async () => {
    const { app, clinician, agentAs, userID } = await signedInSite();
    app.post('/regenerate', (req, res) => {
      const { clinician: login } = req.session as { clinician?: object };
      req.session.regenerate(() => {
        Object.assign(req.session, { clinician: login });
        res.end();
      });
    });
    const agent = await agentAs();
    await agent.post('/regenerate').expect(200);
    await agent.get('/me').expect(200);
    await clinician.forget(userID);
    await agent.get('/me').expect(401);
  });

  test('that a request saves again while the user is forgotten are deleted after its response', async () => {
    const { app, clinician, sessions, userID, agentAs } = await signedInSite();
    app.get('/slow', async (req, res) => {
      await clinician.forget(userID);
      Object.assign(req.session, { draft: 'private' });
      res.end();
    });
    const agent = await agentAs();
    await agent.get('/slow').expect(200);
    await until(async () => (await idsIn(sessions)).length === 1);
  });

  test('are deleted after the response to a request whose tokens the service refuses', async () => {
    const { app, clinician, sessions, agentAs } = await signedInSite();
    app.post('/refresh', async (req, res) => {
      await clinician
        .grant(req)
        .refresh()
        .catch(() => undefined);
      res.end();
    });
    const agent = await agentAs();
    expect(await idsIn(sessions)).toHaveLength(4);
    provider.faults.next('refreshRefused');
    await agent.post('/refresh').expect(200);
    await until(async () => (await idsIn(sessions)).length === 3);
    await agent.get('/me').expect(401);
  });

  test('the token store contains no session id in plain text, and no hash of it', async () => {
    const { store, sessions, userID } = await signedInSite();
    const grants = await Promise.all((await store.grantsOf(userID)).map((grantID) => store.get(grantID)));
    const text = JSON.stringify(grants);
    const ids = await idsIn(sessions);
    expect(ids).toHaveLength(3);
    for (const id of ids) {
      expect(text).not.toContain(id);
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(text).not.toContain(createHash('sha256').update(id).digest(form));
    }
  });
});

describe('POST /auth/forget', () => {
  test('from a page of the site forgets the signed-in user in every session', async () => {
    const { here, there, otherUser, store, userID } = await signedInSite();
    expect((await here.post('/auth/forget').set(sameOriginForm).expect(303)).headers.location).toBe('/auth/logged-out');
    expect(await store.grantsOf(userID)).toEqual([]);
    await here.get('/me').expect(401);
    await there.get('/me').expect(401);
    await otherUser.get('/me').expect(200);
    await here.post('/auth/forget').set('Sec-Fetch-Site', 'same-origin').expect(200);
  });

  test('from another site, or by GET, does nothing', async () => {
    const { here, store, userID } = await signedInSite();
    await here.post('/auth/forget').set('Sec-Fetch-Site', 'cross-site').expect(403);
    await here.get('/auth/forget').expect(405);
    expect(await store.grantsOf(userID)).toHaveLength(2);
  });
});

describe('clinician.grant(req)', () => {
  test('shows the state of the tokens without the tokens, refreshes and revokes them', async () => {
    const { app, clinician, here } = await signedInSite();
    app.get('/state', async (req, res) => void res.json((await clinician.grant(req).state()) ?? null));
    app.post('/refresh', async (req, res) => void res.json(await clinician.grant(req).refresh()));
    app.post('/revoke', async (req, res) => void res.json(await clinician.grant(req).revoke()));
    const { body } = await here.get('/state').expect(200);
    expect(Object.keys(body).sort()).toEqual(['expiresAt', 'refreshable', 'scope']);
    await here.post('/refresh').expect(200);
    const tokenRequests = provider.requests.filter(({ path }) => path === '/oauth/token').length;
    expect(tokenRequests).toBe(4);
    await here.get('/profile').expect(200);
    await here.post('/revoke').expect(200);
    expect(revoked()).toBe(1);
    await here.get('/me').expect(401);
    await supertest(app).get('/state').expect(401);
  });
});

test('a refused refresh ends the login at every guard, and a new sign-in returns to the page', async () => {
  let refuses = false;
  const real = createFetch({});
  const refusal = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  const { app, clinician, agentAs, events } = await signedInSite({
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
  const redirect = await agent.get('/deep/x').set(navigation).expect(302);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: redirect.headers.location as string });
  expect(page.text).toBe('deep /deep/x');
  expect(events.find(({ name }) => name === 'refresh_failed')).toMatchObject({ code: 'invalid_grant' });
});

test('while the token store is unavailable, a guard responds 503 and the user remains signed in', async () => {
  let now = Date.now();
  const clock = { now: () => now };
  const store = new MemoryTokenStore({ clock });
  const { app } = siteFor(provider, { tokenStore: store, clock });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
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

test.each(['openid', 'profile'] as const)(
  'forgetting a user during a refresh revokes and erases the refreshed tokens too (%s flow)',
  async (flow) => {
    const real = createFetch({});
    const refreshed: string[] = [];
    let refreshArrived: () => void = () => undefined;
    let releaseResponse: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (refreshArrived = resolve));
    const released = new Promise<void>((resolve) => (releaseResponse = resolve));
    const fetch: Fetch = async (input, init) => {
      const response = await real(input, init);
      if (!String(init?.body ?? '').includes('grant_type=refresh_token')) return response;
      const text = await textOf(response);
      const { access_token, refresh_token } = JSON.parse(text) as Record<string, string>;
      refreshed.push(access_token as string, refresh_token as string);
      refreshArrived();
      await released;
      return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } }) as never;
    };
    const { clinician, store, here, userID } = await signedInSite({ flow, fetch, clock: provider.clock });
    provider.clock.advance('2 hours');
    const profileStatus = here.get('/profile').then(({ status }) => status);
    await arrived;
    const forgetting = clinician.forget(userID);
    releaseResponse();
    await forgetting;
    expect([200, 401]).toContain(await profileStatus);
    expect(await store.grantsOf(userID)).toEqual([]);
    await here.get('/me').expect(401);
    const [accessToken, refreshToken] = refreshed as [string, string];
    const api = await globalThis.fetch(`${provider.apiURL}/api/v1/users/current`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(api.status).toBe(401);
    const { clientID, clientSecret } = provider.clients[flow];
    const again = await globalThis.fetch(`${provider.issuer}/oauth/token`, {
      method: 'POST',
      ...(flow === 'openid' && { headers: { authorization: `Basic ${btoa(`${clientID}:${clientSecret}`)}` } }),
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        ...(flow === 'profile' && { client_id: clientID, client_secret: clientSecret }),
      }),
    });
    expect(await again.json()).toMatchObject({ error: 'invalid_grant' });
  },
);
