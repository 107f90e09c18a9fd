import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteOf } from '../integration/login-paths.js';
import { cookieName, navigation, type SiteOptions, sameOriginForm, siteFor } from '../integration/site.js';

/** The limits of nginx: `proxy_buffer_size 4k` and `large_client_header_buffers 4 8k`. */
const MAX_RESPONSE_BYTES = 4096;
const MAX_REQUEST_BYTES = 8192;
/** What remains of it is for the cookies and the other headers of the site. */
const MAX_COOKIE_BYTES = 7168;

const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'none' };
const fromOtherSite = { ...navigation, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' };
const bytesOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 2, 20);

/** A site behind nginx with its default limits. The names and URLs are as long as those of real sites. */
function siteBehindNginx(options: SiteOptions = {}) {
  const { app, clinician } = siteFor(provider, { callbackURL: 'http://127.0.0.1:3000/auth/callback', ...options });
  app.get('/silent', clinician.signInSilently(), (_req, res) => void res.send('page'));
  app.get('/long/*rest', clinician.requireLogin(), (_req, res) => void res.send('page'));
  const exceeded: string[] = [];
  let largestCookies = 0;
  const check = (req: IncomingMessage, res: ServerResponse) => {
    // The cookie jar of the tests sends a removed cookie without its value, which browsers do not.
    const own = (req.headers.cookie ?? '').split('; ').filter((pair) => /^clinician-[^=]+=./.test(pair));
    // As long as on https, with the prefix of the names.
    largestCookies = Math.max(largestCookies, own.join('; ').length + own.length * '__Host-'.length);
    if (req.rawHeaders.join('  ').length + (req.url?.length ?? 0) > MAX_REQUEST_BYTES) exceeded.push(`400 ${req.url}`);
    res.on('finish', () => {
      const headers = Object.entries(res.getHeaders()).flatMap(([name, values]) =>
        [values].flat().map((value) => `${name}: ${value}`),
      );
      const total = bytesOf(headers);
      if (total > MAX_RESPONSE_BYTES) exceeded.push(`502 ${req.method} ${req.url?.slice(0, 80)}: ${total}`);
    });
    app(req as never, res as never);
  };
  return { agent: supertest.agent(check), app, exceeded, largestCookies: () => largestCookies };
}

const LONG_VALUES = ['a'.repeat(3000), '%'.repeat(900), '"'.repeat(900), '\u20ac'.repeat(300)];

test('with the ID Token of the user and any returnTo, the headers stay below the limits of nginx', async () => {
  for (const length of [10, 249, 250, 999]) {
    const { agent, exceeded } = siteBehindNginx();
    await signIn(agent, provider, { as: 'verified' });
    const { headers } = await agent
      .get(`/auth/login?prompt=login&returnTo=/${'a'.repeat(length)}`)
      .set(pageView)
      .expect(302);
    const hasHint = new URL(headers.location as string).searchParams.has('id_token_hint');
    expect([exceeded, hasHint]).toEqual([[], true]);
  }
});

test.each([
  ['from the site', pageView],
  ['from another site', fromOtherSite],
])('with any query %s, the headers stay below the limits of nginx', async (_, headers) => {
  const { agent, exceeded, largestCookies } = siteBehindNginx();
  for (const value of LONG_VALUES) {
    const encoded = encodeURIComponent(`/${value}`);
    const paths = [
      `/auth/login?returnTo=${encoded}`,
      `/auth/login?returnTo=/${value.replace(/[^\w%]/g, '')}`,
      `/auth/login?prompt=${encoded}&scope=${encoded}&display=${encoded}&returnTo=${encoded}`,
      `/long/x?${encoded.slice(0, 3000)}`,
      `/silent?${encoded.slice(0, 3000)}`,
      `/auth/callback?code=${encoded}&state=${encoded}`,
      `/auth/callback?error=${encoded}&error_description=${encoded}&state=x`,
      `/auth/logged-out?state=${encoded}`,
      `/auth/session-check?${encoded}`,
    ];
    for (const path of paths) expect((await agent.get(path.slice(0, 4000)).set(headers)).status).not.toBe(500);
  }
  for (const path of ['/auth/logout', '/auth/forget'])
    await agent.post(`${path}?${'x'.repeat(2000)}`).set(sameOriginForm);
  expect(exceeded).toEqual([]);
  expect(largestCookies()).toBeGreaterThan(1000);
  expect(largestCookies()).toBeLessThan(MAX_COOKIE_BYTES);
});

