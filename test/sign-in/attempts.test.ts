import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { AuthorizationParameters } from '../../lib/authorization-server/authorization-request.js';
import type { TransactionSecrets } from '../../lib/authorization-server/flows.js';
import { resolveRoutes } from '../../lib/options/routes.js';
import type { Site } from '../../lib/options/site.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/sealer.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { Visits } from '../../lib/session/visit.js';
import { Attempts } from '../../lib/sign-in/attempts.js';
import type { AttemptState, LoginOptions } from '../../lib/sign-in/login-request.js';
import { movableClock } from '../token-vault/movable-clock.js';

const origin = 'https://app.example';
const query = (state: string) => `code=c&state=${state}`;
const missing = expect.objectContaining({ code: 'transaction_missing' });
const stateMissing = expect.objectContaining({ code: 'transaction_missing' });

const secretsIn = ({ state, nonce, codeVerifier }: TransactionSecrets) => ({ state, nonce, codeVerifier });

const sealingSecret = 'planted-sealing-secret-0123456789-0123456789';

/** A browser, and the attempts of a site. */
function browserOf({ secret = sealingSecret, scope = ['openid'], idToken = undefined as string | undefined } = {}) {
  const clock = movableClock(1_800_000_000_000);
  const site = {
    ...{ clock, origin, scope, flow: 'openid' as const, issuer: 'https://auth.example', clientID: 'c' },
    ...{
      callbackURL: `${origin}/cb`,
      callbackPath: '/cb',
      routes: resolveRoutes('/cb'),
      apiURL: 'https://api.example',
    },
  };
  const jar = new Map<string, string>();
  const requests: (AuthorizationParameters & TransactionSecrets)[] = [];
  let granted: readonly string[] | undefined;

  const attemptsWith = (texts: readonly string[], other: object = {}) =>
    new Attempts({
      site: { ...site, ...other } as unknown as Site,
      events: { emit: () => undefined },
      cookies: new Cookies({
        site: { origin, routes: { basePath: '' } },
        instance: 'one-id',
        secrets: texts.map((text) => new Secret(text)),
      }),
      tokens: { idToken: () => Promise.resolve(idToken === undefined ? undefined : new Secret(idToken)) },
      server: {
        async request(parameters = {}, secrets = { state: '' }) {
          requests.push({ ...parameters, ...secrets });
          const { scope: requested = [], prompt, maxAge } = parameters;
          const transaction = { ...secrets, scope: [...requested], prompt, maxAge, createdAt: clock.now() } as never;
          return { url: `https://auth.example/?state=${secrets.state}`, transaction };
        },
      },
    });
  const visits = new Visits(site, 'one-id', {} as never, {} as never);

  /** @param query of the authorization response */
  const visit = (query: string, headers: object = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const login = granted && { grantID: 'g', id: '1', since: 0, scope: granted };
    const session = { clinician: { 'one-id': JSON.stringify(login) } };
    const req = { method: 'GET', url: `/cb?${query}`, headers: { ...(cookie && { cookie }), ...headers }, session };
    return visits.of(req as unknown as SessionRequest, res);
  };
  const headers: Record<string, string> = {};
  const res = {
    setHeader(header: string, lines: string | readonly string[]) {
      if (header !== 'Set-Cookie') return Object.assign(headers, { [header]: lines });
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(lines[0])) ?? [];
      return value === '' ? jar.delete(name) : jar.set(name, value);
    },
  } as unknown as ServerResponse;

  const attempts = attemptsWith([secret]);
  const started: AttemptState = { mode: 'page' };
  return {
    ...{ attempts, attemptsWith, clock, jar, requests, visit, headers },
    grant: (login: readonly string[]) => {
      granted = login;
    },
    /** @returns the state of the request */
    async start(options: LoginOptions = {}, from: object = {}) {
      await attempts.start(visit('', from), options, started);
      return String(requests.at(-1)?.state);
    },
    take(state: string, request = visit(query(state))) {
      return attempts.take(request, attempts.find(request));
    },
  };
}

test.each([
  [1_200, true],
  [1_201, false],
])('an ID Token of %d characters is sent as a hint: %s', async (length, isSent) => {
  const { grant, start, requests } = browserOf({ idToken: 'a'.repeat(length) });
  grant(['openid']);
  await start({ prompt: 'login' });
  expect(requests[0]?.idTokenHint !== undefined).toBe(isSent);
});

