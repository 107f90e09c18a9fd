import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import {
  type AuthorizationParameters,
  type Transaction,
  transactionID,
} from '../../lib/authorization-server/authorization-request.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Secret } from '../../lib/sealing/secret.js';
import type { SessionRequest } from '../../lib/session/site-session.js';
import { Attempts } from '../../lib/sign-in/attempts.js';
import type { AttemptState, LoginOptions } from '../../lib/sign-in/login-request.js';
import { movableClock } from '../token-vault/movable-clock.js';

const origin = 'https://app.example';
const query = (state: string) => new URLSearchParams({ code: 'c', state });
const missing = expect.objectContaining({ code: 'transaction_missing' });
const stateMissing = expect.objectContaining({ code: 'transaction_missing' });

const sealingSecret = 'planted-sealing-secret-0123456789-0123456789';

/** A browser, and the attempts of a site, whose states are 'state-1', 'state-2' and so on. */
function browserOf({ secret = sealingSecret, scope = ['openid'], idToken = undefined as string | undefined } = {}) {
  const clock = movableClock(1_800_000_000_000);
  const jar = new Map<string, string>();
  const requests: AuthorizationParameters[] = [];
  let granted: readonly string[] | undefined;

  const attemptsWith = (text: string) =>
    new Attempts({
      clock,
      origin,
      scope,
      flow: 'openid',
      cookies: new Cookies({ secure: true, instance: 'one-id', secrets: [new Secret(text)] }),
      tokens: { idToken: () => Promise.resolve(idToken === undefined ? undefined : new Secret(idToken)) },
      loginSession: { belongsToOtherUser: () => false, find: () => granted && ({ scope: granted } as never) },
      server: {
        async request(parameters = {}) {
          requests.push(parameters);
          const { returnTo, appState } = parameters;
          const state = `state-${requests.length}`;
          const transaction = {
            ...{ id: transactionID(state), state, issuer: 'https://auth.example', redirectURI: `${origin}/cb` },
            ...{ clientID: 'c', flow: 'openid', scope: [], createdAt: clock.now(), returnTo, appState },
          } as Transaction;
          return { url: `https://auth.example/?state=${state}`, transaction };
        },
      },
    });

  const req = (headers: object = {}): SessionRequest => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    return { method: 'GET', url: '/cb', headers: { ...(cookie && { cookie }), ...headers } } as SessionRequest;
  };
  const headers: Record<string, string> = {};
  const lines: string[] = [];
  const res = {
    setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }),
    getHeader: () => lines,
    appendHeader(_: string, line: string) {
      lines.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    },
  } as unknown as ServerResponse;

  const attempts = attemptsWith(secret);
  const started: AttemptState = { mode: 'page', owner: 'drop-in' };
  return {
    ...{ attempts, attemptsWith, clock, jar, requests, req, res, headers },
    grant: (login: readonly string[]) => {
      granted = login;
    },
    start: (options: LoginOptions = {}, from: object = {}) => attempts.start(req(from), res, options, started),
    take(state: string, request = req()) {
      const found = attempts.find(request, query(state));
      return attempts.take(request, res, query(state), found);
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
    expect(await start()).toBe('https://auth.example/?state=state-1');
    expect([...jar.keys()]).toEqual([`__Host-clinician-one-id-tx-${transactionID('state-1')}`]);
    expect(headers).toEqual({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  });

  test('is found any number of times, and taken once, with its cookie removed', async () => {
    const { attempts, start, take, req, jar } = browserOf();
    await start({ returnTo: '/a' });
    await start();
    const request = req();
    for (const _ of [1, 2]) expect(attempts.find(request, query('state-1'))).toMatchObject({ returnTo: '/a' });
    expect(take('state-1', request)).toMatchObject({ state: 'state-1', appState: { owner: 'drop-in' } });
    expect(jar.size).toBe(1);
    // The browser has sent a second request before it removed the cookie.
    expect(() => take('state-1', request)).toThrow(missing);
    expect(take('state-2', request)).toMatchObject({ state: 'state-2' });
  });

  test('is not found for another state, even in the cookie of that state', async () => {
    const { start, take, jar, res } = browserOf();
    await start();
    const [[name, value] = ['', '']] = jar;
    jar.set(name.replace(transactionID('state-1'), transactionID('other')), value);
    expect(() => take('other')).toThrow(missing);
    const cookies = new Cookies({ secure: true, instance: 'one-id', secrets: [new Secret(sealingSecret)] });
    cookies.sealed(`tx-${transactionID('other')}`, 60).set(res, JSON.stringify({ state: 'state-1' }));
    expect(() => take('other')).toThrow(missing);
  });

  test.each([
    ['no state', 'code=c'],
    ['an empty state', 'state='],
    ['a repeated state', 'state=state-1&state=state-1'],
  ])('is not taken by a response with %s', async (_title, text) => {
    const { attempts, start, req, res, jar } = browserOf();
    await start();
    const response = new URLSearchParams(text);
    expect(attempts.find(req(), response)).toBeUndefined();
    expect(() => attempts.take(req(), res, response, undefined)).toThrow(stateMissing);
    expect(jar.size).toBe(1);
  });

  test('is not taken after 30 minutes', async () => {
    const { start, take, clock, req } = browserOf();
    await start();
    clock.advance(30 * 60_000 + 1);
    expect(() => take('state-1', req())).toThrow(expect.objectContaining({ code: 'transaction_expired' }));
  });

  test('that a process with another secret has started is reported as such', async () => {
    const { start, attemptsWith, req, res } = browserOf();
    await start();
    const others = attemptsWith('another-sealing-secret-0123456789-0123456789');
    const found = others.find(req(), query('state-1'));
    expect(() => others.take(req(), res, query('state-1'), found)).toThrow(
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

  test('that a page of another site starts is marked, and does not switch the user', async () => {
    const { start, requests } = browserOf();
    await start({ switchUser: true });
    await start({ switchUser: true }, { 'sec-fetch-site': 'cross-site' });
    expect(requests.map(({ appState }) => appState)).toEqual([
      { mode: 'page', owner: 'drop-in', switchUser: true },
      { mode: 'page', owner: 'drop-in', fromOtherSite: true },
    ]);
  });

  test('is not started in a frame', async () => {
    const { start } = browserOf();
    await expect(start({}, { 'sec-fetch-dest': 'iframe' })).rejects.toMatchObject({ code: 'framed_sign_in' });
  });

  test('replaces the oldest one where the cookies are too long, except for a page of another site', async () => {
    const { start, jar } = browserOf();
    const long = { returnTo: `/${'x'.repeat(390)}` };
    for (let count = 0; count < 6; count += 1) await start(long, { 'sec-fetch-site': 'same-origin' });
    const before = [...jar.keys()];
    await expect(start(long, { 'sec-fetch-site': 'cross-site' })).rejects.toMatchObject({
      code: 'too_many_transactions',
    });
    await start(long, { 'sec-fetch-site': 'same-origin' });
    expect([...jar.keys()]).toEqual([...before.slice(1), expect.any(String)]);
  });
});
