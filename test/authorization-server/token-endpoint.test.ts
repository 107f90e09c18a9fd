import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { TokenResponseError } from '../../lib/authorization-server/token-endpoint.js';
import { createFetch, type Fetch, type FetchInit } from '../../lib/http/http.js';
import { hostile } from './hostile.js';
import { json } from './hostile-authorization-server.js';
import { clientOf, errorOf, outcomeOf, signIn, testClock } from './sign-in.js';

type Members = Record<string, unknown>;

const withMember = (name: string, value: unknown) => (members: Members) => ({ ...members, [name]: value });
const without = (name: string) => (members: Members) => {
  const { [name]: _, ...rest } = members;
  return rest;
};

describe('a token response', () => {
  // The profile flow has no ID Token that could cause the error.
  const profile = () => signIn(hostile, clientOf(hostile, { flow: 'profile' }));
  const profileWith = (change: (members: Members) => unknown) => {
    hostile.behaviour.token = change;
    return profile();
  };
  const errorFor = (respond: (response: ServerResponse) => void) => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => respond(response);
    return errorOf(profile());
  };

  test('is requested with Basic authentication in the openid flow, with any character in the secret', async () => {
    await signIn(hostile, clientOf(hostile));
    const [request] = hostile.requestsTo('/oauth/token');
    expect(request?.headers.authorization).toMatch(/^Basic /);
    expect([...(request?.form.keys() ?? [])].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri']);
    expect(request?.form.get('redirect_uri')).toBe(hostile.redirectURI);
  });

  test('is requested with form fields and without PKCE in the profile flow', async () => {
    await profile();
    const [request] = hostile.requestsTo('/oauth/token');
    expect(request?.headers.authorization).toBeUndefined();
    expect([...(request?.form.keys() ?? [])].sort()).toEqual([
      'client_id',
      'client_secret',
      'code',
      'grant_type',
      'redirect_uri',
    ]);
  });

  test.each<[string, (members: Members) => unknown]>([
    ['no access_token', without('access_token')],
    ['an empty access_token', withMember('access_token', '')],
    ['an access_token that is an object', withMember('access_token', { token: 'x' })],
    ['an access_token with a line break', withMember('access_token', 'a\r\nX-Injected: 1')],
    ['an access_token with NUL', withMember('access_token', 'a\0b')],
    ['an access_token with a space', withMember('access_token', 'a b')],
    ['an access_token with an umlaut', withMember('access_token', '\u00e4')],
    ['an error in a 200', () => ({ error: 'invalid_grant' })],
    ['no token_type', without('token_type')],
    ['token_type mac', withMember('token_type', 'mac')],
    ['token_type dpop', withMember('token_type', 'DPoP')],
    ['a token_type that is an array', withMember('token_type', ['bearer'])],
    ['a negative expires_in', withMember('expires_in', -1)],
    ['expires_in that is not a number', withMember('expires_in', 'soon')],
    ['a null expires_in', withMember('expires_in', null)],
    ['expires_in that is an object', withMember('expires_in', {})],
    ['expires_in in hex', withMember('expires_in', '0x10')],
    ['a numeric refresh_token', withMember('refresh_token', 1)],
    ['an empty refresh_token', withMember('refresh_token', '')],
    ['a refresh_token with NUL', withMember('refresh_token', 'a\0')],
    ['an id_token that is an object', withMember('id_token', {})],
    ['a scope that is an array', withMember('scope', ['basic'])],
    ['a scope with a quote', withMember('scope', 'ba"sic')],
    ['a scope of 1,001 characters', withMember('scope', 'basic'.padEnd(1_001, 'x'))],
    ['null', () => null],
    ['an array', () => []],
    ['a JSON string', () => '"planted"'],
    ['truncated JSON', (members) => JSON.stringify(members).slice(0, -1)],
    ['two documents', (members) => JSON.stringify(members) + JSON.stringify(members)],
    ['a member twice', (members) => `{"access_token":"other",${JSON.stringify(members).slice(1)}`],
    ['a byte order mark', (members) => `\ufeff${JSON.stringify(members)}`],
    [
      'deep nesting',
      (members) => `{"x":${'['.repeat(40_000)}${']'.repeat(40_000)},${JSON.stringify(members).slice(1)}`,
    ],
    ['an empty body', () => ''],
  ])('with %s is rejected', async (_, change) => {
    expect(await errorOf(profileWith(change))).toMatchObject({
      name: 'ProtocolError',
      code: 'response_malformed',
      remedy: 'investigate',
    });
  });

  const good = '{"access_token":"abc","token_type":"bearer","expires_in":60}';
  test.each<[string, string | undefined, string | Buffer]>([
    ['HTML', 'text/html', good],
    ['no content type', undefined, good],
    ['a type that only begins like JSON', 'application/jsonp', good],
    [
      'JSON in Latin-1 by its bytes',
      'application/json;charset=ISO-8859-1',
      Buffer.from(good.replace('abc"', 'abc","x":"\xe4"'), 'latin1'),
    ],
  ])('with %s is rejected', async (_, type, body) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect((await errorFor((response) => response.writeHead(200, headers).end(body))).code).toBe('response_malformed');
  });

  test.each([
    'application/json',
    'Application/JSON;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json;charset=ISO-8859-1',
    'application/json ; charset=utf-16; x="a;b,c\\"d"',
    'application/json;',
  ])('with the content type %s is accepted', async (type) => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) =>
      response.writeHead(200, { 'content-type': type }).end(good);
    expect((await profile()).tokens.accessToken.reveal()).toBe('abc');
  });

  test.each<[unknown, number]>([
    [1800, 1800],
    [0, 0],
    ['3600', 3600],
    [10.9, 10],
    [1e308, 366 * 86_400],
    [undefined, 3600],
  ])('with expires_in %j expires after %d seconds', async (value, seconds) => {
    const { tokens } = await profileWith(withMember('expires_in', value));
    expect(tokens.expiresAt).toBe((1_800_000_000 + seconds) * 1000);
  });

  test('expires as counted from the request: the response may be slow', async () => {
    const clock = testClock();
    hostile.behaviour.token = (members) => {
      clock.advance(30);
      return members;
    };
    const { tokens } = await signIn(hostile, clientOf(hostile, { flow: 'profile', clock }));
    expect(tokens.expiresAt).toBe((1_800_000_000 + 1800) * 1000);
  });

  test('with an infinite expires_in is bounded', async () => {
    const { tokens } = await profileWith((members) => JSON.stringify(members).replace('1800', '1e999'));
    expect(tokens.expiresAt).toBe((1_800_000_000 + 366 * 86_400) * 1000);
  });

  test('accepts Bearer in any case', async () => {
    expect((await profileWith(withMember('token_type', 'BeArEr'))).tokens.params.token_type).toBe('BeArEr');
  });

  test('has its own scope, or the requested one when it has none', async () => {
    expect((await profileWith(without('scope'))).tokens.scope).toEqual(['basic']);
    expect((await profileWith(withMember('scope', 'basic  email basic'))).tokens.scope).toEqual(['basic', 'email']);
    const longest = 'basic'.padEnd(1_000, 'x');
    expect((await profileWith(withMember('scope', longest))).tokens.scope).toEqual([longest]);
  });

  test('is valid without a refresh token', async () => {
    expect((await profileWith(without('refresh_token'))).tokens.refreshToken).toBeUndefined();
  });

  test('with __proto__ changes no object, and params omit it', async () => {
    const { tokens } = await profileWith(
      (members) =>
        `{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"prototype":1,${JSON.stringify(members).slice(1)}`,
    );
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect((tokens.params as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(Object.getPrototypeOf(tokens.params)).toBe(Object.prototype);
    expect(Object.getOwnPropertyNames(tokens.params)).not.toEqual(expect.arrayContaining(['__proto__']));
  });

  test.each([
    ['invalid_grant', 400, 'sign_in'],
    ['invalid_client', 401, 'fix_code'],
    ['unauthorized_client', 400, 'fix_code'],
    ['temporarily_unavailable', 400, 'retry'],
    ['some_new_error', 400, 'fix_code'],
  ])('with the error %s has its remedy', async (error, status, remedy) => {
    const thrown = (await errorFor((response) =>
      json(response, status, { error, error_description: 'why', error_uri: 'https://docs.example/x' }),
    )) as TokenResponseError;
    expect(thrown).toMatchObject({ name: 'TokenResponseError', code: error, error, remedy });
    expect(thrown).toMatchObject({ errorDescription: 'why', errorURI: 'https://docs.example/x' });
  });

  test('with unauthorized_client names the options that may be wrong', async () => {
    const { message } = await errorFor((response) => json(response, 401, { error: 'unauthorized_client' }));
    for (const option of ['clientID', 'clientSecret', 'flow']) expect(message).toContain(`'${option}'`);
  });

  test('with an error and a challenge has the error', async () => {
    const thrown = await errorFor((response) => {
      response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' });
      response.end('{"error":"invalid_client"}');
    });
    expect(thrown).toMatchObject({ code: 'invalid_client', remedy: 'fix_code' });
  });

  test.each<[number, string, string, string]>([
    [400, 'text/html', '<h1>Bad</h1>', 'response_malformed'],
    [400, 'application/json', '{}', 'response_malformed'],
    [400, 'application/json', '{"error":{}}', 'response_malformed'],
    [400, 'application/json', '{"error":"a\\nb"}', 'server_error'],
    [400, 'application/json', '{"error":"__proto__"}', 'server_error'],
    [400, 'application/json', '{"error":""}', 'server_error'],
    [403, 'application/json', '{"error":"invalid_code"}', 'invalid_code'],
    [404, 'application/json', '[]', 'response_malformed'],
    [201, 'application/json', good, 'response_malformed'],
    [204, 'application/json', '', 'response_malformed'],
    [302, 'application/json', '{"error":"invalid_grant"}', 'response_malformed'],
    [500, 'text/html', '<h1>Oops</h1>', 'service_error'],
    [503, 'application/json', '{"error":"invalid_grant"}', 'service_error'],
    [429, 'application/json', '{"message":"slow down"}', 'service_error'],
  ])('with status %d, %s and the body %s has its code', async (status, type, body, code) => {
    const thrown = await errorFor((response) => response.writeHead(status, { 'content-type': type }).end(body));
    expect(thrown).toMatchObject({ code, retryable: code.endsWith('_error') });
  });

  test.each([301, 302, 303, 307, 308])('with status %d is rejected, and the redirect not followed', async (status) => {
    const thrown = await errorFor((response) =>
      response.writeHead(status, { location: `${hostile.issuer}/elsewhere` }).end(),
    );
    expect(thrown.code).toBe('response_malformed');
    expect(hostile.requestsTo('/elsewhere')).toEqual([]);
    expect(hostile.requestsTo('/oauth/token')).toHaveLength(1);
  });

  test('is requested by the fetch option without redirects, and without another time limit', async () => {
    const realFetch = createFetch();
    const requests = new Map<string, FetchInit>();
    const fetch: Fetch = (url, init = {}) => {
      requests.set(new URL(url).pathname, init);
      return realFetch(url, init);
    };
    const client = clientOf(hostile, { fetch });
    const { tokens } = await signIn(hostile, client);
    await client.revoke(tokens.accessToken);
    expect([...requests.keys()].sort()).toEqual([
      '/.well-known/jwks.json',
      '/.well-known/openid-configuration',
      '/oauth/revoke',
      '/oauth/token',
    ]);
    for (const { redirect } of requests.values()) expect(redirect).toBe('manual');
    for (const path of ['/oauth/revoke', '/oauth/token']) expect(requests.get(path)?.signal).toBeUndefined();
  });

  test('with a compressed body is rejected without reading it', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const thrown = await errorFor((response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(thrown.code).toBe('response_malformed');
    expect(hostile.requestsTo('/oauth/token')[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('of more than 100 kB is not read', async () => {
    expect(await outcomeOf(profileWith(withMember('padding', 'x'.repeat(100_000))))).toBe('response_malformed');
  });

  test('that is missing on a closed connection causes a retryable error', async () => {
    expect(await errorFor((response) => response.destroy())).toMatchObject({
      code: 'service_unreachable',
      retryable: true,
    });
  });

  test('that is slow times out', async () => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    };
    const client = clientOf(hostile, { flow: 'profile', fetch: createFetch({ timeout: 1_000 }), clock: testClock() });
    expect(await errorOf(signIn(hostile, client))).toMatchObject({ code: 'service_unreachable', retryable: true });
  });

  test('of each of several concurrent requests has its own tokens, also after other requests', async () => {
    const client = clientOf(hostile);
    const signInThrice = () => Promise.all([1, 2, 3].map(() => signIn(hostile, client)));
    const results = [...(await signInThrice()), ...(await signInThrice())];
    expect(new Set(results.map(({ tokens }) => tokens.accessToken.reveal())).size).toBe(6);
    expect(new Set(results.map(({ tokens }) => tokens.idToken?.reveal())).size).toBe(6);
  });

  test('that is missing revokes no tokens of the response before', async () => {
    const client = clientOf(hostile);
    await signIn(hostile, client);
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => response.destroy();
    expect(await outcomeOf(signIn(hostile, client))).toBe('service_unreachable');
    expect(hostile.requestsTo('/oauth/revoke')).toEqual([]);
  });

  test('for a code that is redeemed 20 times concurrently succeeds once', async () => {
    const client = clientOf(hostile);
    const { url, transaction } = await client.request();
    const callback = hostile.authorize(url);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(client.redeem(callback, transaction))),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'invalid_grant')).toHaveLength(19);
  });

  test('for the code of another attempt is an error, because of its code challenge', async () => {
    const client = clientOf(hostile);
    const [mine, other] = [await client.request(), await client.request()];
    const stolen = hostile.authorize(other.url);
    stolen.set('state', mine.transaction.state);
    expect(await outcomeOf(client.redeem(stolen, mine.transaction))).toBe('invalid_grant');
  });
});