describe('an attempt', () => {
  test('is saved in the browser, and its response is not cached', async () => {
    const { start, jar, headers } = browserOf();
    await start();
    expect([...jar.keys()]).toEqual([expect.stringMatching(/^__Host-clinician-one-id-tx-[\w-]{16}$/)]);
    expect(headers).toEqual({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  });

  test('is found any number of times, and taken once, with its cookie removed', async () => {
    const { attempts, start, take, visit, jar } = browserOf();
    const first = await start({ returnTo: '/a', prompt: 'login', maxAge: 60_000, scope: 'openid email' });
    const second = await start();
    const request = visit(query(first));
    const saved = { returnTo: '/a', prompt: 'login', maxAge: 60, scope: ['openid', 'email'] };
    for (const _ of [1, 2]) expect(attempts.find(request)).toMatchObject(saved);
    expect(take(first, request)).toMatchObject({ state: first, appState: { mode: 'page' } });
    expect(jar.size).toBe(1);
    // The browser has sent a second request before it removed the cookie.
    expect(() => take(first, request)).toThrow(missing);
    expect(take(second)).toMatchObject({ state: second });
  });

  test('is not found for another state, even in the cookie of that state', async () => {
    const { start, take, jar } = browserOf();
    const states = [await start(), await start()];
    const [[one, first] = ['', ''], [two, second] = ['', '']] = jar;
    jar.set(one, second).set(two, first);
    for (const state of [...states, 'other']) expect(() => take(state)).toThrow(missing);
  });

  test('has a nonce and a code verifier that are derived, and in no cookie: the same in another process', async () => {
    const { start, attemptsWith, requests, jar, visit } = browserOf();
    const states = [await start(), await start()];
    const [one, two] = requests;
    expect(new Set([one?.nonce, one?.codeVerifier, two?.nonce, two?.codeVerifier]).size).toBe(4);
    for (const value of [one?.nonce, one?.codeVerifier]) expect(value).toMatch(/^[\w-]{43}$/);
    const newer = 'newer-sealing-secret-0123456789-0123456789';
    for (const secrets of [[sealingSecret], [newer, sealingSecret]]) {
      const found = states.map((state) => attemptsWith(secrets).find(visit(query(state))));
      expect(found).toMatchObject(requests.map(secretsIn));
    }
    expect([...jar.values()].join()).not.toContain(one?.nonce);
  });

  test('of the profile flow has neither', async () => {
    const { attemptsWith, requests, visit } = browserOf();
    const attempts = attemptsWith([sealingSecret], { flow: 'profile' });
    await attempts.start(visit(''), {}, { mode: 'page' });
    const found = attempts.find(visit(query(String(requests[0]?.state))));
    for (const one of [requests[0], found]) expect(Object.keys(one ?? {})).not.toContain('nonce');
    for (const one of [requests[0], found]) expect(Object.keys(one ?? {})).not.toContain('codeVerifier');
  });

  test.each([
    ['issuer', { issuer: 'https://other.example' }],
    ['client', { clientID: 'other' }],
    ['redirect URI', { callbackURL: `${origin}/other` }],
  ])('is not found with another %s', async (_, other) => {
    const { start, attemptsWith, visit } = browserOf();
    const state = await start();
    expect(attemptsWith([sealingSecret], other).find(visit(query(state)))).toBeUndefined();
  });

  test.each([
    ['no state', 'code=c'],
    ['an empty state', 'state='],
    ['a repeated state', 'state=x&state=x'],
  ])('is not taken by a response with %s', async (_title, text) => {
    const { attempts, start, visit, jar } = browserOf();
    await start();
    expect(attempts.find(visit(text))).toBeUndefined();
    expect(() => attempts.take(visit(text), undefined)).toThrow(stateMissing);
    expect(jar.size).toBe(1);
  });

  test('is not taken after 30 minutes', async () => {
    const { start, take, clock } = browserOf();
    const state = await start();
    clock.advance(30 * 60_000 + 1);
    expect(() => take(state)).toThrow(expect.objectContaining({ code: 'transaction_expired' }));
  });

  test('that a process with another secret has started is reported as such', async () => {
    const { start, attemptsWith, visit } = browserOf();
    const state = await start();
    const others = attemptsWith(['another-sealing-secret-0123456789-0123456789']);
    const request = visit(query(state));
    expect(() => others.take(request, others.find(request))).toThrow(
      expect.objectContaining({ code: 'transaction_secret_unknown' }),
    );
  });

  test('requests what the current login was granted, unless it names a scope', async () => {
    const { start, grant, requests } = browserOf();
    await start();
    grant(['openid', 'email', 'unknown']);
    await start();
    await start({ scope: ['openid', 'basic'] });
    expect(requests.map(({ scope }) => scope)).toEqual([['openid'], ['openid', 'email'], ['openid', 'basic']]);
  });

  test('is marked unless a page of this site or the address bar has started it', async () => {
    const sites = ['same-origin', 'none', 'same-site', 'cross-site'].map((site) => ({ 'sec-fetch-site': site }));
    const { attempts, start, visit } = browserOf();
    const marks: unknown[] = [];
    for (const headers of [...sites, {}, { referer: `${origin}/` }, { referer: 'https://evil.example/' }]) {
      const state = await start({}, headers);
      marks.push(attempts.find(visit(query(state)))?.appState.fromOtherSite === true);
    }
    expect(marks).toEqual([false, false, true, true, true, false, true]);
  });

  test('is not started in a frame', async () => {
    const { start } = browserOf();
    await expect(start({}, { 'sec-fetch-dest': 'iframe' })).rejects.toMatchObject({ code: 'framed_sign_in' });
  });

  test.each([{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { referer: `${origin}/page` }])(
    'replaces the oldest of ten, of any instance, if it is started with %p',
    async (own) => {
      const { start, jar } = browserOf();
      for (let count = 0; count < 9; count += 1) await start();
      jar.set(`__Host-clinician-other--tx-${'x'.repeat(16)}`, 'value');
      const before = [...jar.keys()];
      await start({}, own);
      expect([...jar.keys()]).toEqual([...before.slice(1), expect.any(String)]);
    },
  );

  test.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { referer: 'https://x.example' },
    {},
  ])('is refused with ten others, and removes none, if it is started with %p', async (other) => {
    const { start, jar } = browserOf();
    for (let count = 0; count < 10; count += 1) await start({}, other);
    const before = [...jar.keys()];
    await expect(start({}, other)).rejects.toMatchObject({ code: 'too_many_transactions' });
    expect([...jar.keys()]).toEqual(before);
  });
});
