import { createHash, verify } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type RegisteredClient, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import {
  basic,
  CHALLENGE,
  codeFields,
  codeOf,
  encode,
  type Fields,
  jwtPart,
  post,
  profile,
  REDIRECT_URI,
  redeem,
  refresh,
  registerStrict,
  revoke,
  send,
  signIn,
  token,
  tokensOf,
  VERIFIER,
  type WireResponse,
} from '../wire.js';

let formA: RegisteredClient;
let formB: RegisteredClient;
beforeAll(() => {
  ({ profile: formA, openid: formB } = provider.clients);
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const outcome = ({ status, json }: WireResponse): [number, string | undefined] => [status, json.error];
const INVALID_GRANT = [400, 'invalid_grant'];
const INVALID_CLIENT = [401, 'invalid_client'];
const INVALID_REQUEST = [400, 'invalid_request'];

describe('a token request', () => {
  test('with a valid secret in the query is refused', async () => {
    const query = encode({ client_id: formA.clientID, client_secret: formA.clientSecret });
    const body = encode(codeFields(formA, await codeOf(provider, formA)));
    const response = await send(provider, `/oauth/token?${query}`, { method: 'POST', headers: FORM, body });
    expect(outcome(response)).toEqual(INVALID_REQUEST);
  });

  test.each([
    [`${FORM['content-type']}; charset=UTF-8`, 200],
    [`${FORM['content-type']};charset="utf-8"`, 200],
    [`${FORM['content-type']}; charset=iso-8859-1`, 400],
    [`${FORM['content-type']}; x=y; charset=utf-16`, 400],
    ['multipart/form-data', 400],
  ])('and a revocation request with the content type %s have the status %d', async (type, status) => {
    const headers = { 'content-type': type };
    const { access_token } = await tokensOf(provider, formB);
    const fields = codeFields(formB, await codeOf(provider, formB));
    expect((await token(provider, formB, fields, headers)).status).toBe(status);
    expect((await post(provider, '/oauth/revoke', formB, { token: access_token }, headers)).status).toBe(status);
    if (status === 400) expect(provider.problems.at(-1)?.rule).toBe('form-body-required');
  });
});

test('every token response, also an error, has the three headers', async () => {
  const responses = [
    await redeem(provider, formA, await codeOf(provider, formA)),
    await redeem(provider, formB, await codeOf(provider, formB)),
    await redeem(provider, formB, 'bogus'),
    await token(provider, undefined, {}),
    await send(provider, '/oauth/token', { method: 'POST', body: '{}' }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 401, 400]);
  for (const { headers } of responses) {
    expect(headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
  }
});

describe('Basic credentials', () => {
  const withHeader = (authorization: string) =>
    token(provider, undefined, { grant_type: 'refresh_token' }, { authorization });
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('with the scheme in any case are accepted', async () => {
    const { json } = await withHeader(basic(formB).replace('Basic', 'bASIC'));
    expect(json.error_description).toBe('refresh_token is missing');
  });

  test.each([
    ['that are not base64', 'Basic ???'],
    ['without a colon', `Basic ${base64('default-openid')}`],
    ['with an invalid percent sign', `Basic ${base64('default-openid:%')}`],
    ['that are not UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`],
  ])('%s are refused', async (_, header) => {
    expect(outcome(await withHeader(header))).toEqual(INVALID_REQUEST);
  });

  test.each(['s+ecret', 's:e:cret==', '%41 ', "~!*'()"])(
    'with the secret %j are accepted in each form-url-encoding',
    async (clientSecret) => {
      const client = registerStrict(provider, 'openid', { clientSecret, clientID: `client:${clientSecret}` });
      const encoders = [
        encodeURIComponent,
        (text: string) => new URLSearchParams([['', text]]).toString().slice(1),
        // Some clients encode every character that is not a letter or a digit.
        (text: string) => text.replace(/[^A-Za-z0-9]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`),
      ];
      for (const encoder of encoders) {
        const header = `Basic ${base64(`${encoder(client.clientID)}:${encoder(clientSecret)}`)}`;
        expect((await withHeader(header)).json.error_description).toBe('refresh_token is missing');
      }
    },
  );
});

test.each<[string, Fields, Record<string, string>]>([
  ['an unknown client', {}, { authorization: basic({ clientID: 'unknown', clientSecret: 'x' }) }],
  ['a wrong secret', {}, { authorization: basic({ clientID: 'default-openid', clientSecret: 'x' }) }],
  ['another scheme', {}, { authorization: 'Bearer abc' }],
  ['no secret', {}, {}],
  ['an empty secret', { client_id: 'default-profile', client_secret: '' }, {}],
  ['a wrong secret in the body', { client_id: 'default-profile', client_secret: 'wrong' }, {}],
])('client authentication fails with 401 for %s', async (_, fields, headers) => {
  const response = await token(provider, undefined, { grant_type: 'authorization_code', ...fields }, headers);
  expect(outcome(response)).toEqual(INVALID_CLIENT);
  expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"$/);
});

describe('two client authentications', () => {
  test('Basic and a valid secret in the body are refused', async () => {
    const body = { client_id: formA.clientID, client_secret: formA.clientSecret };
    expect(outcome(await token(provider, undefined, body, { authorization: basic(formA) }))).toEqual(INVALID_REQUEST);
    expect(provider.problems.at(-1)?.rule).toBe('single-client-authentication');
  });

  test('another client_id in the body is refused', async () => {
    expect(outcome(await token(provider, formB, { client_id: formA.clientID }))).toEqual(INVALID_REQUEST);
    expect(provider.problems.at(-1)?.rule).toBe('client-id-matches-authentication');
  });

  test('the same client_id in the body is accepted', async () => {
    const code = await codeOf(provider, formB);
    expect((await redeem(provider, formB, code, { client_id: formB.clientID })).status).toBe(200);
  });
});

describe('the client authentication of a flow', () => {
  test('the profile flow is refused by Basic', async () => {
    const code = await codeOf(provider, formA);
    const response = await token(provider, undefined, codeFields(formA, code), { authorization: basic(formA) });
    expect(outcome(response)).toEqual(INVALID_CLIENT);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(provider.problems.at(-1)).toMatchObject({ rule: 'client-secret-post-only' });
    expect((await redeem(provider, formA, code)).status).toBe(200);
  });

  test('the profile flow is refused in the body when it is registered with client_secret_basic', async () => {
    const client = registerStrict(provider, 'profile', { tokenEndpointAuthMethod: 'client_secret_basic' });
    const code = await codeOf(provider, client);
    expect(outcome(await redeem(provider, client, code))).toEqual(INVALID_CLIENT);
    const fields = codeFields(client, code);
    expect((await token(provider, undefined, fields, { authorization: basic(client) })).status).toBe(200);
  });

  test('the openid flow is refused in the body', async () => {
    const secret = { client_id: formB.clientID, client_secret: formB.clientSecret };
    const code = await codeOf(provider, formB);
    expect(outcome(await token(provider, undefined, codeFields(formB, code, secret)))).toEqual(INVALID_CLIENT);
    expect((await redeem(provider, formB, code)).status).toBe(200);
  });
});

describe('grant_type', () => {
  test.each(['client_credentials', 'password', 'AUTHORIZATION_CODE'])('%s is refused as unsupported', async (type) => {
    const fields = { grant_type: type, username: 'verified', password: 'clinician' };
    expect(outcome(await token(provider, formA, fields))).toEqual([400, 'unsupported_grant_type']);
  });

  test('that the client is not registered for is refused', async () => {
    const client = registerStrict(provider, 'openid', { grantTypes: ['authorization_code'] });
    const tokens = await tokensOf(provider, client);
    expect(outcome(await refresh(provider, client, tokens.refresh_token))).toEqual([400, 'unauthorized_client']);
  });

  test('of a blacklisted client is refused', async () => {
    const client = registerStrict(provider, 'openid');
    const code = await codeOf(provider, client);
    provider.blacklist(client.clientID);
    expect(outcome(await redeem(provider, client, code))).toEqual([400, 'unauthorized_client']);
    provider.unblacklist(client.clientID);
    expect((await redeem(provider, client, code)).status).toBe(200);
  });
});

describe('a code', () => {
  test('without code or redirect_uri is refused with invalid_request', async () => {
    const code = await codeOf(provider, formB);
    expect(outcome(await redeem(provider, formB, code, { code: undefined }))).toEqual(INVALID_REQUEST);
    expect(outcome(await redeem(provider, formB, code, { redirect_uri: undefined }))).toEqual(INVALID_REQUEST);
  });

  test('that is unknown, expired, of another client, or with another redirect_uri is refused', async () => {
    const code = await codeOf(provider, formB);
    const altered = `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of ['bogus', altered, `${code} `, code.slice(1), code.toLowerCase()]) {
      expect(outcome(await redeem(provider, formB, wrong))).toEqual(INVALID_GRANT);
    }
    expect(outcome(await redeem(provider, registerStrict(provider, 'openid'), code))).toEqual(INVALID_GRANT);
    for (const uri of [`${REDIRECT_URI}/`, 'http://127.0.0.1:5002/callback', `${REDIRECT_URI}?x`]) {
      expect(outcome(await redeem(provider, formB, code, { redirect_uri: uri }))).toEqual(INVALID_GRANT);
    }
    provider.clock.advance('301 seconds');
    expect(outcome(await redeem(provider, formB, code))).toEqual(INVALID_GRANT);
  });

  test('remains valid after a failed attempt', async () => {
    const code = await codeOf(provider, formB);
    await redeem(provider, formB, code, { redirect_uri: 'http://127.0.0.1:1/' });
    await redeem(provider, formB, code, { code_verifier: 'x'.repeat(43) });
    await redeem(provider, registerStrict(provider, 'openid'), code);
    expect((await redeem(provider, formB, code)).status).toBe(200);
  });

  test('cannot be a refresh token or an access token', async () => {
    const { access_token, refresh_token } = await tokensOf(provider, formA);
    expect(outcome(await redeem(provider, formA, access_token))).toEqual(INVALID_GRANT);
    expect(outcome(await redeem(provider, formA, refresh_token))).toEqual(INVALID_GRANT);
    expect(outcome(await refresh(provider, formA, access_token))).toEqual(INVALID_GRANT);
    expect((await profile(provider, access_token)).status).toBe(200);
    expect((await profile(provider, refresh_token)).status).toBe(401);
  });
});

describe('code_verifier', () => {
  test.each([
    ['missing', undefined],
    ['wrong', 'x'.repeat(43)],
    ['equal to the challenge', CHALLENGE],
  ])('%s is refused', async (_, verifier) => {
    const code = await codeOf(provider, formB);
    expect(outcome(await redeem(provider, formB, code, { code_verifier: verifier }))).toEqual(INVALID_GRANT);
  });

  test('malformed is refused, even if its hash is the challenge', async () => {
    const short = 'short';
    const challenge = createHash('sha256').update(short).digest('base64url');
    const code = await codeOf(provider, formB, { code_challenge: challenge });
    expect(outcome(await redeem(provider, formB, code, { code_verifier: short }))).toEqual(INVALID_GRANT);
  });

  test('for a code without code_challenge is refused', async () => {
    const code = await codeOf(provider, formA);
    expect(outcome(await redeem(provider, formA, code, { code_verifier: VERIFIER }))).toEqual(INVALID_GRANT);
    const lax = registerStrict(provider, 'openid', { requirePKCE: false });
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expect(outcome(await redeem(provider, lax, await codeOf(provider, lax, without)))).toEqual(INVALID_GRANT);
  });
});

describe('a second use of a code', () => {
  test('revokes its tokens and their successors', async () => {
    const code = await codeOf(provider, formA);
    const first = (await redeem(provider, formA, code)).json;
    const second = (await refresh(provider, formA, first.refresh_token)).json;
    provider.clock.advance('30 seconds');
    expect((await profile(provider, second.access_token)).status).toBe(200);
    expect(outcome(await redeem(provider, formA, code))).toEqual(INVALID_GRANT);
    expect((await profile(provider, second.access_token)).status).toBe(401);
    expect(outcome(await refresh(provider, formA, second.refresh_token))).toEqual(INVALID_GRANT);
    expect(provider.problems.map(({ rule }) => rule)).toContain('code-single-use');
  });

  test('revokes them also after the code expired', async () => {
    const code = await codeOf(provider, formA);
    let tokens = (await redeem(provider, formA, code)).json;
    for (let days = 0; days < 60; days += 20) {
      provider.clock.advance('20 days');
      tokens = (await refresh(provider, formA, tokens.refresh_token)).json;
    }
    expect(outcome(await redeem(provider, formA, code))).toEqual(INVALID_GRANT);
    expect((await profile(provider, tokens.access_token)).status).toBe(401);
  });
});

describe('the token response', () => {
  test('of the profile flow has no scope and no ID Token', async () => {
    const { json } = await redeem(provider, formA, await codeOf(provider, formA, { scope: 'basic colleagues' }));
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.any(String),
    });
  });

  test('of the openid flow has scope and ID Token', async () => {
    const { json } = await redeem(provider, formB, await codeOf(provider, formB));
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 1800,
      refresh_token: expect.any(String),
      scope: 'openid',
      id_token: expect.any(String),
    });
  });

  test('of the openid flow without openid has no ID Token', async () => {
    const { json } = await redeem(provider, formB, await codeOf(provider, formB, { scope: 'basic' }));
    expect([json.scope, json.id_token]).toEqual(['basic', undefined]);
  });

  test.each([
    ['2 minutes', 120],
    [1500, 2],
    [0.5, 1],
  ])('of %s has that expires_in, the difference of exp and iat, and expires then', async (accessToken, seconds) => {
    await using other = await startMockProvider({ lifetimes: { accessToken } });
    const { profile: clientA, openid: clientB } = other.clients;
    other.clock.freeze();
    other.clock.set(1_900_000_000_999.75);
    expect(await tokensOf(other, clientA)).toMatchObject({ expires_in: seconds });
    const code = await signIn(other, clientB, { response_type: 'code id_token', nonce: 'n' });
    const first = await tokensOf(other, clientB, { scope: 'openid basic' });
    const { json: second } = await refresh(other, clientB, first.refresh_token);
    const tokens = [new URLSearchParams(code.hash.slice(1)).get('id_token') ?? '', first.id_token, second.id_token];
    const claims = tokens.map((one) => jwtPart(one, 'claims'));
    expect(claims.map(({ exp, iat }) => Number(exp) - Number(iat))).toEqual([seconds, seconds, seconds]);
    expect([first.expires_in, second.expires_in]).toEqual([seconds, seconds]);
    other.clock.advance(seconds * 1000 - 1);
    expect((await profile(other, second.access_token)).status).toBe(200);
    other.clock.advance(1);
    expect((await profile(other, second.access_token)).status).toBe(401);
  });
});

describe('a refresh token', () => {
  test('that is missing, unknown, altered, revoked or of another client is refused', async () => {
    const { refresh_token } = await tokensOf(provider, formB);
    expect(outcome(await token(provider, formB, { grant_type: 'refresh_token' }))).toEqual(INVALID_REQUEST);
    const altered = `${refresh_token.slice(0, -1)}${refresh_token.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of ['bogus', altered, `${refresh_token}x`]) {
      expect(outcome(await refresh(provider, formB, wrong))).toEqual(INVALID_GRANT);
    }
    expect(outcome(await refresh(provider, registerStrict(provider, 'openid'), refresh_token))).toEqual(INVALID_GRANT);
    const next = await refresh(provider, formB, refresh_token);
    expect(next.status).toBe(200);
    await revoke(provider, formB, next.json.refresh_token);
    expect(outcome(await refresh(provider, formB, next.json.refresh_token))).toEqual(INVALID_GRANT);
  });

  test('expires 30 days after the last use', async () => {
    provider.clock.freeze();
    let { refresh_token } = await tokensOf(provider, formB);
    for (let i = 0; i < 3; i += 1) {
      provider.clock.advance('29 days');
      const { status, json } = await refresh(provider, formB, refresh_token);
      expect(status).toBe(200);
      refresh_token = json.refresh_token;
    }
    provider.clock.advance('30 days');
    expect(outcome(await refresh(provider, formB, refresh_token))).toEqual(INVALID_GRANT);
  });

  test('has the configured lifetime, and the access token outlives it', async () => {
    await using other = await startMockProvider({ lifetimes: { refreshToken: '10 minutes', accessToken: '1 hour' } });
    const { access_token, refresh_token } = await tokensOf(other, other.clients.profile);
    other.clock.advance('11 minutes');
    expect(outcome(await refresh(other, other.clients.profile, refresh_token))).toEqual(INVALID_GRANT);
    expect((await profile(other, access_token)).status).toBe(200);
  });
});

test('a refresh revokes the old pair at once and returns a new one', async () => {
  const old = await tokensOf(provider, formA);
  const { json } = await refresh(provider, formA, old.refresh_token);
  expect((await profile(provider, old.access_token)).status).toBe(401);
  expect((await profile(provider, json.access_token)).status).toBe(200);
  expect(new Set([old.access_token, old.refresh_token, json.access_token, json.refresh_token]).size).toBe(4);
});

describe('scope at a refresh', () => {
  const all = 'openid basic colleagues';

  test('narrows the access token, not the refresh token', async () => {
    const { refresh_token } = await tokensOf(provider, formB, { scope: all });
    const narrow = (await refresh(provider, formB, refresh_token, { scope: 'colleagues' })).json;
    expect(narrow.scope).toBe('colleagues');
    expect(narrow).not.toHaveProperty('id_token');
    expect((await profile(provider, narrow.access_token)).status).toBe(403);
    const wide = (await refresh(provider, formB, narrow.refresh_token)).json;
    expect(wide.scope.split(' ').sort()).toEqual(all.split(' ').sort());
    expect(wide).toHaveProperty('id_token');
    expect((await profile(provider, wide.access_token)).status).toBe(200);
  });

  test.each(['openid basic email', 'bogus', 'basic "'])('%s is refused when it was not granted', async (scope) => {
    const { refresh_token } = await tokensOf(provider, formB, { scope: all });
    expect(outcome(await refresh(provider, formB, refresh_token, { scope }))).toEqual([400, 'invalid_scope']);
    expect((await refresh(provider, formB, refresh_token)).status).toBe(200);
  });
});

describe('a second use of a refresh token', () => {
  test('revokes the current pair', async () => {
    const first = await tokensOf(provider, formA);
    const second = (await refresh(provider, formA, first.refresh_token)).json;
    const third = (await refresh(provider, formA, second.refresh_token)).json;
    expect(outcome(await refresh(provider, formA, first.refresh_token))).toEqual(INVALID_GRANT);
    expect(provider.problems.at(-1)).toMatchObject({ rule: 'refresh-token-single-use', endpoint: '/oauth/token' });
    expect((await profile(provider, third.access_token)).status).toBe(401);
    expect(outcome(await refresh(provider, formA, third.refresh_token))).toEqual(INVALID_GRANT);
  });

  test('by another client revokes no token', async () => {
    const first = await tokensOf(provider, formA);
    const { access_token } = (await refresh(provider, formA, first.refresh_token)).json;
    await refresh(provider, registerStrict(provider, 'profile'), first.refresh_token);
    expect((await profile(provider, access_token)).status).toBe(200);
  });

  test('does not revoke the tokens of other sign-ins of the clinician', async () => {
    const other = await tokensOf(provider, formA);
    const first = await tokensOf(provider, formA);
    await refresh(provider, formA, first.refresh_token);
    await refresh(provider, formA, first.refresh_token);
    expect((await profile(provider, other.access_token)).status).toBe(200);
  });

  test('in 20 parallel refreshes succeeds exactly once', async () => {
    const { refresh_token } = await tokensOf(provider, formB);
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(provider, formB, refresh_token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ json }) => json.error === 'invalid_grant')).toHaveLength(19);
  });
});

test('a refresh returns a new ID Token of the same login without nonce', async () => {
  const first = await tokensOf(provider, formB, { nonce: 'my nonce' });
  const before = jwtPart(first.id_token, 'claims');
  provider.clock.advance('20 minutes');
  const { json } = await refresh(provider, formB, first.refresh_token);
  const after = jwtPart(json.id_token, 'claims');
  expect(before.nonce).toBe('my nonce');
  expect(after).not.toHaveProperty('nonce');
  for (const name of ['iss', 'sub', 'aud', 'azp', 'auth_time']) expect(after[name]).toEqual(before[name]);
  for (const name of ['iat', 'exp']) expect(Number(after[name]) - Number(before[name])).toBeGreaterThanOrEqual(1200);
  const half = createHash('sha256').update(json.access_token).digest().subarray(0, 16);
  expect(after.at_hash).toBe(half.toString('base64url'));
});

test('the ID Token has the claims of the service spec', async () => {
  provider.clock.freeze();
  provider.clock.set('2026-03-01T12:00:00.700Z');
  const signedIn = provider.clock.now();
  await signIn(provider, formB);
  provider.clock.advance('10 minutes');
  const { id_token, access_token } = await tokensOf(provider, formB, { nonce: 'n-0S6' });
  const { kid, ...header } = jwtPart(id_token, 'header');
  expect(header).toEqual({ alg: 'RS256' });
  const iat = Math.floor(provider.clock.now() / 1000);
  expect(jwtPart(id_token, 'claims')).toEqual({
    iss: provider.issuer,
    sub: provider.clinicians.get('verified').sub,
    aud: [provider.issuer, formB.clientID],
    azp: formB.clientID,
    exp: iat + 1800,
    iat,
    auth_time: Math.floor(signedIn / 1000),
    at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
    nonce: 'n-0S6',
  });
  const { json } = await send(provider, '/.well-known/jwks.json');
  const key = json.keys.find((one: { kid: unknown }) => one.kid === kid);
  const [head, claims, signature = ''] = id_token.split('.');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, format: 'jwk' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned).toBe(true);
  expect(jwtPart((await tokensOf(provider, formB)).id_token, 'claims')).not.toHaveProperty('nonce');
});

test('sub is a UUID, different for each user, and not the email address', async () => {
  const subs = ['verified', 'pending', 'minimal'].map((name) => provider.clinicians.get(name).sub);
  expect(new Set(subs).size).toBe(3);
  for (const sub of subs) expect(sub).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('codes and tokens are opaque, long and different', async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 5; i += 1) {
    const code = await codeOf(provider, formA);
    const { access_token, refresh_token } = (await redeem(provider, formA, code)).json;
    for (const one of [code, access_token, refresh_token]) {
      expect(one).toMatch(/^[\w-]{43,}$/);
      seen.add(one);
    }
  }
  expect(seen.size).toBe(15);
});
