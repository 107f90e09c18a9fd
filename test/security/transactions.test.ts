import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { cookieName, siteFor } from '../integration/site.js';

type Agent = ReturnType<typeof supertest.agent>;

async function start(agent: Agent, path = '/auth/login'): Promise<string> {
  return (await agent.get(path).expect(302)).headers.location as string;
}

async function callbackOf(authorizeURL: string, as = 'verified'): Promise<string> {
  const url = new URL(await provider.signIn(authorizeURL, { as }));
  return url.pathname + url.search;
}

/** @returns the name and the value of the cookie of a login attempt. */
function cookieOf(response: { headers: Record<string, unknown> }): [name: string, value: string] {
  const [pair = ''] = String((response.headers['set-cookie'] as string[])[0]).split(';');
  return [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
}

const codeOf = (response: { text: string }) => (JSON.parse(response.text) as { code: string }).code;

test('ten tabs that a browser restores at once each finish their login', async () => {
  const { app } = siteFor(provider);
  const paths = Array.from({ length: 10 }, (_, index) => `/tab-${index}`);
  // None of the requests has the cookies of the others.
  const starts = await Promise.all(
    paths.map((path) => supertest(app).get(`/auth/login?returnTo=${path}`).set('Sec-Fetch-Site', 'none').expect(302)),
  );
  const agent = supertest.agent(app);
  for (const response of starts) agent.jar.setCookie(cookieOf(response).join('='), '127.0.0.1', '/');
  for (const [index, { headers }] of starts.entries()) {
    const { header } = await agent.get(await callbackOf(headers.location as string)).expect(302);
    expect(header.location).toBe(paths[index]);
  }
  await agent.get('/me').expect(200);
});

describe('two tabs', () => {
  test('that start a login before either finishes both sign in, each with its own returnTo', async () => {
    for (const flow of ['openid', 'profile'] as const) {
      const agent = supertest.agent(siteFor(provider, { flow }).app);
      const first = await start(agent, '/auth/login?returnTo=/first');
      const second = await start(agent, '/auth/login?returnTo=/second');
      const back = [await callbackOf(first), await callbackOf(second)];
      expect((await agent.get(back[0] as string).expect(302)).headers.location).toBe('/first');
      expect((await agent.get(back[1] as string).expect(302)).headers.location).toBe('/second');
      await agent.get('/me').expect(200);
    }
  });
});

describe('an authorization response that belongs to no attempt of this browser', () => {
  test('with the code and state of another browser signs no user in', async () => {
    const { app } = siteFor(provider);
    const attacker = supertest.agent(app);
    const callback = await callbackOf(await start(attacker), 'hostile');
    const victim = supertest.agent(app);
    await start(victim);
    expect(codeOf(await victim.get(callback).expect(403))).toBe('transaction_missing');
    await victim.get('/me').expect(401);
    await attacker.get(callback).expect(302);
  });

  test('without state, or with two, is refused', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const callback = new URL(await callbackOf(await start(agent)), 'http://site');
    const { code, state } = Object.fromEntries(callback.searchParams) as { code: string; state: string };
    expect(codeOf(await agent.get(`/auth/callback?code=${code}`).expect(403))).toBe('transaction_missing');
    expect(codeOf(await agent.get(`/auth/callback?code=${code}&state=${state}&state=${state}`).expect(403))).toBe(
      'transaction_missing',
    );
    expect(codeOf(await agent.get('/auth/callback').expect(403))).toBe('transaction_missing');
    await agent.get('/me').expect(401);
  });

  test('with an unknown state and an error is refused: state is checked before error is read', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const response = await agent
      .get('/auth/callback?error=access_denied&error_description=planted-words&state=made-up')
      .expect(403);
    expect(codeOf(response)).toBe('transaction_missing');
    expect(response.text).not.toContain('planted-words');
  });

  test('that is sent twice is refused the second time, and the login of the first remains', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const callback = await callbackOf(await start(agent));
    await agent.get(callback).expect(302);
    expect(codeOf(await agent.get(callback).expect(403))).toBe('transaction_missing');
    await agent.get('/me').expect(200);
    await agent.get('/profile').expect(200);
  });

  test('that is sent three times at once, with the cookie, is accepted once', async () => {
    const { app } = siteFor(provider);
    const started = await supertest(app).get('/auth/login');
    const cookie = (started.headers['set-cookie'] as unknown as string[]).map((line) => line.split(';')[0]).join('; ');
    const callback = await callbackOf(started.headers.location as string);
    const responses = await Promise.all([1, 2, 3].map(() => supertest(app).get(callback).set('Cookie', cookie)));
    expect(responses.map(({ status }) => status).sort()).toEqual([302, 403, 403]);
  });

  test('removes the cookie of its attempt', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const started = await agent.get('/auth/login').expect(302);
    const ended = await agent.get(await callbackOf(started.headers.location as string)).expect(302);
    const lines = ended.headers['set-cookie'] as unknown as string[];
    expect(lines.find((line) => line.startsWith(`${cookieOf(started)[0]}=;`))).toContain('Max-Age=0');
  });

  test('uses up its state even when it fails', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const state = new URL(await start(agent)).searchParams.get('state');
    await agent.get(`/auth/callback?code=made-up&state=${state}`);
    expect(codeOf(await agent.get(`/auth/callback?code=made-up&state=${state}`))).toBe('transaction_missing');
  });

  test('of another client of the same site is refused', async () => {
    const openid = supertest.agent(siteFor(provider).app);
    const started = await openid.get('/auth/login');
    const cookie = (started.headers['set-cookie'] as unknown as string[]).map((line) => line.split(';')[0]).join('; ');
    const callback = await callbackOf(started.headers.location as string);
    const other = siteFor(provider, { flow: 'profile' }).app;
    expect(codeOf(await supertest(other).get(callback).set('Cookie', cookie))).toBe('transaction_missing');
  });

  test('for an attempt older than 30 minutes is refused', async () => {
    let now = Date.now();
    const agent = supertest.agent(siteFor(provider, { clock: { now: () => now } }).app);
    const callback = await callbackOf(await start(agent));
    now += 30 * 60 * 1000 + 1;
    expect(codeOf(await agent.get(callback).expect(403))).toBe('transaction_expired');
  });
});

