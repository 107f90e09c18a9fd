import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '../../../lib/mock-provider/control/operations.js';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizeURL, codeOf, profile, redeem, refresh, send, sendRaw, tokensOf, type WireResponse } from '../wire.js';
import { EXAMPLES } from './examples.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ control: true });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const JSON_BODY = { 'content-type': 'application/json' };
const ELSEWHERE = 'http://elsewhere.example/';

function callControl(method: string, path: string, body?: unknown): Promise<WireResponse> {
  const sent = body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
  return send(provider, `/_mock${path}`, { method, ...sent });
}

test('the control API does not exist unless it is enabled', async () => {
  const closed = await startMockProvider();
  try {
    for (const path of ['/_mock/', '/_mock/clock', '/_mock/requests']) {
      const { status, text } = await send(closed, path);
      expect([status, text]).toEqual([404, expect.stringContaining('--control')]);
    }
    expect(closed.problems.at(-1)?.reason).toContain('--control');
    for (const path of ['/unknown', '/_mock', '/_mock/inspector/unknown']) {
      expect((await send(closed, path)).text).toBe('{"error":"not_found","error_description":"Not Found"}');
    }
  } finally {
    await closed.stop();
  }
});

test.each([
  [{ control: true, publicURL: 'https://auth.example' }, 'leave out publicURL'],
  [{ control: true, host: '0.0.0.0', https: { key: 'k', cert: 'c' } }, 'set host to 127.0.0.1'],
  [{ control: 'yes' }, 'control must be true, false or { token }'],
  [{ control: { token: 'short' } }, 'control.token must have 128 random bits'],
])('%j fails with a message that names the fix', async (options, message) => {
  await expect(startMockProvider(options as never)).rejects.toThrow(message);
});

test('with a token, only requests that send it are allowed, also those of this process', async () => {
  await using guarded = await startMockProvider({ control: { token: 'Control-token-8fJ2kQx7' } });
  const statusOf = async (headers: Record<string, string>) =>
    (await guarded.fetch(`${guarded.issuer}/_mock/problems`, { headers })).status;
  expect(await statusOf({ authorization: 'Bearer Control-token-8fJ2kQx7' })).toBe(200);
  expect(await statusOf({ authorization: 'Bearer Control-token-of-another' })).toBe(401);
  expect(await statusOf({})).toBe(401);
});

test('clock, faults and records are those of the provider', async () => {
  const set = await callControl('POST', '/clock', { set: '2030-01-02T03:04:05.000Z', freeze: true });
  expect(set.json).toMatchObject({ now: provider.clock.now(), iso: '2030-01-02T03:04:05.000Z', isFrozen: true });
  expect((await callControl('POST', '/clock', { freeze: false })).json.isFrozen).toBe(false);
  expect(Math.abs((await callControl('POST', '/clock', { reset: true })).json.offset)).toBeLessThan(5000);

  const { profile: client } = provider.clients;
  const fault = { name: 'unavailable', always: true, endpoint: '/oauth/token', client: client.clientID };
  await callControl('POST', '/faults', fault);
  for (const _ of [1, 2]) expect((await redeem(provider, client, 'x')).status).toBe(503);
  await callControl('POST', '/faults', { name: 'wrongIssuer' });
  const { json: removed } = await callControl('DELETE', '/faults?name=wrongIssuer');
  expect(removed.queued).toMatchObject([{ name: 'unavailable', once: false }]);
  await callControl('DELETE', '/faults');

  const { json: before } = await callControl('GET', '/requests');
  expect(before.requests).toHaveLength(2);
  await tokensOf(provider, client);
  const { json: some } = await callControl('GET', `/requests?since=${before.next}&method=post&path=/oauth/token`);
  expect(some.requests).toMatchObject([{ clientID: client.clientID, status: 200, form: { code: '[masked]' } }]);
});

test('a wait for a request returns the first match, or 404 after the timeout', async () => {
  const waiting = callControl('GET', '/requests?path=/oauth/token&status=400&wait=30%20seconds');
  await redeem(provider, provider.clients.profile, 'x');
  expect((await waiting).json.requests).toMatchObject([{ path: '/oauth/token', status: 400 }]);
  const { status, json } = await callControl('GET', '/requests?path=/oauth/logout&wait=1ms');
  expect([status, json.error]).toEqual([404, 'no_such_request']);
  expect(json.message).toMatch(
    /^No request with path \/oauth\/logout arrived within 1ms\. .*\n.* POST \/oauth\/token 400/,
  );
  const { next } = (await callControl('GET', '/requests')).json;
  const another = callControl('GET', `/requests?path=/oauth/token&since=${next}&wait=30%20seconds`);
  await send(provider, '/.well-known/jwks.json');
  await redeem(provider, provider.clients.profile, 'y');
  expect((await another).json).toMatchObject({ requests: [{ path: '/oauth/token' }], next: next + 2 });
});

