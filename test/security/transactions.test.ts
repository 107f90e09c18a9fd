import { describe, expect, test } from '@jest/globals';
import type { AuthenticateCallback } from 'passport';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { PASSPORT_PATHS } from '../integration/login-paths.js';
import { navigation, sameOriginScript, siteFor } from '../integration/site.js';
import { ALL_LOGIN_PATHS, siteAt } from '../integration/strategy-site.js';

// test/sign-in/attempts.test.ts has each attempt that is not found.
type Agent = ReturnType<typeof supertest.agent>;
type Reply = { headers: Record<string, unknown> };

const requestsTo = (path: string) => provider.requests.filter((one) => one.path === path).length;
const cookiesOf = ({ headers }: Reply) =>
  ((headers['set-cookie'] as string[] | undefined) ?? []).map((line) => line.split(';')[0] as string);
const sessionCookie = (reply: Reply) => cookiesOf(reply).find((pair) => pair.startsWith('connect.sid=')) ?? '';

/** Starts a login and signs in at the service. @returns the path of the callback, not requested yet. */
async function callbackOf(agent: Agent, loginPath: string, as = 'verified'): Promise<string> {
  const { headers } = await agent.get(loginPath).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as }));
  return back.pathname + back.search;
}

const startOf = (path: string) => (path.startsWith('drop-in') ? '/auth/login?returnTo=%2Fme' : '/start');

async function expectSignedOut(agent: Agent): Promise<void> {
  await agent.get('/').expect(200, [false, null]);
}

describe.each(ALL_LOGIN_PATHS)('a login by: %s', (path) => {
  test.each([false, true])(
    'gets a new session id, and the old session is deleted with what another browser has put into it (keepSessionInfo: %s)',
    async (keepSessionInfo) => {
      const site = siteAt(provider, path, { finish: { keepSessionInfo }, session: { saveUninitialized: true } });
      const planted = sessionCookie(await supertest(site.app).get('/'));
      const { sessions } = site.sessions as unknown as { sessions: Record<string, string> };
      for (const id in sessions)
        sessions[id] = JSON.stringify({ ...JSON.parse(sessions[id] as string), planted: true });
      const agent = supertest.agent(site.app);
      agent.jar.setCookie(planted, '127.0.0.1', '/');
      const response = await agent.get(await callbackOf(agent, startOf(path))).expect(302);
      expect(sessionCookie(response)).toMatch(/^connect\.sid=/);
      expect(sessionCookie(response)).not.toBe(planted);
      await supertest(site.app).get('/').set('Cookie', planted).expect(200, [false, null]);
      await agent.get('/me').expect(200);
      if (!keepSessionInfo) expect(JSON.stringify(sessions)).not.toContain('planted');
    },
  );

  test('that another browser started signs no user in, and no session is stored (login CSRF)', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app, sessions } = siteAt(provider, path, { tokenStore });
    const attacker = supertest.agent(app);
    const callback = await callbackOf(attacker, startOf(path));
    for (const victim of [supertest.agent(app), supertest.agent(app)]) {
      const { status } = await victim.get(callback);
      expect([401, 403]).toContain(status);
      await expectSignedOut(victim);
      await victim.get(startOf(path)).expect(302);
    }
    expect([tokenStore.size, requestsTo('/oauth/token'), JSON.stringify(sessions)]).toEqual([
      ...[0, 0, expect.not.stringMatching(/grantID|passport/)],
    ]);
    await attacker.get(callback).expect(302);
  });

  test('cannot be finished with the code of another attempt', async () => {
    const { app } = siteAt(provider, path);
    const attacker = new URL(await callbackOf(supertest.agent(app), startOf(path), 'connected'), provider.issuer);
    const victim = supertest.agent(app);
    const own = new URL(await callbackOf(victim, startOf(path)), provider.issuer);
    own.searchParams.set('code', attacker.searchParams.get('code') as string);
    const { status } = await victim.get(own.pathname + own.search);
    expect(status).toBeGreaterThanOrEqual(400);
    await expectSignedOut(victim);
  });

  test('is finished once: a repeated callback ends neither the login nor starts one', async () => {
    const { app } = siteAt(provider, path);
    const agent = supertest.agent(app);
    const callback = await callbackOf(agent, startOf(path));
    await agent.get(callback).expect(302);
    // Only the drop-in has a page for it.
    const [status, text] =
      path === 'strategy' ? ([403, 'Forbidden'] as const) : ([200, /is already finished/] as const);
    await agent.get(callback).set(navigation).redirects(1).expect(status, text);
    await agent.get('/me').expect(200);
  });

  test('whose callback is sent three times at once, with the cookie, is accepted once', async () => {
    const { app } = siteAt(provider, path);
    const started = await supertest(app).get(startOf(path)).expect(302);
    const back = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
    const send = () =>
      supertest(app)
        .get(back.pathname + back.search)
        .set('Cookie', cookiesOf(started).join('; '));
    const replies = await Promise.all([send(), send(), send()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([302, 403, 403]);
  });

  test('does not return to another site', async () => {
    const agent = supertest.agent(siteAt(provider, path).app);
    const callback = await callbackOf(agent, '/auth/login?returnTo=%2F%5Cevil.example');
    expect((await agent.get(callback).expect(302)).headers.location).toBe('/');
  });

  test("of another site's page cannot start a silent login", async () => {
    const { app } = siteAt(provider, path);
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
    const { headers } = await supertest(app).get('/auth/login?prompt=none&returnTo=%2Fme').set(crossSite).expect(302);
    if (path === 'strategy') expect(new URL(headers.location as string).searchParams.has('prompt')).toBe(false);
    else expect(headers.location).toBe('/me');
  });

  test('of a user who has signed out is not continued by the old session', async () => {
    const { app } = siteAt(provider, path);
    const agent = supertest.agent(app);
    const stolen = sessionCookie(await agent.get(await callbackOf(agent, startOf(path))));
    await supertest(app).get('/me').set('Cookie', stolen).expect(200);
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    await supertest(app).get('/me').set('Cookie', stolen).expect(401);
  });
});

