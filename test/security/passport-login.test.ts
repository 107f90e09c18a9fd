import { describe, expect, test } from '@jest/globals';
import type { AuthenticateCallback } from 'passport';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { PASSPORT_PATHS } from '../integration/login-paths.js';
import { navigation, sameOriginScript } from '../integration/site.js';
import { siteAt } from '../integration/strategy-site.js';

type Agent = ReturnType<typeof supertest.agent>;
const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;
const sessionCookie = (response: { headers: Record<string, unknown> }) =>
  ((response.headers['set-cookie'] as string[] | undefined) ?? [])
    .find((line) => line.startsWith('connect.sid='))
    ?.split(';')[0] ?? '';

/** Starts a login and signs in at the service. @returns the path of the callback, not requested yet. */
async function callbackOf(agent: Agent, loginPath: string, as = 'verified'): Promise<string> {
  const { headers } = await agent.get(loginPath).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as }));
  return back.pathname + back.search;
}

/** The strategy without the drop-in, too. */
const PATHS = [...PASSPORT_PATHS, 'strategy'] as const;

describe.each(PATHS)('a login through Passport, routes: %s', (path) => {
  test.each([false, true])(
    'gets a new session id, and the old session is deleted (keepSessionInfo: %s)',
    async (keep) => {
      const site = siteAt(provider, path, { finish: { keepSessionInfo: keep }, session: { saveUninitialized: true } });
      const planted = sessionCookie(await supertest(site.app).get('/'));
      const agent = supertest.agent(site.app);
      agent.jar.setCookie(planted, '127.0.0.1', '/');
      const response = await agent.get(await callbackOf(agent, '/start')).expect(302);
      expect(sessionCookie(response)).toMatch(/^connect\.sid=/);
      expect(sessionCookie(response)).not.toBe(planted);
      await supertest(site.app).get('/').set('Cookie', planted).expect(200, [false, null]);
      await agent.get('/me').expect(200);
    },
  );

  test('that another browser started is refused, and signs no user in (login CSRF)', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app } = siteAt(provider, path, { tokenStore });
    const callback = await callbackOf(supertest.agent(app), '/start');
    const victim = supertest.agent(app);
    const { status } = await victim.get(callback);
    expect([401, 403]).toContain(status);
    await victim.get('/').expect(200, [false, null]);
    expect(tokenStore.size).toBe(0);
  });

  test('cannot be finished with the code of another attempt', async () => {
    const { app } = siteAt(provider, path);
    const attacker = new URL(await callbackOf(supertest.agent(app), '/start', 'connected'), provider.issuer);
    const victim = supertest.agent(app);
    const own = new URL(await callbackOf(victim, '/start'), provider.issuer);
    own.searchParams.set('code', attacker.searchParams.get('code') as string);
    const { status } = await victim.get(own.pathname + own.search);
    expect(status).toBeGreaterThanOrEqual(400);
    await victim.get('/').expect(200, [false, null]);
  });

  test('is finished once: a repeated callback ends neither the login nor starts one', async () => {
    const { app } = siteAt(provider, path);
    const agent = supertest.agent(app);
    const callback = await callbackOf(agent, '/start');
    await agent.get(callback).expect(302);
    // Only the drop-in has a page for it.
    const [status, text] =
      path === 'strategy' ? ([403, 'Forbidden'] as const) : ([200, /is already finished/] as const);
    await agent.get(callback).set(navigation).redirects(1).expect(status, text);
    await agent.get('/me').expect(200);
  });

  test('is refused when its cookie is lost, or was sealed with another secret', async () => {
    const { app } = siteAt(provider, path);
    const callback = await callbackOf(supertest.agent(app), '/start');
    expect((await supertest(app).get(callback)).status).toBe(403);

    const rotated = siteAt(provider, path, { secret: 'another-sealing-secret-0123456789-0123456789' });
    const started = await supertest(app).get('/start').expect(302);
    const cookies = (started.headers['set-cookie'] as unknown as string[]).map((line) => line.split(';')[0]).join('; ');
    const back = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
    const request = supertest(rotated.app).get(back.pathname + back.search);
    expect((await request.set('Cookie', cookies)).status).toBe(403);
    expect(provider.requests.filter(({ path: requested }) => requested === '/oauth/token')).toEqual([]);
  });

  test('while the token endpoint is down goes to the error handler of the site, and a next login succeeds', async () => {
    const { app, errors } = siteAt(provider, path);
    const agent = supertest.agent(app);
    const callback = await callbackOf(agent, '/start');
    provider.faults.next('unavailable', { endpoint: '/oauth/token' });
    await agent.get(callback).expect(503);
    expect(errors).toEqual([expect.objectContaining({ name: 'InternalOAuthError', retryable: true })]);
    await agent.get('/').expect(200, [false, null]);
    await agent.get(await callbackOf(agent, '/start')).expect(302);
    await agent.get('/me').expect(200);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/auth/callback',
    '/auth/login',
    '/auth/logout',
  ])('does not return to %s', async (returnTo) => {
    // The other routes of that site are its own.
    if (path === 'strategy' && /^\/auth\/log/.test(returnTo)) return;
    const { app } = siteAt(provider, path);
    const agent = supertest.agent(app);
    const link = `/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
    const { headers } = await agent.get(await callbackOf(agent, link)).expect(302);
    expect(headers.location).toBe('/');
    const started = siteAt(provider, path, { start: { returnTo } });
    const other = supertest.agent(started.app);
    expect((await other.get(await callbackOf(other, '/start'))).headers.location).toBe('/');
  });

  test('started by another route ignores the query of that route', async () => {
    const { app } = siteAt(provider, path);
    const query = 'prompt=none&scope=openid&returnTo=%2Fnotes&display=popup&maxAge=x';
    const { headers } = await supertest(app).get(`/start?${query}`).expect(302);
    const { searchParams } = new URL(headers.location as string);
    for (const name of ['prompt', 'display', 'max_age']) expect(searchParams.has(name)).toBe(false);
    expect(searchParams.get('scope')).toBe('openid basic colleagues email');
  });

  test("of another site's page cannot start a silent login", async () => {
    const { app } = siteAt(provider, path);
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
    const { headers } = await supertest(app).get('/auth/login?prompt=none&returnTo=%2Fme').set(crossSite).expect(302);
    if (path === 'strategy') expect(new URL(headers.location as string).searchParams.has('prompt')).toBe(false);
    else expect(headers.location).toBe('/me');
  });

  test('is not established after its request has ended', async () => {
    const tokenStore = new MemoryTokenStore();
    let failed: (error: unknown) => void = () => undefined;
    const error = new Promise<unknown>((resolve) => {
      failed = resolve;
    });
    const custom = (
      ...[req, res]: [Express.Request, { send(text: string): void; once(e: 'close', l: () => void): void }]
    ) =>
      ((_error, user) => {
        res.once('close', () => req.logIn(user as Express.User, failed));
        res.send('too early');
      }) as AuthenticateCallback;
    const { app, sessions } = siteAt(provider, path, { tokenStore, custom: custom as never });
    const agent = supertest.agent(app);
    await agent.get(await callbackOf(agent, '/start')).expect(200, 'too early');
    expect(await error).toMatchObject({ code: 'session_unavailable' });
    await agent.get('/').expect(200, [false, null]);
    expect([tokenStore.size, JSON.stringify(sessions)]).toEqual([0, expect.not.stringContaining('grantID')]);
    expect(revocations()).toBe(1);
  });

  // The guards and the sign-out of the drop-in.
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
    await agent.get(await callbackOf(agent, '/start')).expect(302);
    await agent.get('/').expect(200, [false, { id: 'second' }]);
    expect(revocations()).toBe(1);
  });

  test('of a site that loses its session ends with an error, not with a redirect loop', async () => {
    const { app } = siteAt(provider, path, {
      onEvent: () => undefined,
      session: { cookie: { domain: 'other.example' } },
    });
    const agent = supertest.agent(app);
    await agent.get(await callbackOf(agent, '/auth/login?returnTo=%2Fme')).expect(302);
    const page = await agent.get('/me').set(navigation).expect(500);
    expect(page.text).toContain('session_not_saved');
    await agent.get(await callbackOf(agent, '/auth/login')).expect(302);
    await agent.get('/auth/login').expect(500, /session_not_saved/);
  });

  test('of a user who signs out elsewhere in the site is not continued by the old session', async () => {
    const { app } = siteAt(provider, path);
    const agent = supertest.agent(app);
    const response = await agent.get(await callbackOf(agent, '/start'));
    const stolen = sessionCookie(response);
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    await supertest(app).get('/me').set('Cookie', stolen).expect(401);
  });
});
