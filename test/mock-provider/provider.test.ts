import { beforeAll, describe, expect, test } from '@jest/globals';
import { type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { provider } from '../helpers/provider.js';
import { freePort } from '../helpers.js';
import {
  authorizeURL,
  codeFields,
  codeOf,
  profile,
  REDIRECT_URI,
  redeem,
  refresh,
  registerStrict,
  signIn,
  tokensOf,
} from './wire.js';

let client: RegisteredClient;
beforeAll(() => {
  client = provider.clients.profile;
});

describe('provider.signIn()', () => {
  test.each<Record<string, string>>([{}, { prompt: 'create' }])(
    'of one clinician 20 times at once succeeds each time, also after reset(): %j',
    async (more) => {
      for (const state of ['fresh', 'reset']) {
        const all = Array.from({ length: 20 }, () => signIn(provider, client, { state, ...more }));
        const codes = (await Promise.all(all)).map(({ searchParams }) => searchParams.get('code'));
        expect(new Set(codes.filter((code) => code !== null)).size).toBe(20);
        provider.reset();
      }
    },
  );

  test('of two clinicians in one browser at once signs each of them in, and an error stops no other', async () => {
    const browser = {};
    const as = ['verified', 'connected', 'verified', 'connected'];
    const wrong = provider.signIn(`${provider.issuer}/oauth/authorize`, { as: 'verified', browser });
    const urls = await Promise.all(as.map((as) => provider.signIn(authorizeURL(provider, client), { as, browser })));
    await expect(wrong).rejects.toThrow('client_id is missing');
    const tokens = await Promise.all(
      urls.map((url) => redeem(provider, client, new URL(url).searchParams.get('code') ?? '')),
    );
    const profiles = await Promise.all(tokens.map(({ json }) => profile(provider, json.access_token)));
    expect(profiles.map(({ json }) => json.id)).toEqual(as.map((name) => provider.clinicians.get(name).id));
  });

  test.each(['noResponse', 'stalledResponse'] as const)(
    'that %s keeps pending does not stop the next one',
    async (fault) => {
      const own = await startMockProvider();
      own.faults.next(fault, { endpoint: '/oauth/authorize' });
      const pending = signIn(own, own.clients.profile, {}).catch((error: Error) => error);
      expect((await signIn(own, own.clients.profile, {})).searchParams.get('code')).not.toBeNull();
      await own.stop();
      expect(await pending).toBeInstanceOf(Error);
    },
  );
});

describe('provider.checkSession()', () => {
  const origin = new URL(REDIRECT_URI).origin;

  test('returns unchanged, also after a refresh, changed, also after another sign-in, or error', async () => {
    const { openid } = provider.clients;
    const callback = await signIn(provider, openid);
    const sessionState = callback.searchParams.get('session_state') ?? '';
    expect(sessionState).toMatch(/^[\w-]{43}\.[\w-]{11,}$/);
    const check = { clientID: openid.clientID, sessionState, origin };
    expect(provider.checkSession(check)).toBe('unchanged');
    expect(provider.checkSession({ ...check, origin: 'http://localhost:5001' })).toBe('changed');
    expect(provider.checkSession({ ...check, clientID: 'unknown' })).toBe('changed');
    const altered = `${sessionState.startsWith('A') ? 'B' : 'A'}${sessionState.slice(1)}`;
    expect(provider.checkSession({ ...check, sessionState: altered })).toBe('changed');
    expect(provider.checkSession({ ...check, sessionState: 'without-salt' })).toBe('error');
    expect(provider.checkSession({ ...check, clientID: '' })).toBe('error');
    const { json } = await redeem(provider, openid, callback.searchParams.get('code') ?? '');
    await refresh(provider, openid, json.refresh_token);
    expect(provider.checkSession(check)).toBe('unchanged');
    await signIn(provider, openid, { prompt: 'login' });
    expect(provider.checkSession(check)).toBe('changed');
  });
});

describe('provider.fetch', () => {
  test('returns the same response as a socket, and redirects unfollowed', async () => {
    const { fetch: mockFetch, issuer } = provider;
    const metadata = await mockFetch(`${issuer}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({ issuer });
    const silent = await mockFetch(authorizeURL(provider, provider.clients.openid, { prompt: 'none' }));
    expect([silent.status, silent.headers.get('location')]).toEqual([302, expect.stringContaining('login_required')]);
    const code = await codeOf(provider, client);
    const body = new URLSearchParams({
      client_id: client.clientID,
      client_secret: client.clientSecret,
      ...(codeFields(client, code) as Record<string, string>),
    });
    const response = await mockFetch(new URL('/oauth/token', issuer), { method: 'POST', body });
    const { access_token } = (await response.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await mockFetch(new Request(`${issuer}/api/v1/users/current`, { headers }))).status).toBe(200);
    const head = await mockFetch(`${issuer}/api/v1/users/current`, { method: 'HEAD', headers });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(provider.requests.at(-1)).toMatchObject({ method: 'HEAD', status: 200 });
  });

  test('handles only its own addresses, and fails as fetch does', async () => {
    await expect(provider.fetch('http://127.0.0.1:1/')).rejects.toThrow(TypeError);
    provider.faults.next('reset', { endpoint: '/oauth/userinfo' });
    await expect(provider.fetch(`${provider.issuer}/oauth/userinfo`)).rejects.toThrow('fetch failed');
    provider.faults.next('noResponse', { endpoint: '/oauth/userinfo' });
    const waiting = provider.fetch(`${provider.issuer}/oauth/userinfo`, { signal: AbortSignal.timeout(20) });
    await expect(waiting).rejects.toThrow(/timeout|aborted/i);
  });
});

test('provider.registerClient() generates missing values that work', async () => {
  const registered = provider.registerClient({ flow: 'openid', redirectURIs: [REDIRECT_URI] });
  expect(registered.clientSecret).toMatch(/^[\w-]{22,}$/);
  expect((await tokensOf(provider, registered)).scope).toBe('openid');
});

test('provider.reset() clears sign-ins, tokens, consents, records and the clock, not clients and added clinicians', async () => {
  const registered = registerStrict(provider, 'openid');
  provider.clinicians.add({ username: `reset ${Date.now()}` });
  const names = provider.clinicians.names();
  const { access_token, refresh_token } = await tokensOf(provider, client);
  provider.clinicians.update('verified', { city: 'Elsewhere' });
  provider.clock.advance('100 days');
  provider.keys.rotate();
  provider.blacklist(registered.clientID);
  provider.reset();
  expect([provider.requests, provider.problems].map(({ length }) => length)).toEqual([0, 0]);
  expect(Math.abs(provider.clock.now() - Date.now())).toBeLessThan(5000);
  expect((await profile(provider, access_token)).status).toBe(401);
  expect((await refresh(provider, client, refresh_token)).json.error).toBe('invalid_grant');
  expect((await signIn(provider, client, { prompt: 'none' })).searchParams.get('error')).toBe('login_required');
  expect((await tokensOf(provider, registered)).scope).toBe('openid');
  expect([provider.clinicians.names(), provider.clinicians.get('verified').city]).toEqual([names, 'San Francisco']);
  expect(provider.keys.published).toHaveLength(1);
});

test('an invalid client among the options fails the start and closes the server', async () => {
  const port = await freePort();
  await expect(startMockProvider({ port, clients: [{ flow: 'openid', redirectURIs: [] }] })).rejects.toThrow(
    'redirectURIs',
  );
  await (await startMockProvider({ port })).stop();
});

const approveScope = (scope: string, approve: readonly string[]) =>
  provider.signIn(authorizeURL(provider, provider.clients.openid, { scope }), { as: 'verified', approve });

test.each([
  ['openid basic email', ['openid', 'basic', 'email'], 'openid basic email'],
  ['openid basic email', ['openid', 'basic'], 'openid basic'],
  ['openid basic email', [], 'openid basic'],
  ['', ['openid'], 'openid'],
])('of the scope "%s", approve %j grants "%s"', async (scope, approve, granted) => {
  const code = new URL(await approveScope(scope, approve)).searchParams.get('code') ?? '';
  expect((await redeem(provider, provider.clients.openid, code)).json.scope).toBe(granted);
});

test.each([
  ['openid basic email', ['openid', 'basic', 'emial'], 'emial'],
  ['openid basic', ['openid', 'basic', 'email'], 'email'],
  ['', ['openid', 'email'], 'email'],
])('of the scope "%s", approve %j is refused', async (scope, approve, unknown) => {
  await expect(approveScope(scope, approve)).rejects.toThrow(`approve has "${unknown}"`);
  expect(provider.requests).toHaveLength(0);
});
