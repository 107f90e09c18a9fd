import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, type SiteOptions, sameOriginScript, signedInAt, siteFor } from '../integration/site.js';

type Agent = ReturnType<typeof supertest.agent>;

const path = '/auth/session-check';
const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document' };
const RETRY_MS = 10 * 60 * 1000;

async function signedInSite(options: SiteOptions & { as?: string } = {}) {
  const events: ClinicianEvent[] = [];
  const { as = 'verified', ...siteOptions } = options;
  const site = siteFor(provider, { onEvent: (event) => events.push(event), ...siteOptions });
  const agent = await signedInAt(site.app, provider, as);
  await agent.get('/me').expect(200);
  return { ...site, agent, events, names: () => events.map(({ name }) => name) };
}

const report = (agent: Agent) => agent.post(path).set(sameOriginScript);

/** Reports a change and loads a page. @returns the authorization request of the check */
async function startCheck(agent: Agent, page = '/me?a=1'): Promise<string> {
  await report(agent).expect(200, { event: 'session-changed' });
  const { headers } = await agent.get(page).set(pageView).expect(302);
  return headers.location as string;
}

/** @returns the response to the callback of a check, with the user of a browser at the provider */
async function finishCheck(agent: Agent, request: string, as = 'verified', browser: object = agent) {
  const back = new URL(await provider.signIn(request, { as, browser }));
  return agent.get(back.pathname + back.search).set(pageView);
}

/** @returns a browser in which a user is signed in at the provider and has approved the site */
async function browserOf(as: string): Promise<object> {
  const browser = {};
  const { headers } = await supertest(siteFor(provider).app).get('/auth/login').set(navigation).expect(302);
  await provider.signIn(headers.location as string, { as, browser });
  return browser;
}

const stateOf = async (agent: Agent) =>
  /data-session-state="([^"]+)"/.exec((await agent.get(path).expect(200)).text)?.[1];