describe('the cookie of a login attempt', () => {
  test('is HttpOnly, SameSite=Lax and short-lived, and on https Secure with the __Host- prefix', async () => {
    const plain = (await supertest(siteFor(provider).app).get('/auth/login')).headers['set-cookie']?.[0];
    expect(plain).toMatch(/^clinician-[\w-]{6}-tx-[\w-]{16}=[\w-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = siteFor(provider, { callbackURL: 'https://app.example/auth/callback' });
    const cookie = (await supertest(secure.app).get('/auth/login')).headers['set-cookie']?.[0];
    expect(cookie).toMatch(
      /^__Host-clinician-[\w-]{6}-tx-[\w-]{16}=[\w-]+; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test('does not reveal its contents', async () => {
    const response = await supertest(siteFor(provider).app).get('/auth/login?returnTo=/planted-path');
    const { state, nonce } = Object.fromEntries(new URL(response.headers.location as string).searchParams);
    const cookie = response.headers['set-cookie']?.[0] as string;
    const opened = Buffer.from(cookie.split('=')[1]?.split(';')[0] as string, 'base64url').toString('latin1');
    for (const text of [state, nonce, 'planted-path']) expect(cookie + opened).not.toContain(text);
  });

  test.each([
    ['truncated', (value: string) => value.slice(0, -3)],
    [
      'with one character changed',
      (value: string) => value.slice(0, 40) + (value[40] === 'A' ? 'B' : 'A') + value.slice(41),
    ],
    ['10 kB long', () => 'A'.repeat(10_000)],
    ['empty', () => ''],
    ['not base64url', () => '%00%ff'],
  ])('is ignored when it is %s', async (_name, change) => {
    const { app } = siteFor(provider);
    const started = await supertest(app).get('/auth/login');
    const [name, value] = cookieOf(started);
    const callback = await callbackOf(started.headers.location as string);
    const response = await supertest(app)
      .get(callback)
      .set('Cookie', `${name}=${change(value)}`)
      .expect(403);
    expect(codeOf(response)).toBe('transaction_missing');
  });

  test('does not open under the name of another attempt', async () => {
    const { app } = siteFor(provider);
    const [one, two] = await Promise.all([supertest(app).get('/auth/login'), supertest(app).get('/auth/login')]);
    const callback = await callbackOf(one.headers.location as string);
    await supertest(app)
      .get(callback)
      .set('Cookie', `${cookieOf(one)[0]}=${cookieOf(two)[1]}`)
      .expect(403);
  });

  test('has at most 300 bytes in a plain login, with its name', async () => {
    for (const scope of ['openid', 'openid basic colleagues email']) {
      const { app } = siteFor(provider, { callbackURL: 'https://app.example/auth/callback', scope });
      const started = await supertest(app).get('/auth/login?returnTo=/notes').expect(302);
      expect(cookieOf(started).join('=').length).toBeLessThanOrEqual(300);
    }
  });

  test('is removed for newer attempts, but not for those that another site or a sibling host starts', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    const early = await start(agent);
    const starts: string[] = [];
    for (let count = 1; count < 10; count += 1) starts.push(await start(agent));
    for (const site of ['cross-site', 'same-site'])
      await agent.get('/auth/login').set('Sec-Fetch-Site', site).expect(403);
    for (const referer of ['https://blog.example/', ''])
      await agent.get('/auth/login').set('Referer', referer).expect(403);
    const { headers } = await agent.get('/auth/login').set('Sec-Fetch-Site', 'none').expect(302);
    expect(codeOf(await agent.get(await callbackOf(early)).expect(403))).toBe('transaction_missing');
    for (const url of [starts[0], headers.location]) await agent.get(await callbackOf(url as string)).expect(302);
  });
});

test('login attempts that another site starts do not exceed the size limit of request headers', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  const long = encodeURIComponent(`/${'\u00e9'.repeat(66)}`);
  for (let i = 0; i < 8; i++) {
    await agent.get(`/auth/login?prompt=consent&type=verify&returnTo=${long}`).set('Sec-Fetch-Site', 'cross-site');
  }
  await agent.get('/me').expect(401);
  for (let i = 0; i < 8; i++) await agent.get(`/auth/login?returnTo=${long}`).expect(302);
  const cookies = agent.jar
    .getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false })
    .toValueString();
  expect(cookies).toContain(cookieName(provider, 'tx-'));
  expect(cookies.length).toBeLessThan(3000);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});
