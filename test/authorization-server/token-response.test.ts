import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { TokenResponseError } from '../../lib/authorization-server/token-response.js';
import { createFetch } from '../../lib/http.js';
import { HostileAuthorizationServer, json } from './hostile-authorization-server.js';
import { clientOf, errorOf, outcomeOf, signIn, testClock } from './sign-in.js';

type Members = Record<string, unknown>;

const withMember = (name: string, value: unknown) => (members: Members) => ({ ...members, [name]: value });
const without = (name: string) => (members: Members) => {
  const { [name]: _, ...rest } = members;
  return rest;
};

describe('a token response', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  // The profile flow has no ID Token that could be at fault instead.
  const profile = () => signIn(hostile, clientOf(hostile, { flow: 'profile' }));
  const profileWith = (change: (members: Members) => unknown) => {
    hostile.behaviour.token = change;
    return profile();
  };
  const answering = (answer: (response: ServerResponse) => void) => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => answer(response);
    return errorOf(profile());
  };

  test('attack 22: the openid flow authenticates by Basic, with every character of the secret', async () => {
    await signIn(hostile, clientOf(hostile));
    const [request] = hostile.asked('/oauth/token');
    expect(request?.headers.authorization).toMatch(/^Basic /);
    expect([...(request?.form.keys() ?? [])].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri']);
    expect(request?.form.get('redirect_uri')).toBe(hostile.redirectURI);
  });

  test('the profile flow authenticates by form fields, without PKCE', async () => {
    await profile();
    const [request] = hostile.asked('/oauth/token');
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
    ['attack 206: no access_token', without('access_token')],
    ['attack 206: an empty access_token', withMember('access_token', '')],
    ['attack 206: an access_token of an object', withMember('access_token', { token: 'x' })],
    ['attack 163: an access_token with a line break', withMember('access_token', 'a\r\nX-Injected: 1')],
    ['attack 163: an access_token with NUL', withMember('access_token', 'a\0b')],
    ['attack 163: an access_token with a space', withMember('access_token', 'a b')],
    ['attack 163: an access_token with an umlaut', withMember('access_token', '\u00e4')],
    ['attack 206: an error in a 200', () => ({ error: 'invalid_grant' })],
    ['attack 207: no token_type', without('token_type')],
    ['attack 207: token_type mac', withMember('token_type', 'mac')],
    ['attack 207: token_type dpop', withMember('token_type', 'DPoP')],
    ['attack 207: a token_type of another type', withMember('token_type', ['bearer'])],
    ['attack 194: a negative expires_in', withMember('expires_in', -1)],
    ['attack 194: expires_in of words', withMember('expires_in', 'soon')],
    ['attack 194: a null expires_in', withMember('expires_in', null)],
    ['attack 194: expires_in of an object', withMember('expires_in', {})],
    ['attack 194: expires_in in hex', withMember('expires_in', '0x10')],
    ['a refresh_token of another type', withMember('refresh_token', 1)],
    ['an empty refresh_token', withMember('refresh_token', '')],
    ['a refresh_token with NUL', withMember('refresh_token', 'a\0')],
    ['an id_token of another type', withMember('id_token', {})],
    ['a scope of another type', withMember('scope', ['basic'])],
    ['a scope with a quote', withMember('scope', 'ba"sic')],
    ['attack 205: null', () => null],
    ['attack 205: an array', () => []],
    ['attack 205: text', () => '"planted"'],
    ['attack 205: truncated JSON', (members) => JSON.stringify(members).slice(0, -1)],
    ['attack 205: two documents', (members) => JSON.stringify(members) + JSON.stringify(members)],
    ['attack 205: a member twice', (members) => `{"access_token":"other",${JSON.stringify(members).slice(1)}`],
    ['attack 205: a byte order mark', (members) => `\ufeff${JSON.stringify(members)}`],
    [
      'attack 205: deep nesting',
      (members) => `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)},${JSON.stringify(members).slice(1)}`,
    ],
    ['nothing at all', () => ''],
  ])('%s is refused', async (_, change) => {
    expect(await errorOf(profileWith(change))).toMatchObject({
      name: 'ProtocolError',
      code: 'token_response_malformed',
      remedy: 'investigate',
    });
  });

  const good = '{"access_token":"abc","token_type":"bearer","expires_in":60}';
  test.each<[string, string | undefined, string | Buffer]>([
    ['HTML', 'text/html', good],
    ['no type', undefined, good],
    ['a type that only begins like JSON', 'application/jsonp', good],
    ['attack 205: JSON in Latin-1 by its label', 'application/json; charset=ISO-8859-1', good],
    [
      'attack 205: JSON in Latin-1 by its bytes',
      'application/json',
      Buffer.from(good.replace('abc"', 'abc","x":"\xe4"'), 'latin1'),
    ],
  ])('attack 205: %s is refused', async (_, type, body) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect((await answering((response) => response.writeHead(200, headers).end(body))).code).toBe(
      'token_response_malformed',
    );
  });

  test.each(['application/json', 'Application/JSON;charset=utf-8', 'application/json; charset="UTF-8"'])(
    'JSON by the label %s is read',
    async (type) => {
      hostile.behaviour.endpoints['/oauth/token'] = (_, response) =>
        response.writeHead(200, { 'content-type': type }).end(good);
      expect((await profile()).tokens.accessToken.reveal()).toBe('abc');
    },
  );

  test.each<[unknown, number]>([
    [1800, 1800],
    [0, 0],
    ['3600', 3600],
    [10.9, 10],
    [1e308, 366 * 86_400],
    [undefined, 3600],
  ])('attack 194: expires_in %j is %d seconds', async (value, seconds) => {
    const { tokens } = await profileWith(withMember('expires_in', value));
    expect(tokens.expiresAt).toBe((1_800_000_000 + seconds) * 1000);
  });

  test('attack 194: expires_in beyond all numbers is refused or bounded', async () => {
    const { tokens } = await profileWith((members) => JSON.stringify(members).replace('1800', '1e999'));
    expect(tokens.expiresAt).toBe((1_800_000_000 + 366 * 86_400) * 1000);
  });

  test('attack 207: Bearer in any case', async () => {
    expect((await profileWith(withMember('token_type', 'BeArEr'))).tokens.params.token_type).toBe('BeArEr');
  });

  test("the scope is the server's word, or else what was asked for", async () => {
    expect((await profileWith(without('scope'))).tokens.scope).toEqual(['basic']);
    expect((await profileWith(withMember('scope', 'basic  email basic'))).tokens.scope).toEqual(['basic', 'email']);
  });

  test('no refresh token is no fault', async () => {
    expect((await profileWith(without('refresh_token'))).tokens.refreshToken).toBeUndefined();
  });

  test('attack 212: __proto__ in it changes no object, and does not come out', async () => {
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
    ['__proto__', 400, 'fix_code'],
  ])('the error %s is told with its remedy', async (error, status, remedy) => {
    const told = (await answering((response) =>
      json(response, status, { error, error_description: 'why', error_uri: 'https://docs.example/x' }),
    )) as TokenResponseError;
    expect(told).toMatchObject({ name: 'TokenResponseError', code: error, error, remedy });
    expect(told).toMatchObject({ errorDescription: 'why', errorURI: 'https://docs.example/x' });
  });

  test('a challenge beside the error takes nothing from it', async () => {
    const told = await answering((response) => {
      response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' });
      response.end('{"error":"invalid_client"}');
    });
    expect(told).toMatchObject({ code: 'invalid_client', remedy: 'fix_code' });
  });

  test.each<[number, string, string, string]>([
    [400, 'text/html', '<h1>Bad</h1>', 'token_response_malformed'],
    [400, 'application/json', '{}', 'token_response_malformed'],
    [400, 'application/json', '{"error":{}}', 'token_response_malformed'],
    [400, 'application/json', '{"error":"a\\nb"}', 'token_response_malformed'],
    [404, 'application/json', '[]', 'token_response_malformed'],
    [201, 'application/json', good, 'token_response_malformed'],
    [204, 'application/json', '', 'token_response_malformed'],
    [500, 'text/html', '<h1>Oops</h1>', 'service_error'],
    [503, 'application/json', '{"error":"invalid_grant"}', 'service_error'],
    [429, 'application/json', '{"message":"slow down"}', 'service_error'],
  ])('status %d with %s %s', async (status, type, body, code) => {
    const told = await answering((response) => response.writeHead(status, { 'content-type': type }).end(body));
    expect(told).toMatchObject({ code, retryable: code === 'service_error' });
  });

  test.each([301, 302, 303, 307, 308])(
    'attack 7, 202: a %d is not followed, so neither code nor secret goes on',
    async (status) => {
      const told = await answering((response) =>
        response.writeHead(status, { location: `${hostile.issuer}/elsewhere` }).end(),
      );
      expect(told.code).toBe('token_response_malformed');
      expect(hostile.asked('/elsewhere')).toEqual([]);
      expect(hostile.asked('/oauth/token')).toHaveLength(1);
    },
  );

  test('attack 210: a compressed answer is refused unread', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const told = await answering((response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(told.code).toBe('response_encoded');
    expect(hostile.asked('/oauth/token')[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('attack 204: more than a megabyte is not read', async () => {
    expect(await outcomeOf(profileWith(withMember('padding', 'x'.repeat(1_100_000))))).toBe('response_too_large');
  });

  test('attack 98, 211: a connection that is closed with no answer is a typed error', async () => {
    expect(await answering((response) => response.destroy())).toMatchObject({
      code: 'service_unreachable',
      retryable: true,
    });
  });

  test('attack 203, 210: an answer that trickles is given up', async () => {
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    };
    const client = clientOf(hostile, { flow: 'profile', fetch: createFetch({ timeout: 60 }), clock: testClock() });
    expect(await errorOf(signIn(hostile, client))).toMatchObject({ code: 'service_timeout', retryable: true });
  });

  test('attack 223: a code redeemed twenty times at once signs in once', async () => {
    const client = clientOf(hostile);
    const { url, transaction } = await client.request();
    const callback = hostile.authorize(url);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(client.redeem(callback, transaction))),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'invalid_grant')).toHaveLength(19);
  });

  test("attack 98: another attempt's code fails by its challenge", async () => {
    const client = clientOf(hostile);
    const [mine, other] = [await client.request(), await client.request()];
    const stolen = hostile.authorize(other.url);
    stolen.set('state', mine.transaction.state);
    expect(await outcomeOf(client.redeem(stolen, mine.transaction))).toBe('invalid_grant');
  });
});
