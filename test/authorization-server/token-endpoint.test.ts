import type { ServerResponse } from 'node:http';
import { describe, expect, jest, test } from '@jest/globals';
import type { TokenResponseError } from '../../lib/authorization-server/token-endpoint.js';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { createFetch, type Fetch, type FetchInit } from '../../lib/http/http.js';
import { hostile } from './hostile.js';
import { json } from './hostile-authorization-server.js';
import {
  clientOf,
  errorOf,
  type Members,
  outcomeOf,
  refusalOf,
  signIn,
  testClock,
  withMember,
  without,
} from './sign-in.js';

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
    ['an error in a 200', () => ({ error: 'invalid_grant' })],
    ['no token_type', without('token_type')],
    ['token_type DPoP', withMember('token_type', 'DPoP')],
    ['a token_type that is an array', withMember('token_type', ['bearer'])],
    ['a negative expires_in', withMember('expires_in', -1)],
    ['expires_in that is not a number', withMember('expires_in', 'soon')],
    ['expires_in in hex', withMember('expires_in', '0x10')],
    ['a numeric refresh_token', withMember('refresh_token', 1)],
    ['a refresh_token with NUL', withMember('refresh_token', 'a\0')],
    ['an id_token that is an object', withMember('id_token', {})],
    ['a scope that is an array', withMember('scope', ['basic'])],
    ['a scope with a quote', withMember('scope', 'ba"sic')],
    ['a scope of 1,001 characters', withMember('scope', 'basic'.padEnd(1_001, 'x'))],
    ['a member twice', (members) => `{"access_token":"other",${JSON.stringify(members).slice(1)}`],
  ])('with %s is rejected', async (_, change) => {
    expect(await errorOf(profileWith(change))).toMatchObject({
      name: 'ProtocolError',
      code: 'response_malformed',
      remedy: 'investigate',
    });
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

  test.each<[number, string, string]>([
    [400, '{}', 'response_malformed'],
    [400, '{"error":{}}', 'response_malformed'],
    [400, '{"error":"__proto__"}', 'server_error'],
    [403, '{"error":"invalid_code"}', 'invalid_code'],
    [201, '{"access_token":"abc","token_type":"bearer"}', 'response_malformed'],
    [302, '{"error":"invalid_grant"}', 'response_malformed'],
    [307, '{"error":"invalid_grant"}', 'response_malformed'],
    [500, '<h1>Oops</h1>', 'service_error'],
    [503, '{"error":"invalid_grant"}', 'service_error'],
    [429, '{"message":"slow down"}', 'service_error'],
  ])('with status %d and the body %s has its code, and no redirect is followed', async (status, body, code) => {
    const thrown = await errorFor((response) => {
      response.setHeader('location', '/elsewhere');
      json(response, status, body);
    });
    expect(thrown).toMatchObject({ code, retryable: code.endsWith('_error') });
    expect([hostile.requestsTo('/elsewhere'), hostile.requestsTo('/oauth/token').length]).toEqual([[], 1]);
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

  test('that is missing revokes no tokens of the response before', async () => {
    const client = clientOf(hostile);
    await signIn(hostile, client);
    hostile.behaviour.endpoints['/oauth/token'] = (_, response) => response.destroy();
    expect(await outcomeOf(signIn(hostile, client))).toBe('service_unreachable');
    expect(hostile.requestsTo('/oauth/revoke')).toEqual([]);
  });

  test('for the code of another attempt is an error, because of its code challenge', async () => {
    const client = clientOf(hostile);
    const [mine, other] = [await client.request(), await client.request()];
    const stolen = hostile.authorize(other.url);
    stolen.set('state', mine.transaction.state);
    expect(await outcomeOf(client.redeem(stolen, mine.transaction))).toBe('invalid_grant');
  });
});

const REVOKE = '/oauth/revoke';
const revokedTokens = () => hostile.requestsTo(REVOKE).map(({ form }) => form.get('token'));

/** Captures the tokens of the latest token response, which `change` has altered. */
function respondWith(change: (members: Members) => Members): { latest: Members } {
  const issued: { latest: Members } = { latest: {} };
  hostile.behaviour.token = (members) => {
    issued.latest = change(members);
    return issued.latest;
  };
  return issued;
}

describe('the tokens of a token response that is refused are revoked', () => {
  test.each<[string, (members: Members) => Members, string]>([
    ['its ID Token is invalid', (members) => ({ ...members, id_token: `${members.id_token}x` }), 'id_token_invalid'],
    ['it has no ID Token', ({ id_token, ...members }) => members, 'id_token_missing'],
    ['its token type is not Bearer', withMember('token_type', 'mac'), 'response_malformed'],
    ['its scope is invalid', withMember('scope', 'ba"sic'), 'response_malformed'],
    ['its access token is missing', ({ access_token, ...members }) => members, 'response_malformed'],
  ])('at a sign-in where %s', async (_, change, code) => {
    const issued = respondWith(change);
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe(code);
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });

  test.each<[string, (members: Members) => Members]>([
    ['missing', ({ refresh_token, ...members }) => members],
    ['empty', withMember('refresh_token', '')],
    ['a number', withMember('refresh_token', 1)],
  ])('by the access token where the refresh token is %s', async (_, change) => {
    const issued = respondWith((members) => change({ ...members, token_type: 'mac' }));
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
    expect(revokedTokens()).toEqual([issued.latest.access_token]);
  });

  test('where the signing keys are unavailable', async () => {
    hostile.behaviour.endpoints['/.well-known/jwks.json'] = (_, response) => json(response, 503, {});
    const issued = respondWith((members) => members);
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('service_error');
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });

  test.each<[string, (tokens: TokenSet) => TokenSet, (members: Members) => Members, string]>([
    ['has more scope', (tokens) => tokens, withMember('scope', 'openid basic'), 'scope_widened'],
    ['is for another user', (tokens) => ({ ...tokens, subject: 'x' }), Object, 'id_token_subject_changed'],
    ['is malformed', (tokens) => tokens, withMember('expires_in', -1), 'response_malformed'],
  ])('at a refresh whose response %s', async (_, changeTokens, change, code) => {
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    const issued = respondWith(change);
    expect(await refusalOf(client.refresh(changeTokens(tokens)))).toBe(code);
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });
});

describe('no token is revoked', () => {
  test('where the response is accepted', async () => {
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    await client.refresh(tokens);
    expect(revokedTokens()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['an error', { error: 'invalid_grant' }],
    ['no tokens', {}],
    ['no JSON object', 'x'],
  ])('where the response has %s', async (_, body) => {
    hostile.behaviour.token = () => body;
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
    expect(revokedTokens()).toEqual([]);
  });

  test('twice, and the error remains that of the response, where the revocation fails', async () => {
    hostile.behaviour.endpoints[REVOKE] = (_, response) => json(response, 503, {});
    respondWith(withMember('token_type', 'mac'));
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
    expect(revokedTokens()).toHaveLength(1);
  });
});

test('a revocation without a response delays the error by two seconds at most', async () => {
  hostile.behaviour.endpoints[REVOKE] = () => undefined;
  respondWith(withMember('token_type', 'mac'));
  const timer = globalThis.setTimeout;
  // The time is waited for in four parts.
  const shorten = (call: (part: number) => void, ms?: number, part = 0) => timer(call, ms === 500 ? 0 : ms, part);
  const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(shorten as typeof setTimeout);
  expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
  expect(timers.mock.calls.filter(([, ms]) => ms === 500)).toHaveLength(4);
  timers.mockRestore();
});
