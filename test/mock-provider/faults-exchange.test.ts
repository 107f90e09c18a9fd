import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { authorizePath, plain, Visitor } from './pages/visitor.js';
import {
  api,
  codeOf,
  encode,
  GOODBYE_URI,
  jwtPart,
  post,
  profile,
  REDIRECT_URI,
  redeem,
  refresh,
  send,
  signIn,
  strict,
  tokensOf,
} from './wire.js';

let provider: MockProvider;
let client: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
  client = provider.clients.openid;
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const SCOPE = { scope: 'openid basic colleagues email' };
const remaining = () => provider.faults.queued.map((fault) => fault.remaining);

describe('a fault waits for the exchange that it is meant for', () => {
  test('one of a refresh lets logins pass', async () => {
    provider.faults.next('refreshWrongSubject');
    const { id_token, refresh_token } = await tokensOf(provider, client);
    expect(remaining()).toEqual([1]);
    const { json } = await refresh(provider, client, refresh_token);
    expect(jwtPart(json.id_token, 'claims').sub).not.toBe(jwtPart(id_token, 'claims').sub);
  });

  test('one of a nonce lets refreshes pass', async () => {
    const { refresh_token } = await tokensOf(provider, client, { nonce: 'mine' });
    provider.faults.next('wrongNonce');
    const { json } = await refresh(provider, client, refresh_token);
    expect(jwtPart(json.id_token, 'claims')).not.toHaveProperty('nonce');
    expect(remaining()).toEqual([1]);
  });

  test('one of c_hash lets the ID Token of the token endpoint pass', async () => {
    provider.faults.next('wrongCHash');
    await tokensOf(provider, client);
    expect(remaining()).toEqual([1]);
  });

  test('grantType chooses between codes and refreshes', async () => {
    provider.faults.next('serverError', { grantType: 'refresh_token' });
    const { refresh_token } = await tokensOf(provider, client);
    expect((await refresh(provider, client, refresh_token)).status).toBe(500);
    provider.faults.next('expired', { grantType: 'refresh_token' });
    const { json } = await refresh(provider, client, refresh_token);
    const { exp, iat } = jwtPart(json.id_token, 'claims') as Record<string, number>;
    expect(exp).toBeLessThan(iat as number);
  });

  test('endpoint chooses between the two ID Tokens of code id_token', async () => {
    provider.faults.next('wrongIssuer', { endpoint: '/oauth/token' });
    const callback = await signIn(provider, client, { response_type: 'code id_token', nonce: 'mine' });
    const sent = new URLSearchParams(callback.hash.slice(1));
    expect(jwtPart(sent.get('id_token') ?? '', 'claims').iss).toBe(provider.issuer);
    const { json } = await redeem(provider, client, sent.get('code') ?? '');
    expect(jwtPart(json.id_token, 'claims').iss).toBe('https://evil.example');
  });

  test('one of a good answer lets a refusal pass', async () => {
    provider.faults.next('missingAccessToken');
    provider.faults.next('refreshLost');
    expect((await redeem(provider, client, 'nobody-issued-this')).json.error).toBe('invalid_grant');
    expect((await refresh(provider, client, 'nobody-issued-this')).json.error).toBe('invalid_grant');
    expect(remaining()).toEqual([1, 1]);
  });

  test('one of state lets a client pass that sends none', async () => {
    provider.faults.next('missingState');
    const asked = { id_token_hint: (await tokensOf(provider, client, { state: undefined })).id_token };
    provider.faults.next('logoutMissingState');
    await send(provider, `/oauth/logout?${encode({ ...asked, post_logout_redirect_uri: GOODBYE_URI })}`);
    expect(remaining()).toEqual([1, 1]);
  });

  test('what a browser asks beforehand is not struck', async () => {
    provider.faults.next('serverError', { endpoint: '/oauth/userinfo' });
    expect((await send(provider, '/oauth/userinfo', { method: 'OPTIONS' })).status).toBe(204);
    expect((await api(provider, '/oauth/userinfo')).status).toBe(500);
  });

  test('two that wait for the same exchange strike one after the other', async () => {
    provider.faults.next('missingIat');
    provider.faults.next('missingExp');
    const first = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    const second = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    expect(['iat' in first, 'exp' in first, 'iat' in second, 'exp' in second]).toEqual([false, true, true, false]);
  });

  test('a fault on an answer is not used up by one that never comes', async () => {
    provider.faults.next('reset', { endpoint: '/oauth/userinfo' });
    provider.faults.next('responseLost', { endpoint: '/oauth/userinfo' });
    await expect(api(provider, '/oauth/userinfo')).rejects.toThrow();
    await expect(api(provider, '/oauth/userinfo')).rejects.toThrow();
    expect((await api(provider, '/oauth/userinfo')).status).toBe(401);
    expect(provider.requests.map(({ fault }) => fault)).toEqual(['reset', 'responseLost', undefined]);
  });

  test('nth is counted from where it was asked for, whatever else strikes', async () => {
    provider.faults.next('missingIat');
    provider.faults.next('missingExp', { nth: 2 });
    provider.faults.always('missingAzp');
    const missing = [];
    for (let login = 0; login < 3; login += 1) {
      const claims = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
      missing.push(['iat', 'exp', 'azp'].filter((name) => !(name in claims)));
    }
    expect(missing).toEqual([['iat'], ['exp'], ['azp']]);
  });

  test('one that is asked for once goes before one that strikes always', async () => {
    provider.faults.always('missingAzp');
    provider.faults.next('missingIat');
    const claims = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    expect(['azp' in claims, 'iat' in claims]).toEqual([true, false]);
  });

  test('faults of different places strike the same login', async () => {
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

describe('one client alone', () => {
  test('at the resource API and userinfo by its access token, in a form too', async () => {
    const other = strict(provider, 'openid', SCOPE);
    const mine = await tokensOf(provider, client, SCOPE);
    const theirs = await tokensOf(provider, other, SCOPE);
    provider.faults.next('serverError', { endpoint: '/api/v1/colleagues', client: other.clientID });
    expect((await api(provider, '/api/v1/colleagues', mine.access_token)).status).toBe(200);
    expect((await api(provider, '/api/v1/colleagues', theirs.access_token)).status).toBe(500);
    provider.faults.next('serverError', { endpoint: '/oauth/userinfo', client: other.clientID });
    const inForm = ({ access_token }: { access_token: string }) =>
      post(provider, '/oauth/userinfo', undefined, { access_token });
    expect((await inForm(mine)).status).toBe(200);
    expect((await inForm(theirs)).status).toBe(500);
  });

  test('at the logout by its ID Token', async () => {
    const other = strict(provider, 'openid', SCOPE);
    const theirs = await tokensOf(provider, other, SCOPE);
    const mine = await tokensOf(provider, client, SCOPE);
    provider.faults.next('serverError', { endpoint: '/oauth/logout', client: other.clientID });
    const leave = ({ id_token }: { id_token: string }) =>
      send(provider, `/oauth/logout?${encode({ id_token_hint: id_token, post_logout_redirect_uri: GOODBYE_URI })}`);
    expect((await leave(mine)).status).toBe(302);
    expect((await leave(theirs)).status).toBe(500);
  });

  test('a client that there is not is refused', () => {
    expect(() => provider.faults.next('delay', { client: 'nobody' })).toThrow(
      new TypeError('The fault delay: there is no client "nobody". Register it first.'),
    );
  });

  test('a provider that sends no iss cannot leave it out', () => {
    expect(() => provider.faults.next('missingIssParameter')).toThrow(/issParameter: true/);
  });
});

describe('what is kept', () => {
  test('a profile that the client has already is sent again, spoilt, and the good one after it', async () => {
    const { access_token } = await tokensOf(provider, client, SCOPE);
    const etag = (await profile(provider, access_token)).headers.get('etag') ?? '';
    const again = (tag: string) => api(provider, '/api/v1/users/current', access_token, { 'if-none-match': tag });
    expect((await again(etag)).status).toBe(304);
    provider.faults.next('profileWrongID');
    const altered = await again(etag);
    expect(altered.status).toBe(200);
    expect((await again(altered.headers.get('etag') ?? '')).json.id).toBe(provider.clinicians.get('verified').id);
  });

  test('where a fault waits to spoil a body, there is one: a client gets all, whatever it has already', async () => {
    const { access_token } = await tokensOf(provider, client, SCOPE);
    const etag = (await profile(provider, access_token)).headers.get('etag') ?? '';
    const again = () => api(provider, '/api/v1/users/current', access_token, { 'if-none-match': etag });
    provider.faults.next('wrongContentType', { endpoint: '/api/v1/users/current' });
    expect((await again()).headers.get('content-type')).toBe('text/plain');
    expect((await again()).status).toBe(304);
    const keys = (await send(provider, '/.well-known/jwks.json')).headers.get('etag') ?? '';
    provider.faults.next('truncatedJSON', { endpoint: '/.well-known/jwks.json' });
    await expect(send(provider, '/.well-known/jwks.json', { headers: { 'if-none-match': keys } })).rejects.toThrow();
  });

  test('metadata and keys that are spoilt are not to be kept', async () => {
    const etag = (await send(provider, '/.well-known/jwks.json')).headers.get('etag') ?? '';
    provider.faults.next('wrongKeys');
    const altered = await send(provider, '/.well-known/jwks.json', { headers: { 'if-none-match': etag } });
    expect([altered.status, altered.headers.get('cache-control'), altered.headers.get('etag')]).toEqual([
      200,
      'no-store',
      null,
    ]);
  });

  test('the clock of the server is off on the wire alone: tokens live as long as ever', async () => {
    provider.faults.next('serverClockOff', { offset: '1 day' });
    const { access_token, refresh_token } = await tokensOf(provider, client, SCOPE);
    expect((await profile(provider, access_token)).status).toBe(200);
    expect((await refresh(provider, client, refresh_token)).status).toBe(200);
  });

  test('a session that changed is right again after a silent sign-in', async () => {
    const check = (callback: URL) => {
      const sessionState = callback.searchParams.get('session_state') ?? '';
      return provider.checkSession({ clientID: client.clientID, sessionState, origin: new URL(REDIRECT_URI).origin });
    };
    provider.faults.next('oidcc-client-test-session-management');
    expect(check(await signIn(provider, client))).toBe('changed');
    expect(check(await signIn(provider, client, { prompt: 'none' }))).toBe('unchanged');
  });
});

test('userinfo that is signed is signed with the other subject in it', async () => {
  const signing = strict(provider, 'openid', { ...SCOPE, userinfoSignedResponseAlg: 'RS256' });
  const { access_token } = await tokensOf(provider, signing, SCOPE);
  provider.faults.next('oidcc-client-test-userinfo-invalid-sub');
  const { text } = await api(provider, '/oauth/userinfo', access_token);
  const [head, body, signature = ''] = text.split('.');
  const [key] = (await send(provider, '/.well-known/jwks.json')).json.keys;
  const publicKey = createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
  expect(verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  expect(jwtPart(text, 'claims').sub).toMatch(/^00000000-/);
});

test('accessTokenRefused strikes each resource that it is told to', async () => {
  const { access_token } = await tokensOf(provider, client, SCOPE);
  for (const endpoint of ['/api/v1/colleagues', '/api/v1/rate_limit', '/oauth/userinfo']) {
    provider.faults.next('accessTokenRefused', { endpoint });
    expect((await api(provider, endpoint, access_token)).status).toBe(401);
    expect((await api(provider, endpoint, access_token)).status).toBe(200);
  }
});

test('an error in the redirect of a fragment, and a state that is changed there', async () => {
  const asked = { response_mode: 'fragment' };
  provider.faults.next('authorizationError', { error: 'login_required' });
  const refused = new URLSearchParams((await signIn(provider, client, asked)).hash.slice(1));
  expect([refused.get('error'), refused.get('state')]).toEqual(['login_required', 'a state']);
  provider.faults.next('wrongState');
  expect((await signIn(provider, client, asked)).hash).toContain('state=another-state');
});

test('duplicateCallback: a page loads the callback, and leads to it a second later', async () => {
  const visitor = new Visitor(provider);
  provider.faults.next('duplicateCallback');
  const page = await visitor.signIn(await visitor.follow(await visitor.get(authorizePath(provider))), 'verified');
  const shown = await visitor.submit(page, { decision: 'approve' });
  const [, loaded = ''] = /<img src="([^"]*)"/.exec(shown.text) ?? [];
  const callback = new URL(plain(loaded));
  expect([shown.status, callback.origin + callback.pathname]).toEqual([200, REDIRECT_URI]);
  expect(shown.headers.get('refresh')).toBe(`1; url=${callback.href}`);
  expect(shown.headers.get('cache-control')).toBe('no-store');
  const code = callback.searchParams.get('code') ?? '';
  expect((await redeem(provider, client, code)).status).toBe(200);
  expect(provider.logins.map(({ outcome }) => outcome)).toEqual(['signed in']);
  expect((await redeem(provider, client, code)).json.error).toBe('invalid_grant');
  expect(JSON.stringify([provider.requests, provider.logins])).not.toContain(code);
});

test('a fault of a sandbox strikes there alone, and a redirect leads back into it', async () => {
  const sandbox = provider.sandbox();
  const path = '/.well-known/openid-configuration';
  sandbox.faults.next('redirectInsteadOfAnswer', { endpoint: path });
  expect((await send(provider, path)).status).toBe(200);
  expect(await send(sandbox, path)).toMatchObject({ status: 307, location: new URL(sandbox.issuer + path) });
  await sandbox.stop();
});