test('problems are listed; clinicians, clients and keys can be changed; a reset clears the records', async () => {
  await redeem(provider, provider.clients.profile, 'x');
  expect((await callControl('GET', '/problems')).json.problems).toMatchObject([
    { error: 'invalid_grant', rule: 'code-valid' },
  ]);
  const username = `alice ${Date.now()}`;
  const added = await callControl('POST', '/clinicians', { username, verified: false, password: 'secret' });
  expect([added.status, added.json]).toEqual([201, expect.objectContaining({ username, verified: false })]);
  expect(added.text).not.toContain('secret');
  expect((await callControl('PATCH', '/clinicians', { username, verified: true })).json.verified).toBe(true);
  const { json: client } = await callControl('POST', '/clients', {
    flow: 'profile',
    redirectURIs: ['http://127.0.0.1:5001/callback'],
    developer: username,
  });
  expect(await codeOf(provider, client)).toEqual(expect.any(String));
  const { json: rotated } = await callControl('POST', '/keys/rotate', {});
  expect(rotated.kid).toBe(provider.keys.current);
  expect((await callControl('POST', '/reset', {})).json).toEqual({ done: true });
  expect([provider.problems.length, provider.requests.length]).toEqual([0, 0]);
});

test('access tokens, or all tokens, of a clinician or client can be expired', async () => {
  const { openid } = provider.clients;
  const expire = async (expiry: object) => (await callControl('POST', '/grants/expire', expiry)).json.grants;
  const { access_token, refresh_token } = await tokensOf(provider, openid, { scope: 'openid basic' });
  expect(await expire({ username: 'verified', tokens: 'access' })).toBe(1);
  expect((await profile(provider, access_token)).status).toBe(401);
  const { json: fresh } = await refresh(provider, openid, refresh_token);
  expect((await profile(provider, fresh.access_token)).status).toBe(200);
  expect(await expire({ clientID: openid.clientID })).toBe(1);
  expect((await profile(provider, fresh.access_token)).status).toBe(401);
  expect((await refresh(provider, openid, fresh.refresh_token)).json.error).toBe('invalid_grant');
  const code = await codeOf(provider, openid);
  expect(await expire({ username: 'verified' })).toBe(1);
  expect((await redeem(provider, openid, code)).json.error).toBe('invalid_grant');
});

test('a selector without a clinician or client is refused', () => {
  expect(() => provider.expireGrants({})).toThrow('Select the grants by username or clientID.');
  expect(() => provider.revokeGrants({ user: 'verified' } as never)).toThrow('The options are: username, clientID.');
  expect(() => provider.revokeGrants({ username: 'nurse' })).toThrow('nurse');
});

test('a sign-in returns the URL of the redirect to the site', async () => {
  const url = authorizeURL(provider, provider.clients.openid, { state: 'abc' });
  const { json } = await callControl('POST', '/sign-in', { authorizeURL: url, as: 'verified' });
  expect(new URL(json.callback).searchParams.get('state')).toBe('abc');
  const again = authorizeURL(provider, provider.clients.openid, { prompt: 'consent' });
  const denied = await callControl('POST', '/sign-in', { authorizeURL: again, as: 'verified', deny: true });
  expect(new URL(denied.json.callback).searchParams.get('error')).toBe('access_denied');
});

test.each([
  ['POST', '/clock', { advnce: 1 }, 400, 'The body of POST /_mock/clock has no member "advnce". Did you mean advance?'],
  ['POST', '/clock', { advance: 'soon' }, 400, "advance must be a duration such as '30 minutes'"],
  ['DELETE', '/faults?name=badSignature', undefined, 400, 'No fault "badSignature" is queued.'],
  ['POST', '/sign-in', { authorizeURL: ELSEWHERE, as: 'verified' }, 400, 'authorizeURL must be an address of http://'],
  ['POST', '/sign-out', { logoutURL: ELSEWHERE, as: 'verified' }, 400, 'logoutURL must be an address of http://'],
  ['GET', '/requests?wait=31%20seconds', undefined, 400, 'wait must be a duration of at most 30 seconds'],
  ['GET', '/requests?since=x', undefined, 400, 'since must be a whole number, not "x".'],
  ['GET', '/clok', undefined, 404, 'There is no operation at "/_mock/clok". Did you mean /_mock/clock?'],
  ['GET', '/nothing', undefined, 404, 'The operations are: /_mock/clock, /_mock/faults, '],
  ['PUT', '/clock', {}, 405, '/_mock/clock allows only POST.'],
])('%s %s %j fails with a message that names the fix', async (method, path, body, status, message) => {
  const response = await callControl(method, path, body);
  expect(response.status).toBe(status);
  expect(Object.keys(response.json)).toEqual(['error', 'message']);
  expect(response.json.message).toContain(message);
  expect(response.headers.get('allow')).toBe(/allows only (.*)\.$/.exec(message)?.[1] ?? null);
});