test('with every cookie at its largest, all together stay below 7 kB', async () => {
  const { agent, exceeded, largestCookies } = siteBehindNginx({ routes: {} });
  const longPath = encodeURIComponent(`/${'a'.repeat(249)}`);
  const callbackOf = async (path: string, more: object = {}) => {
    const { headers } = await agent.get(path).set(pageView).expect(302);
    return new URL(await provider.signIn(headers.location as string, { as: 'verified', ...more }));
  };
  await agent.get('/silent').set(pageView);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const denied = await callbackOf(`/auth/login?prompt=consent&returnTo=${longPath}`, { deny: true });
    await agent.get(denied.pathname + denied.search).set(pageView);
    await agent.get(`/auth/login?returnTo=${longPath}`).set(pageView).expect(302);
  }
  await signIn(agent, provider, { as: 'verified', loginPath: `/auth/login?returnTo=${longPath}` });
  await agent.post('/auth/logout').set(sameOriginForm).expect(200);
  await agent.get(`/auth/login?returnTo=${longPath}`).set(pageView).expect(302);
  expect(exceeded).toEqual([]);
  expect(largestCookies()).toBeGreaterThan(2000);
  expect(largestCookies()).toBeLessThan(MAX_COOKIE_BYTES);
});

test('data of the site that does not fit into the cookie of a login attempt is refused', async () => {
  const events: ClinicianEvent[] = [];
  const onEvent = (event: ClinicianEvent) => void events.push(event);
  const site = siteOf(provider, 'Passport first', { start: { state: 'x'.repeat(2500) }, onEvent });
  const { headers } = await supertest(site.app).get('/auth/login').expect(403);
  expect(headers['set-cookie']).toBeUndefined();
  expect(events).toEqual([expect.objectContaining({ name: 'sign_in_failed', code: 'transaction_too_large' })]);
});

test.each(['a b', 'a"b', '\u00e9', '', '__proto__'])(
  'a cookie with the name of a login attempt and then %j causes no error of the site',
  async (suffix) => {
    const { agent } = siteBehindNginx();
    const name = Buffer.from(`${cookieName(provider, 'tx-')}${suffix}`).toString('latin1');
    const Cookie = Array.from({ length: 20 }, (_, index) => `${name}${index}=${'x'.repeat(150)}`).join('; ');
    await agent
      .get('/auth/login')
      .set({ ...pageView, Cookie })
      .expect(302);
    await agent.get('/auth/callback').set({ ...pageView, Cookie });
    const { status } = await agent.post('/auth/logout').set({ ...sameOriginForm, Cookie });
    expect(status).toBe(303);
  },
);

/** @returns cookies with the names of login attempts of this instance, which this package has not set. */
function forgedAttempts(count: number): string {
  const name = (index: number) => `${cookieName(provider, 'tx-')}${String(index).padStart(16, '0')}`;
  return Array.from({ length: count }, (_, index) => `${name(index)}=x`).join('; ');
}

test('forged cookies of login attempts are parsed once, and the response removes a few of them', async () => {
  const { app } = siteFor(provider);
  const readsWith = async (count: number) => {
    let reads = 0;
    const watched = (req: IncomingMessage, res: ServerResponse) => {
      const { cookie = '' } = req.headers;
      const get = () => {
        reads += 1;
        return cookie;
      };
      Object.defineProperty(req.headers, 'cookie', { get });
      app(req as never, res as never);
    };
    const response = await supertest(watched)
      .get('/auth/login')
      .set({ ...pageView, Cookie: forgedAttempts(count) })
      .expect(302);
    const lines = response.headers['set-cookie'] as unknown as string[];
    expect(bytesOf(lines)).toBeLessThan(2000);
    expect(lines.at(-1)).toMatch(/^clinician-[\w-]{6}-tx-[\w-]{16}=[\w-]{150,};/);
    return reads;
  };
  expect(await readsWith(300)).toBe(await readsWith(2));
});