describe('the page of the session check', () => {
  test('contains the session state, and can be framed by this site only', async () => {
    const { agent, clinician, app } = await signedInSite();
    const page = await agent.get(path).expect(200);
    expect(page.text).toContain(`data-frame="${provider.issuer}/oauth/session_state"`);
    expect(page.text).toContain(`data-client-id="${provider.clients.openid.clientID}"`);
    expect(await stateOf(agent)).toMatch(/\./);
    expect(page.headers['x-frame-options']).toBe('SAMEORIGIN');
    const policy = page.headers['content-security-policy'];
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain(`frame-src ${provider.issuer};`);
    expect(clinician.sessionCheckFrame()).toContain('src="/auth/session-check"');
    expect((await supertest(app).get(path).expect(200)).text).not.toContain('data-frame');
  });

  test.each<[string, object]>([
    ['in a window', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' }],
    ['in a window of this site', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' }],
    ['in a frame of another site', { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': 'cross-site' }],
    ['in a frame of a sibling host', { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': 'same-site' }],
    ['in an object', { 'Sec-Fetch-Dest': 'object', 'Sec-Fetch-Site': 'same-origin' }],
    ['for a script', { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Site': 'same-site' }],
  ])('is the same signed in and signed out %s', async (_, headers) => {
    const { agent, app } = await signedInSite();
    const responses = await Promise.all([agent, supertest(app)].map((user) => user.get(path).set({ ...headers })));
    const [signedIn, signedOut] = responses.map((response) => [
      response.text,
      response.headers['content-security-policy'],
    ]);
    expect(signedIn).toEqual(signedOut);
  });

  test('does nothing in the profile flow', async () => {
    const { agent } = await signedInSite({ flow: 'profile' });
    expect((await agent.get(path).expect(200)).text).not.toContain('data-frame');
    await report(agent).expect(200, {});
    await agent.get('/me').set(pageView).expect(200);
  });

  test('without its route, sessionCheckFrame() throws and nothing is checked', async () => {
    const { app, clinician } = siteFor(provider, { routes: { sessionCheck: false } });
    expect(() => clinician.sessionCheckFrame()).toThrow('routes.sessionCheck: false');
    expect((await supertest(app).get(path)).text).not.toContain('data-frame');
  });
});

describe('a reported change', () => {
  test('starts one check with prompt=none at the next page view, for the scope openid', async () => {
    const { agent } = await signedInSite();
    const { searchParams, origin } = new URL(await startCheck(agent));
    expect(origin).toBe(provider.issuer);
    expect([searchParams.get('prompt'), searchParams.get('scope')]).toEqual(['none', 'openid']);
    // The service checks this user (OIDC Session Management 1.0 section 3.1).
    expect(searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    // A browser that returns without a response is not redirected again.
    await agent.get('/me').set(pageView).expect(200);
  });

  test('starts no check for a script, a frame, a post, or a browser without Sec-Fetch-Dest', async () => {
    const { agent } = await signedInSite();
    await report(agent).expect(200, { event: 'session-changed' });
    await agent.get('/me').set({ Accept: 'application/json' }).expect(200);
    await agent
      .get('/me')
      .set({ Accept: 'text/html', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' })
      .expect(200);
    for (const dest of ['iframe', 'frame', 'embed', 'object'])
      await agent
        .get('/me')
        .set({ ...pageView, 'Sec-Fetch-Dest': dest })
        .expect(200);
    await agent.get('/me').set(navigation).expect(200);
    await agent.post('/things').set(pageView).expect(200, 'made');
    await agent.get(path).set(pageView).expect(200);
    await agent.get('/me').set(pageView).expect(302);
  });

  test('of a session_state that was never unchanged starts one check of the login', async () => {
    let now = Date.now();
    const { agent } = await signedInSite({ clock: { now: () => now } });
    const reportFirst = (state: string) => report(agent).query({ first: state });
    const state = (await stateOf(agent)) as string;
    await reportFirst('of.another').expect(200, {});
    await reportFirst(state).expect(200, { event: 'session-changed' });
    const { headers } = await agent.get('/me').set(pageView).expect(302);
    await finishCheck(agent, headers.location as string);
    const renewed = (await stateOf(agent)) as string;
    expect(renewed).not.toBe(state);
    now += RETRY_MS;
    await reportFirst(renewed).expect(200, {});
    await agent.get('/me').set(pageView).expect(200);
    // A change that the browser is sure of is checked.
    await startCheck(agent);
  });

  test('by a signed-out user returns the event for the other open pages', async () => {
    const { agent, app } = await signedInSite();
    await supertest(app).post(path).set(sameOriginScript).expect(200, { event: 'signed-out' });
    await agent.post('/auth/logout').set(sameOriginScript);
    await report(agent).expect(200, { event: 'signed-out' });
  });
});

describe('a check', () => {
  test('with the same user keeps the login, stores the new session_state and revokes its own tokens', async () => {
    const { agent, names } = await signedInSite();
    const before = await stateOf(agent);
    const { status, headers } = await finishCheck(agent, await startCheck(agent));
    expect([status, headers.location]).toEqual([302, '/me?a=1']);
    const after = await stateOf(agent);
    expect(after).toMatch(/\./);
    expect(after).not.toBe(before);
    await agent.get('/profile').set(pageView).expect(200);
    expect(provider.requests.filter((request) => request.path === '/oauth/revoke')).toHaveLength(1);
    expect(names()).toEqual(['sign_in_started', 'signed_in']);
    // The next change is checked at once.
    await startCheck(agent);
  });

  test('without a new session_state is repeated after ten minutes at the earliest', async () => {
    let now = Date.now();
    const { agent } = await signedInSite({ clock: { now: () => now } });
    const before = await stateOf(agent);
    const back = new URL(await provider.signIn(await startCheck(agent), { as: 'verified', browser: agent }));
    back.searchParams.delete('session_state');
    await agent.get(back.pathname + back.search).set(pageView);
    expect(await stateOf(agent)).toBe(before);
    await report(agent).expect(200, {});
    now += RETRY_MS;
    await startCheck(agent);
  });

  test('with no user signed in at the service ends the login and returns to the page', async () => {
    const { agent, names } = await signedInSite();
    const { status, headers } = await finishCheck(agent, await startCheck(agent), 'verified', {});
    expect([status, headers.location]).toEqual([302, '/me?a=1']);
    await agent.get('/me').expect(401);
    expect(names()).toEqual(['sign_in_started', 'signed_in', 'signed_out']);
  });

  test('with another user ends the login, and signs no user in before the user asks', async () => {
    const { app, clinician, agent, names } = await signedInSite();
    app.get('/silent', clinician.signInSilently(), (req, res) => {
      res.send(req.clinician.isAuthenticated ? 'in' : 'out');
    });
    const other = await browserOf('connected');
    const first = await finishCheck(agent, await startCheck(agent), 'connected', other);
    expect([first.status, first.headers.location]).toEqual([302, '/auth/callback']);
    const { text } = await agent.get('/auth/callback').set(pageView).expect(401);
    expect(text).toContain('<h1>You are signed out</h1>');
    expect(text).toContain('href="/auth/login?returnTo=%2Fme%3Fa%3D1"');
    await agent.get('/me').expect(401);
    await agent.get('/silent').set(pageView).expect(200, 'out');
    expect(names().slice(-2)).toEqual(['signed_out', 'sign_in_failed']);
  });

  test.each(['consent_required', 'interaction_required', 'account_selection_required'])(
    'that ends with %s ends the login: it may be another user',
    async (error) => {
      const { agent } = await signedInSite();
      const state = new URL(await startCheck(agent)).searchParams.get('state');
      await agent.get(`/auth/callback?error=${error}&state=${state}`).set(pageView).expect(302);
      await agent.get('/me').expect(401);
    },
  );

  test.each(['server_error', 'temporarily_unavailable', 'access_denied'])(
    'that ends with %s keeps the login, and is repeated after ten minutes at the earliest',
    async (error) => {
      let now = Date.now();
      const { agent } = await signedInSite({ clock: { now: () => now } });
      const state = new URL(await startCheck(agent)).searchParams.get('state');
      await agent.get(`/auth/callback?error=${error}&state=${state}`).set(pageView).expect(302);
      await agent.get('/me').set(pageView).expect(200);
      now += RETRY_MS - 1;
      await report(agent).expect(200, {});
      await agent.get('/me').set(pageView).expect(200);
      now += 1;
      await startCheck(agent);
    },
  );

  test('that cannot be started shows the page', async () => {
    let isDown = false;
    const { agent } = await signedInSite({
      clock: provider.clock,
      idleTimeout: Infinity,
      fetch: (input, init) => (isDown ? Promise.reject(new Error('unreachable')) : provider.fetch(input, init)),
    });
    await report(agent);
    isDown = true;
    provider.clock.advance('2 days'); // the metadata is no longer cached
    await agent.get('/').set(pageView).expect(200, 'in');
    await agent.get('/').set(pageView).expect(200, 'in');
  });
});

describe('when the session store fails', () => {
  const down = (_id: string, ...rest: unknown[]) =>
    (rest.at(-1) as ((error: Error) => void) | undefined)?.(new Error('down'));

  test('no check starts while the mark cannot be cleared', async () => {
    const { agent, sessions } = await signedInSite();
    await report(agent);
    const { set } = sessions;
    sessions.set = down;
    await agent.get('/').set(pageView).expect(200, 'in');
    sessions.set = set;
    await agent.get('/').set(pageView).expect(302);
  });

  test('a session that cannot be read again ends no login', async () => {
    const { agent, sessions } = await signedInSite();
    const { get } = sessions;
    const request = await startCheck(agent);
    let reads = 0;
    sessions.get = (id, done) => {
      reads += 1;
      if (reads === 1) get.call(sessions, id, done);
      else down(id, done);
    };
    const { status } = await finishCheck(agent, request, 'verified', {});
    sessions.get = get;
    expect([status, reads]).toEqual([302, 2]);
    await agent.get('/me').expect(200);
  });

  test('a login of a replaced user ends although its session cannot be destroyed', async () => {
    const { agent, sessions } = await signedInSite();
    const other = await browserOf('connected');
    const request = await startCheck(agent);
    const { destroy } = sessions;
    sessions.destroy = down;
    await finishCheck(agent, request, 'connected', other);
    sessions.destroy = destroy;
    await agent.get('/me').expect(401);
  });

  test('a session that ends during the check is not restored', async () => {
    let duringCheck: (() => void) | undefined;
    const { agent, sessions } = await signedInSite({
      fetch: async (...request) => {
        const response = await provider.fetch(...request);
        if (String(request[0]).endsWith('/oauth/token')) duringCheck?.();
        return response;
      },
    });
    const request = await startCheck(agent);
    let cleared = false;
    duringCheck = () => {
      sessions.clear();
      cleared = true;
    };
    await finishCheck(agent, request);
    expect(cleared).toBe(true);
    await agent.get('/me').expect(401);
  });
});

describe('an attacker', () => {
  test('cannot end a later login by the response to a check of an earlier one', async () => {
    const { agent } = await signedInSite();
    const state = new URL(await startCheck(agent)).searchParams.get('state');
    await agent.post('/auth/logout').set(sameOriginScript);
    await signIn(agent, provider, { as: 'connected' });
    await agent.get(`/auth/callback?error=login_required&state=${state}`).set(pageView).expect(302);
    await agent.get('/me').expect(200);
  });
});
