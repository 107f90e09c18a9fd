import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type MockProvider,
  type RegisteredClient,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
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
  type WireResponse,
} from '../wire.js';

// One request for each important rule: an overview of how the provider responds.
let provider: MockProvider;
let client: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
  client = provider.clients.openid;
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const requestAuthorization = (fields: Fields, init: RequestInit = {}): Promise<WireResponse> =>
  send(provider, `/oauth/authorize?${encode(authorization(client, fields))}`, init);
const error = ({ location }: WireResponse): string | null =>
  location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error');

describe('authorization endpoint', () => {
  test('a valid request returns code, state and session_state', async () => {
    const { searchParams } = await signIn(provider, client);
    expect([...searchParams.keys()].sort()).toEqual(['code', 'session_state', 'state']);
  });

  test.each([
    ['client-id-known', { client_id: 'unknown' }],
    ['redirect-uri-exact-match', { redirect_uri: 'https://unregistered.example/' }],
    ['redirect-uri-required', { redirect_uri: undefined }],
  ])('%s: a violation is shown on a page', async (_, fields) => {
    const response = await requestAuthorization(fields);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['response-type-supported', { response_type: 'token' }, 'unsupported_response_type'],
    ['pkce-s256-only', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['prompt-none-without-ui', { prompt: 'none' }, 'login_required'],
    ['prompt-known', { prompt: 'bogus' }, 'invalid_request'],
    ['response-mode-supported', { response_mode: 'bogus' }, 'invalid_request'],
    ['state-sent-once', { state: ['a', 'b'] }, 'invalid_request'],
  ])('%s: a violation with %j is redirected', async (_, fields, code) => {
    const response = await requestAuthorization(fields);
    expect([response.status, error(response)]).toEqual([302, code]);
  });

  test('prompt=create shows the account creation page', async () => {
    const { status, text } = await requestAuthorization({ prompt: 'create' });
    expect(status).toBe(200);
    expect(text).toMatch(/<h1>[^<]*account/i);
  });

  test('response_mode=fragment returns the error in the fragment', async () => {
    const callback = await signIn(provider, client, { response_mode: 'fragment' });
    expect([callback.search, new URLSearchParams(callback.hash.slice(1)).has('code')]).toEqual(['', true]);
  });

  test.each(['HEAD', 'PUT'])('%s gets 405', async (method) => {
    const { status, headers } = await requestAuthorization({}, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('token endpoint', () => {
  const wrong = (): RegisteredClient => ({ ...client, clientSecret: 'bad secret' });
  const grant = { grant_type: 'authorization_code', redirect_uri: 'http://127.0.0.1:5001/callback' };

  test('client-authenticated: a request without authentication or with a wrong secret gets 401', async () => {
    for (const wrongClient of [undefined, wrong()]) {
      const { status, json, headers } = await token(provider, wrongClient, grant);
      expect([status, json.error, headers.has('www-authenticate')]).toEqual([401, 'invalid_client', true]);
    }
  });

  test.each([
    ['code-valid', { ...grant, code: 'bogus', code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['refresh-token-valid', { grant_type: 'refresh_token', refresh_token: 'bogus' }, 'invalid_grant'],
    ['grant-type-supported', { grant_type: 'bad' }, 'unsupported_grant_type'],
  ])('%s: a violation with %j is refused', async (_, fields, code) => {
    const { status, json } = await token(provider, client, fields);
    expect([status, json.error]).toEqual([400, code]);
  });

  test('GET and a JSON body are refused', async () => {
    expect((await send(provider, '/oauth/token')).status).toBe(405);
    const body = JSON.stringify({ ...grant, code: await codeOf(provider, client) });
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await send(provider, '/oauth/token', { method: 'POST', headers, body });
    expect([status, json.error]).toEqual([400, 'invalid_request']);
  });
});

describe('userinfo', () => {
  test('a request without a token or with an invalid one gets 401', async () => {
    const [without, bogus] = [await api(provider, '/oauth/userinfo'), await api(provider, '/oauth/userinfo', 'bogus')];
    expect([without.status, bogus.status]).toEqual([401, 401]);
    expect(without.headers.get('www-authenticate')).not.toContain('error');
    expect(bogus.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('POST with a token in the form returns the claims', async () => {
    const { access_token, id_token } = await tokensOf(provider, client);
    const headers = { authorization: `Bearer ${access_token}` };
    const { status, json } = await send(provider, '/oauth/userinfo', { method: 'POST', headers });
    expect([status, json.sub]).toEqual([200, jwtPart(id_token, 'claims').sub]);
  });
});

describe('other endpoints', () => {
  test('a revocation without authentication gets 401', async () => {
    expect((await post(provider, '/oauth/revoke', undefined, { token: 'x' })).status).toBe(401);
  });

  test('a revocation of an unknown token gets 200', async () => {
    const { status, text } = await post(provider, '/oauth/revoke', client, { token: 'unknown' });
    expect([status, text]).toEqual([200, '']);
  });

  test('logout without parameters shows a page', async () => {
    const { status, headers } = await send(provider, '/oauth/logout');
    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  test('logout to an unregistered URI shows a page', async () => {
    const { id_token } = await tokensOf(provider, client);
    const query = encode({ id_token_hint: id_token, post_logout_redirect_uri: 'https://unregistered.example/' });
    const { status, headers } = await send(provider, `/oauth/logout?${query}`);
    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  test('the JWKS has public keys', async () => {
    const { keys } = (await send(provider, '/.well-known/jwks.json')).json;
    expect(keys).toEqual([expect.objectContaining({ kty: 'RSA', use: 'sig', alg: 'RS256' })]);
  });

  test.each(['openid-configuration', 'oauth-authorization-server'])('%s has the issuer', async (name) => {
    const { status, json } = await send(provider, `/.well-known/${name}`);
    expect([status, json.issuer]).toEqual([200, provider.issuer]);
    expect(json.scopes_supported).toEqual(expect.arrayContaining(['openid', 'search']));
  });
});