describe('requests from outside', () => {
  const port = () => new URL(provider.issuer).port;
  const request = (headers: Record<string, string>, more: { method?: string; path?: string; body?: string } = {}) =>
    sendRaw(provider, { path: '/_mock/problems', ...more, headers });

  test.each(['127.0.0.1', 'localhost', '[::1]'])('Host %s with the port is accepted', async (name) => {
    expect((await request({ host: `${name}:${port()}` })).status).toBe(200);
  });

  test('an absolute target names the host, whatever the Host header has', async () => {
    const [own, other] = [`127.0.0.1:${port()}`, `other.example:${port()}`];
    const absolute = (host: string) => ({ path: `http://${host}/_mock/problems` });
    expect((await request({ host: other }, absolute(own))).status).toBe(200);
    expect((await request({ host: own }, absolute(other))).status).toBe(403);
    expect((await request({ host: own }, absolute(`user@${own}`))).status).toBe(403);
  });

  test('another Host is refused', async () => {
    for (const host of ['other.example', `other.example:${port()}`, `127.0.0.1.other.example:${port()}`, '127.0.0.1']) {
      const refusal = { status: 403, text: expect.stringContaining('is not the address of this mock provider') };
      expect([host, await request({ host })]).toEqual([host, expect.objectContaining(refusal)]);
    }
  });

  test.each([{ origin: 'https://evil.example' }, { origin: 'http://127.0.0.1:1' }, { 'sec-fetch-site': 'cross-site' }])(
    'a page of another origin is refused: %j',
    async (headers) => {
      const body = { method: 'POST', path: '/_mock/clock', body: '{"advance":"1 day"}' };
      const host = `127.0.0.1:${port()}`;
      const { status, headers: received } = await request({ host, ...JSON_BODY, ...(headers as object) }, body);
      expect([status, received['access-control-allow-origin']]).toEqual([403, undefined]);
      expect(Math.abs(provider.clock.now() - Date.now())).toBeLessThan(5000);
    },
  );

  test.each(['x-forwarded-for', 'forwarded', 'via'])('a request through a proxy is refused (%s)', async (name) => {
    expect((await request({ host: `127.0.0.1:${port()}`, [name]: '203.0.113.1' })).status).toBe(403);
  });

  test.each(['application/x-www-form-urlencoded', 'text/plain', undefined])(
    'a content type that a form can send is refused (%s)',
    async (type) => {
      const headers = { host: `127.0.0.1:${port()}`, ...(type && { 'content-type': type }) };
      const { status } = await request(headers, { method: 'POST', path: '/_mock/reset', body: '{}' });
      expect(status).toBe(415);
    },
  );

  test('a request from another machine is refused with any headers', async () => {
    const from = (remoteAddress: string | undefined) =>
      new Promise<number>((resolve) => {
        const headers = { host: `127.0.0.1:${port()}`, origin: provider.issuer };
        const socket = { remoteAddress, localPort: Number(port()) };
        const res = { writeHead: resolve, end: () => undefined, on: () => res, once: () => res, off: () => res };
        provider.app({ method: 'GET', url: '/_mock/problems', headers, socket } as never, res as never);
      });
    for (const address of ['203.0.113.9', '::ffff:10.0.0.1', '127.0.0.1.evil.example', undefined]) {
      expect([address, await from(address)]).toEqual([address, 403]);
    }
    for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) expect(await from(address)).toBe(200);
  });
});

test('a fault of every endpoint does not apply to the control API, which ends it', async () => {
  await callControl('POST', '/faults', { name: 'unavailable', endpoint: '*', always: true });
  expect((await send(provider, '/oauth/token', { method: 'POST' })).status).toBe(503);
  expect((await callControl('DELETE', '/faults')).json.queued).toEqual([]);
});

test('provider.fetch is allowed, except with another origin', async () => {
  const url = `${provider.issuer}/_mock/problems`;
  expect((await provider.fetch(url)).status).toBe(200);
  expect((await provider.fetch(url, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
});

describe.each(OPERATIONS)('$method /_mock$path', ({ method, path, body }) => {
  test('with an example succeeds', async () => {
    const { id_token } = await tokensOf(provider, provider.clients.openid);
    const logout = { id_token_hint: id_token, post_logout_redirect_uri: 'http://127.0.0.1:5001/' };
    const bodies: Record<string, object> = {
      '/sign-in': { authorizeURL: authorizeURL(provider, provider.clients.openid), as: 'verified' },
      '/sign-out': { logoutURL: `${provider.issuer}/oauth/logout?${new URLSearchParams(logout)}`, as: 'verified' },
    };
    const sent = body && (bodies[path] ?? EXAMPLES[`${method} ${path}`] ?? {});
    const { status, text } = await callControl(method, path, sent);
    expect([status < 300, text]).toEqual([true, text]);
  });

  test('refuses an unknown parameter or member', async () => {
    const sent = await (body ? callControl(method, path, { nonsense: 1 }) : callControl(method, `${path}?nonsense=1`));
    expect([sent.status, sent.json.message]).toEqual([400, expect.stringContaining('nonsense')]);
  });
});