describe.each([...PASSPORT_PATHS, 'strategy'] as const)('a login through Passport, routes: %s', (path) => {
  test('started by another route ignores the query of that route', async () => {
    const { app } = siteAt(provider, path);
    const query = 'prompt=none&scope=openid&returnTo=%2Fnotes&display=popup&maxAge=x';
    const { headers } = await supertest(app).get(`/start?${query}`).expect(302);
    const { searchParams } = new URL(headers.location as string);
    for (const name of ['prompt', 'display', 'max_age']) expect(searchParams.has(name)).toBe(false);
    expect(searchParams.get('scope')).toBe('openid basic colleagues email');
  });

  // The tokens of the drop-in.
  if (path === 'strategy') return;

  test('is not given to a second user that the same request signs in', async () => {
    const custom = (...[req, res, next]: [Express.Request, { redirect(path: string): void }, (e?: unknown) => void]) =>
      ((_error, user) => {
        req.logIn(user as Express.User, () => {
          req.logIn({ id: 'second' } as Express.User, { keepSessionInfo: true } as never, (error) =>
            error ? next(error) : res.redirect('/'),
          );
        });
      }) as AuthenticateCallback;
    const { app } = siteAt(provider, path, { custom: custom as never });
    const agent = supertest.agent(app);
    await agent.get(await callbackOf(agent, startOf(path))).expect(302);
    await agent.get('/').expect(200, [false, { id: 'second' }]);
    expect(requestsTo('/oauth/revoke')).toBe(1);
  });
});

describe('an authorization response', () => {
  test('of each of ten tabs that a browser restores at once finishes its login', async () => {
    const { app } = siteFor(provider);
    const paths = Array.from({ length: 10 }, (_, index) => `/tab-${index}`);
    // None of the requests has the cookies of the others.
    const starts = await Promise.all(
      paths.map((path) => supertest(app).get(`/auth/login?returnTo=${path}`).set('Sec-Fetch-Site', 'none').expect(302)),
    );
    const agent = supertest.agent(app);
    for (const reply of starts) agent.jar.setCookie(cookiesOf(reply)[0] as string, '127.0.0.1', '/');
    for (const [index, { headers }] of starts.entries()) {
      const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
      const { header } = await agent.get(back.pathname + back.search).expect(302);
      expect(header.location).toBe(paths[index]);
    }
    await agent.get('/me').expect(200);
  });

  test('has its state checked before its error, and uses it up even when it fails', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const state = new URL(headers.location as string).searchParams.get('state');
    const error = 'error=access_denied&error_description=planted-words';
    for (const query of [`${error}&state=made-up`, error, `${error}&state=${state}&state=${state}`]) {
      const { body, text } = await agent.get(`/auth/callback?${query}`).expect(403);
      expect([body.code, text]).toEqual(['transaction_missing', expect.not.stringContaining('planted-words')]);
    }
    expect((await agent.get(`/auth/callback?${error}&state=${state}`)).body.code).toBe('access_denied');
    expect((await agent.get(`/auth/callback?${error}&state=${state}`)).body.code).toBe('transaction_missing');
  });

  test.each([
    ['truncated', (value: string) => value.slice(0, -3)],
    ['changed', (value: string) => value.slice(0, 40) + (value[40] === 'A' ? 'B' : 'A') + value.slice(41)],
    ['10 kB long', () => 'A'.repeat(10_000)],
    ['empty', () => ''],
    ['not base64url', () => '%00%ff'],
  ])('is refused when the cookie of its attempt is %s', async (_name, change) => {
    const { app } = siteFor(provider);
    const started = await supertest(app).get('/auth/login?returnTo=/planted-path');
    const [name = '', value = ''] = cookiesOf(started)[0]?.split('=') ?? [];
    const { state, nonce } = Object.fromEntries(new URL(started.headers.location as string).searchParams);
    const opened = Buffer.from(value, 'base64url').toString('latin1');
    for (const text of [state, nonce, 'planted-path']) expect(name + value + opened).not.toContain(text);
    const back = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
    const request = supertest(app).get(back.pathname + back.search);
    const { body } = await request.set('Cookie', `${name}=${change(value)}`).expect(403);
    expect(body.code).toBe('transaction_missing');
  });
});
