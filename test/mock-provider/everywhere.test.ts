import { createPublicKey, verify } from 'node:crypto';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { tokensFor } from './person.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const at = (path: string, init?: RequestInit) => fetch(provider.issuer + path, { redirect: 'manual', ...init });

describe('every endpoint', () => {
  test('decision 1: an unknown path is 404, a wrong method 405 with Allow', async () => {
    expect((await at('/nothing')).status).toBe(404);
    for (const [method, path, allow] of [
      ['GET', '/oauth/token', 'POST'],
      ['PUT', '/oauth/token', 'POST'],
      ['GET', '/oauth/revoke', 'POST'],
      ['DELETE', '/oauth/authorize', 'GET, POST'],
      ['POST', '/.well-known/openid-configuration', 'GET, HEAD'],
      ['POST', '/api/v1/users/current', 'GET, HEAD'],
    ] as const) {
      const response = await at(path, { method });
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, allow]);
    }
  });

  test('decision 2: HEAD is GET without a body, but not where GET changes something; OPTIONS tells the methods', async () => {
    expect((await at('/oauth/authorize', { method: 'HEAD' })).status).toBe(405);
    expect((await at('/oauth/logout', { method: 'HEAD' })).status).toBe(405);
    const head = await at('/.well-known/jwks.json', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const options = await at('/oauth/token', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST']);
  });

  test('decision 3: other origins may read the documents, and nothing else', async () => {
    const headers = { origin: 'https://other.example' };
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/.well-known/jwks.json',
    ]) {
      expect((await at(path, { headers })).headers.get('access-control-allow-origin')).toBe('*');
    }
    for (const [path, method] of [
      ['/oauth/authorize', 'GET'],
      ['/oauth/token', 'POST'],
      ['/oauth/revoke', 'POST'],
      ['/oauth/logout', 'GET'],
      ['/api/v1/users/current', 'GET'],
    ] as const) {
      expect((await at(path, { method, headers })).headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('decision 4: it speaks plain http to this machine alone', async () => {
    await expect(startMockProvider({ host: '0.0.0.0' })).rejects.toThrow(/host/);
  });
});

describe('starting', () => {
  test('NODE_ENV=production stops it, unless it is told', async () => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = 'production';
    try {
      await expect(startMockProvider()).rejects.toThrow(/allowInProduction/);
      await (await startMockProvider({ allowInProduction: true })).stop();
    } finally {
      process.env.NODE_ENV = before;
    }
  });

  test('a bad option is one sentence with the cure', async () => {
    await expect(startMockProvider({ prot: 1 } as never)).rejects.toThrow(/port/);
    await expect(startMockProvider({ port: 70_000 })).rejects.toThrow(/port/);
    await expect(startMockProvider({ lifetimes: { code: '1 hour' } })).rejects.toThrow(/lifetimes\.code/);
    await expect(startMockProvider({ lifetimes: { accessToken: 'soon' } })).rejects.toThrow(/lifetimes\.accessToken/);
    await expect(startMockProvider({ port: Number(new URL(provider.issuer).port) })).rejects.toThrow(/in use/);
  });

  test('a name that nobody has is told with those there are', () => {
    expect(() => provider.clinicians.get('verifed')).toThrow(/Did you mean verified/);
    expect(() => provider.faults.next('badSignatur' as never)).toThrow(/badSignature/);
  });

  test('nothing of one provider is another one', async () => {
    const other = await startMockProvider();
    try {
      const { access_token } = await tokensFor(other, other.clients.openid, { scope: 'openid basic' });
      const headers = { authorization: `Bearer ${access_token}` };
      expect((await at('/api/v1/users/current', { headers })).status).toBe(401);
      expect((await fetch(`${other.apiURL}/api/v1/users/current`, { headers })).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});

describe('documents', () => {
  const json = async (path: string) => (await (await at(path)).json()) as Record<string, unknown>;

  test('decision 64: with ETag, cacheable, one issuer', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const response = await at(path);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(((await response.json()) as { issuer: string }).issuer).toBe(provider.issuer);
      const again = await at(path, { headers: { 'if-none-match': response.headers.get('etag') as string } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  test('decisions 65, 66: what they say', async () => {
    expect(await json('/.well-known/openid-configuration')).toMatchObject({
      authorization_endpoint: `${provider.issuer}/oauth/authorize`,
      token_endpoint: `${provider.issuer}/oauth/token`,
      end_session_endpoint: `${provider.issuer}/oauth/logout`,
      jwks_uri: `${provider.issuer}/.well-known/jwks.json`,
      response_types_supported: ['code', 'code id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      response_modes_supported: ['query', 'fragment'],
      request_uri_parameter_supported: false,
    });
    const metadata = await json('/.well-known/oauth-authorization-server');
    expect(metadata).toMatchObject({
      revocation_endpoint: `${provider.issuer}/oauth/revoke`,
      userinfo_endpoint: `${provider.issuer}/oauth/userinfo`,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      token_endpoint_auth_signing_alg_values_supported: ['RS256'],
      ui_locales_supported: ['en-US'],
    });
    expect(metadata.scopes_supported).toEqual(
      expect.arrayContaining(['search', 'openid', 'basic', 'colleagues', 'email']),
    );
  });

  test('decision 67: public members of the current and the previous key; a signature verifies by kid', async () => {
    const first = provider.keys.current;
    const old = await tokensFor(provider, provider.clients.openid);
    provider.keys.rotate();
    const { keys } = (await json('/.well-known/jwks.json')) as { keys: Record<string, string>[] };
    expect(keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining([first, provider.keys.current]));
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    const fresh = await tokensFor(provider, provider.clients.openid);
    for (const { id_token } of [old, fresh]) {
      const [header, claims, signature] = id_token.split('.') as [string, string, string];
      const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
      const key = createPublicKey({ key: keys.find((one) => one.kid === kid) as never, format: 'jwk' });
      expect(verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    }
  });

  test('decision 67: in two steps, published before it signs', async () => {
    const before = provider.keys.current;
    const next = provider.keys.publish();
    expect(provider.keys.current).toBe(before);
    expect(provider.keys.published).toContain(next);
    expect(provider.keys.rotate()).toBe(next);
  });
});
