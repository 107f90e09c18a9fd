import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultName, RegisteredClient } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath, unescapeHTML, Visitor } from '../visitor.js';
import {
  api,
  codeOf,
  encode,
  jwtPart,
  POST_LOGOUT_URI,
  post,
  profile,
  REDIRECT_URI,
  redeem,
  refresh,
  registerStrict,
  send,
  tokensOf,
} from '../wire.js';

let client: RegisteredClient;
beforeAll(() => {
  client = provider.clients.openid;
});

const SCOPE = { scope: 'openid basic colleagues email' };
const queued = () => provider.faults.queued.length;

describe('a fault waits for a matching exchange', () => {
  test('a fault of a refresh does not apply to a sign-in', async () => {
    provider.faults.next('wrongSubject', { grantType: 'refresh_token' });
    const { id_token, refresh_token } = await tokensOf(provider, client);
    expect(queued()).toBe(1);
    const { json } = await refresh(provider, client, refresh_token);
    expect(jwtPart(json.id_token, 'claims').sub).not.toBe(jwtPart(id_token, 'claims').sub);
  });

  test('a fault of a successful response does not apply to an error', async () => {
    provider.faults.next('missingAccessToken');
    expect((await redeem(provider, client, 'never-issued')).json.error).toBe('invalid_grant');
    expect(queued()).toBe(1);
  });

  test('a fault of state does not apply to a client that sends none', async () => {
    provider.faults.next('missingState');
    const hint = { id_token_hint: (await tokensOf(provider, client, { state: undefined })).id_token };
    provider.faults.next('logoutMissingState');
    await send(provider, `/oauth/logout?${encode({ ...hint, post_logout_redirect_uri: POST_LOGOUT_URI })}`);
    expect(queued()).toBe(2);
  });

  test('a fault does not apply to a CORS preflight request', async () => {
    provider.faults.next('serverError', { endpoint: '/oauth/userinfo' });
    expect((await send(provider, '/oauth/userinfo', { method: 'OPTIONS' })).status).toBe(204);
    expect((await api(provider, '/oauth/userinfo')).status).toBe(500);
  });

  test('two faults of the same kind apply to successive exchanges', async () => {
    provider.faults.next('missingIat');
    provider.faults.next('missingExp');
    const first = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    const second = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    expect(['iat' in first, 'exp' in first, 'iat' in second, 'exp' in second]).toEqual([false, true, true, false]);
  });

  test('next() takes precedence over always()', async () => {
    provider.faults.always('missingAzp');
    provider.faults.next('missingIat');
    const claims = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    expect(['azp' in claims, 'iat' in claims]).toEqual([true, false]);
  });

  test('faults of different kinds apply to the same exchange', async () => {
    provider.faults.next('wrongIssuer');
    provider.faults.next('missingRefreshToken');
    provider.faults.next('wrongContentType');
    const { json, headers, text } = await redeem(provider, client, await codeOf(provider, client));
    expect([json, headers.get('content-type')]).toEqual([undefined, 'text/plain']);
    const body = JSON.parse(text);
    expect([jwtPart(body.id_token, 'claims').iss, body.refresh_token]).toEqual(['https://evil.example', undefined]);
    expect(provider.requests.at(-1)?.fault).toBe('wrongIssuer, missingRefreshToken, wrongContentType');
  });
});

test('the client of a fault is identified by the access token at the resource API and userinfo, in a form too', async () => {
  const other = registerStrict(provider, 'openid', SCOPE);
  const own = await tokensOf(provider, client, SCOPE);
  const others = await tokensOf(provider, other, SCOPE);
  provider.faults.next('serverError', { endpoint: '/api/v1/colleagues', client: other.clientID });
  expect((await api(provider, '/api/v1/colleagues', own.access_token)).status).toBe(200);
  expect((await api(provider, '/api/v1/colleagues', others.access_token)).status).toBe(500);
  provider.faults.next('serverError', { endpoint: '/oauth/userinfo', client: other.clientID });
  const inForm = ({ access_token }: { access_token: string }) =>
    post(provider, '/oauth/userinfo', undefined, { access_token });
  expect((await inForm(own)).status).toBe(200);
  expect((await inForm(others)).status).toBe(500);
});

