import { verify } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { jwtPart, send, sendRaw, tokensOf } from '../wire.js';

const OPENID = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';
const JWKS = '/.well-known/jwks.json';

const kids = async (): Promise<string[]> =>
  (await send(provider, JWKS)).json.keys.map(({ kid }: { kid: string }) => kid);

test.each([OPENID, OAUTH, JWKS])('the document %s is cacheable and gets 304 for its ETag', async (path) => {
  const { status, headers } = await send(provider, path);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const etag = headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[^"]+"$/);
  for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await sendRaw(provider, { path, headers: { 'if-none-match': tags } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
  }
  expect((await sendRaw(provider, { path, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

test('the OpenID configuration has the required and recommended members', async () => {
  const { json } = await send(provider, OPENID);
  expect(json).toMatchObject({
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    prompt_values_supported: ['none', 'login', 'consent', 'create'],
    display_values_supported: ['page', 'popup'],
    request_uri_parameter_supported: false,
  });
  expect(json.claims_supported).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time', 'at_hash', 'email']));
});

test('the metadata has the lists of the service spec, and every endpoint of it responds', async () => {
  const common = ['authorization_endpoint', 'jwks_uri', 'revocation_endpoint', 'token_endpoint', 'userinfo_endpoint'];
  for (const [path, names] of [
    [OAUTH, common],
    [OPENID, [...common, 'check_session_iframe', 'end_session_endpoint']],
  ] as const) {
    const { json } = await send(provider, path);
    expect(json.scopes_supported).toEqual(expect.arrayContaining(['search', 'openid', 'basic', 'colleagues', 'email']));
    expect(json.response_types_supported).toEqual(['code', 'code id_token']);
    expect(json.token_endpoint_auth_methods_supported).toEqual(['client_secret_basic']);
    expect(json.token_endpoint_auth_signing_alg_values_supported).toEqual(['RS256']);
    expect(json.ui_locales_supported).toEqual(['en-US']);
    const named = Object.entries(json as Record<string, unknown>).filter(
      ([name]) => /_(endpoint|iframe|uri)$/.test(name) && !name.startsWith('request_'),
    );
    expect(named.map(([name]) => name).sort()).toEqual([...names].sort());
    for (const [, address] of named) {
      expect(String(address).startsWith(`${provider.issuer}/`)).toBe(true);
      expect((await send(provider, new URL(String(address)).pathname, { method: 'OPTIONS' })).status).toBe(204);
    }
  }
});

describe('the JWKS', () => {
  test('has only public members, and each kid names a test key', async () => {
    const { json, text } = await send(provider, JWKS);
    for (const key of json.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', kid: expect.stringContaining('test') });
      expect(Buffer.from(key.n, 'base64url')).toHaveLength(256);
    }
    expect((await send(provider, OPENID)).json.jwks_uri).toBe(`${provider.issuer}${JWKS}`);
    expect(text).not.toMatch(/"(d|p|q|dp|dq|qi)"/);
  });

  test('has the current and the previous key after publish() and rotate()', async () => {
    const isSigned = async (token: string): Promise<boolean> => {
      const [header, claims, signature = ''] = token.split('.');
      const { keys } = (await send(provider, JWKS)).json;
      const key = keys.find(({ kid }: { kid: unknown }) => kid === jwtPart(token, 'header').kid);
      return verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        { key, format: 'jwk' },
        Buffer.from(signature, 'base64url'),
      );
    };
    const before = await kids();
    const { id_token: old } = await tokensOf(provider, provider.clients.openid);
    const next = provider.keys.publish();
    expect(await kids()).toEqual([...before, next]);
    expect(jwtPart((await tokensOf(provider, provider.clients.openid)).id_token, 'header').kid).toBe(before[0]);
    expect(provider.keys.rotate()).toBe(next);
    expect(await kids()).toEqual([next, ...before]);
    const { id_token } = await tokensOf(provider, provider.clients.openid);
    expect(jwtPart(id_token, 'header').kid).toBe(next);
    expect([await isSigned(old), await isSigned(id_token)]).toEqual([true, true]);
  });

  test('gets a new ETag at a rotation, and few keys after many rotations', async () => {
    const { headers } = await send(provider, JWKS);
    for (let i = 0; i < 200; i += 1) provider.keys.rotate();
    const again = await send(provider, JWKS, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect(again.status).toBe(200);
    expect(again.json.keys.length).toBeLessThan(100);
    expect(new Set(await kids()).size).toBe(again.json.keys.length);
  });
});

test('the script of the share button is JavaScript with an ETag for any site, and sets no cookie', async () => {
  const { status, headers } = await fetch(provider.shareScriptURL);
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/javascript/)]);
  expect([headers.get('cross-origin-resource-policy'), headers.getSetCookie()]).toEqual(['cross-origin', []]);
  const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
  expect((await fetch(provider.shareScriptURL, known)).status).toBe(304);
});
