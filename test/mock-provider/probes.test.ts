import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import {
  api,
  authorization,
  codeOf,
  encode,
  type Fields,
  jwtPart,
  post,
  send,
  signIn,
  token,
  tokensOf,
  type Wired,
} from './wire.js';

// The engineers' acceptance list: each request gets the answer of the row that is named with it.
let provider: MockProvider;
let client: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
  client = provider.clients.openid;
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const ask = (fields: Fields, init: RequestInit = {}): Promise<Wired> =>
  send(provider, `/oauth/authorize?${encode(authorization(client, fields))}`, init);
const error = ({ location }: Wired): string | null =>
  location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error');

describe('authorization endpoint', () => {
  test('decision 36: ok', async () => {
    const { searchParams } = await signIn(provider, client);
    expect([...searchParams.keys()].sort()).toEqual(['code', 'session_state', 'state']);
  });

  test.each([
    ['decision 12: unknown client', { client_id: 'unknown' }],
    ['decision 13: unregistered redirect_uri', { redirect_uri: 'https://unregistered.example/' }],
    ['decision 13: missing redirect_uri', { redirect_uri: undefined }],
  ])('%s: a page', async (_, fields) => {
    const answer = await ask(fields);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['decision 17: response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['decision 24: code_challenge_method=plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['decision 29: prompt=none', { prompt: 'none' }, 'login_required'],
    ['decision 28: prompt=bogus', { prompt: 'bogus' }, 'invalid_request'],
    ['decision 19: response_mode=bogus', { response_mode: 'bogus' }, 'invalid_request'],
    ['decision 16: doubled state', { state: ['a', 'b'] }, 'invalid_request'],
  ])('%s: a redirect with %j', async (_, fields, code) => {
    const answer = await ask(fields);
    expect([answer.status, error(answer)]).toEqual([302, code]);
  });

  test('decision 31: prompt=create: the account creation page', async () => {
    const { status, text } = await ask({ prompt: 'create' });
    expect(status).toBe(200);
    expect(text).toMatch(/<h1>[^<]*account/i);
  });

  test('decision 19: response_mode=fragment', async () => {
    const callback = await signIn(provider, client, { response_mode: 'fragment' });
    expect([callback.search, new URLSearchParams(callback.hash.slice(1)).has('code')]).toEqual(['', true]);
  });

  test.each(['HEAD', 'PUT'])('decisions 1 and 2: %s', async (method) => {
    const { status, headers } = await ask({}, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('token endpoint', () => {
  const wrong = (): RegisteredClient => ({ ...client, clientSecret: 'bad secret' });
  const grant = { grant_type: 'authorization_code', redirect_uri: 'http://127.0.0.1:5001/callback' };

  test('decision 44: without authentication, and with a bad secret', async () => {
    for (const who of [undefined, wrong()]) {
      const { status, json, headers } = await token(provider, who, grant);
      expect([status, json.error, headers.has('www-authenticate')]).toEqual([401, 'invalid_client', true]);
    }
  });

  test.each([
    ['decision 48: bogus code', { ...grant, code: 'bogus', code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['decision 52: bogus refresh token', { grant_type: 'refresh_token', refresh_token: 'bogus' }, 'invalid_grant'],
    ['decision 47: bad grant_type', { grant_type: 'bad' }, 'unsupported_grant_type'],
  ])('%s', async (_, fields, code) => {
    const { status, json } = await token(provider, client, fields);
    expect([status, json.error]).toEqual([400, code]);
  });

  test('decision 40: GET, and a body in JSON', async () => {
    expect((await send(provider, '/oauth/token')).status).toBe(405);
    const body = JSON.stringify({ ...grant, code: await codeOf(provider, client) });
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await send(provider, '/oauth/token', { method: 'POST', headers, body });
    expect([status, json.error]).toEqual([400, 'invalid_request']);
  });
});

describe('userinfo', () => {
  test('decision 84: without a token, and with a bogus one', async () => {
    const [without, bogus] = [await api(provider, '/oauth/userinfo'), await api(provider, '/oauth/userinfo', 'bogus')];
    expect([without.status, bogus.status]).toEqual([401, 401]);
    expect(without.headers.get('www-authenticate')).not.toContain('error');
    expect(bogus.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('decision 83: POST', async () => {
    const { access_token, id_token } = await tokensOf(provider, client);
    const headers = { authorization: `Bearer ${access_token}` };
    const { status, json } = await send(provider, '/oauth/userinfo', { method: 'POST', headers });
    expect([status, json.sub]).toEqual([200, jwtPart(id_token, 'claims').sub]);
  });
});

describe('the rest', () => {
  test('decision 59: revoke without authentication', async () => {
    expect((await post(provider, '/oauth/revoke', undefined, { token: 'x' })).status).toBe(401);
  });

  test('decision 60: revoke an unknown token', async () => {
    const { status, text } = await post(provider, '/oauth/revoke', client, { token: 'unknown' });
    expect([status, text]).toEqual([200, '']);
  });

  test('decision 75: logout without parameters', async () => {
    const { status, headers } = await send(provider, '/oauth/logout');
    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  test('decision 78: logout to an unregistered address', async () => {
    const { id_token } = await tokensOf(provider, client);
    const query = encode({ id_token_hint: id_token, post_logout_redirect_uri: 'https://unregistered.example/' });
    const { status, headers } = await send(provider, `/oauth/logout?${query}`);
    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  test('decision 67: JWKS', async () => {
    const { keys } = (await send(provider, '/.well-known/jwks.json')).json;
    expect(keys).toEqual([expect.objectContaining({ kty: 'RSA', use: 'sig', alg: 'RS256' })]);
  });

  test.each(['openid-configuration', 'oauth-authorization-server'])('decisions 64 to 66: %s', async (name) => {
    const { status, json } = await send(provider, `/.well-known/${name}`);
    expect([status, json.issuer]).toEqual([200, provider.issuer]);
    expect(json.scopes_supported).toEqual(expect.arrayContaining(['openid', 'search']));
  });
});