describe('caching', () => {
  test('a profile that always has a fault gets 304 with the ETag that it was sent with', async () => {
    const { access_token } = await tokensOf(provider, client, SCOPE);
    const current = (headers = {}) => api(provider, '/api/v1/users/current', access_token, headers);
    const original = (await current()).headers.get('etag') ?? '';
    provider.faults.always('profileWrongID');
    const changed = (await current({ 'if-none-match': original })).headers.get('etag') ?? '';
    const { status, text, headers } = await current({ 'if-none-match': changed });
    expect([status, text, headers.get('etag'), headers.get('content-type')]).toEqual([304, '', changed, null]);
  });

  test.each([
    ['profileWrongID', '/api/v1/users/current'],
    ['wrongKeys', '/.well-known/jwks.json'],
  ] as const)('a conditional request gets a body with %s, once', async (name, path) => {
    const { access_token } = await tokensOf(provider, client, SCOPE);
    const original = await api(provider, path, access_token);
    const again = () => api(provider, path, access_token, { 'if-none-match': original.headers.get('etag') ?? '' });
    provider.faults.next(name);
    const changed = await again();
    expect(changed.status).toBe(200);
    expect(changed.text).not.toBe(original.text);
    expect((await again()).status).toBe(304);
  });
});

test('a failure of the resource API has its rate-limit headers, and one of a proxy in front of it has none', async () => {
  const { access_token } = await tokensOf(provider, client, SCOPE);
  await profile(provider, access_token);
  const headersOf = async (name: FaultName) => {
    provider.faults.next(name, { endpoint: '/api/v1/users/current' });
    const { headers } = await profile(provider, access_token);
    return ['limit', 'remaining', 'reset'].map((member) => headers.get(`x-rate-limit-${member}`));
  };
  const { headers } = await api(provider, '/api/v1/rate_limit', access_token);
  const current = ['5000', '4999', headers.get('x-rate-limit-reset')];
  expect(await headersOf('accessTokenRefused')).toEqual(current);
  expect(await headersOf('errorWithSuccess')).toEqual(current);
  for (const name of ['serverError', 'unavailable', 'unexpectedRedirect'] as const) {
    expect(await headersOf(name)).toEqual([null, null, null]);
  }
  provider.faults.next('accessTokenRefused', { endpoint: '/oauth/userinfo' });
  expect((await api(provider, '/oauth/userinfo', access_token)).headers.get('x-rate-limit-limit')).toBeNull();
});

test('duplicateCallback sends a page that loads the callback and opens it a second later', async () => {
  const visitor = new Visitor(provider);
  provider.faults.next('duplicateCallback');
  const page = await visitor.signIn(await visitor.follow(await visitor.get(authorizePath(provider))), 'verified');
  const sent = await visitor.submit(page, { decision: 'approve' });
  const [, loaded = ''] = /<img src="([^"]*)"/.exec(sent.text) ?? [];
  const callback = new URL(unescapeHTML(loaded));
  expect([sent.status, callback.origin + callback.pathname]).toEqual([200, REDIRECT_URI]);
  expect(sent.headers.get('refresh')).toBe(`1; url=${callback.href}`);
  expect(sent.headers.get('cache-control')).toBe('no-store');
  const code = callback.searchParams.get('code') ?? '';
  expect((await redeem(provider, client, code)).status).toBe(200);
  expect(provider.logins.map(({ outcome }) => outcome)).toEqual(['signed in']);
  expect((await redeem(provider, client, code)).json.error).toBe('invalid_grant');
  expect(JSON.stringify([provider.requests, provider.logins])).not.toContain(code);
});
