import { afterEach, describe, expect, test } from '@jest/globals';
import { PATHS } from '../../../lib/mock-provider/http/paths.js';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { takePrinted } from '../../helpers/printed.js';
import { provider } from '../../helpers/provider.js';
import { expectUnblocked } from '../../properties/property.js';
import { authorizePath } from '../visitor.js';
import {
  api,
  authorize,
  basic,
  codeOf,
  post,
  REDIRECT_URI,
  redeem,
  refresh,
  registerStrict,
  send,
  sendBytes,
  sendRaw,
  signIn,
  token,
  tokensOf,
} from '../wire.js';

type Path = (typeof PATHS)[keyof typeof PATHS];
type ResourcePath = Extract<Path, `/api/${string}`>;

const isResource = (path: Path): path is ResourcePath => path.startsWith('/api/');

/** The methods of each endpoint of the authorization server. A resource of the API has GET and HEAD. */
const ALLOWED_METHODS: Readonly<Record<Exclude<Path, ResourcePath>, string>> = {
  '/.well-known/openid-configuration': 'GET, HEAD',
  '/.well-known/oauth-authorization-server': 'GET, HEAD',
  '/.well-known/jwks.json': 'GET, HEAD',
  '/oauth/authorize': 'GET, POST',
  '/oauth/token': 'POST',
  '/oauth/revoke': 'POST',
  '/oauth/userinfo': 'GET, HEAD, POST',
  '/oauth/session_state': 'GET, HEAD',
  '/oauth/logout': 'GET, POST',
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('paths and methods', () => {
  test.each([
    '/oauth',
    '/oauth/token/',
    '/OAuth/token',
    '/.well-known/openid-configuration/',
    '//oauth/token',
    '/__proto__',
    '/constructor',
  ])('%s gets 404', async (path) => {
    const { status, text } = await sendRaw(provider, { path });
    expect(status).toBe(404);
    expect(text).not.toContain('at ');
  });

  test('an absolute target is the same as its path', async () => {
    const { access_token } = await tokensOf(provider, provider.clients.profile);
    const headers = { authorization: `Bearer ${access_token}` };
    const statusOf = async (target: string) => (await sendRaw(provider, { path: target, headers })).status;
    expect(await statusOf(`${provider.issuer}/api/v1/users/current`)).toBe(200);
    expect(await statusOf('HTTP://mock/oauth/authorize?client_id=x')).toBe(400);
    expect(await statusOf(`${provider.issuer}?x=/oauth/token`)).toBe(200);
    expect(await statusOf(`${provider.issuer}/_mock/inspector/state.json`)).toBe(200);
    expect(await statusOf(`${provider.issuer}//oauth/token`)).toBe(404);
    expect(await statusOf('/http://mock/oauth/token')).toBe(404);
  });

  test.each(Object.values(PATHS))('%s allows only its methods', async (path) => {
    const allowed = isResource(path) ? 'GET, HEAD' : ALLOWED_METHODS[path];
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (allowed.split(', ').includes(method)) continue;
      const { status, headers } = await send(provider, path, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, allowed]);
    }
  });
});

test('every response of an endpoint for programs is JSON, for any Accept header', async () => {
  const { openid: formB } = provider.clients;
  const { access_token } = await tokensOf(provider, formB, { scope: 'openid basic' });
  const headers = { accept: 'text/html' };
  const responses = [
    await send(provider, '/.well-known/openid-configuration', { headers }),
    await send(provider, '/.well-known/oauth-authorization-server', { headers }),
    await send(provider, '/.well-known/jwks.json', { headers }),
    await redeem(provider, formB, await codeOf(provider, formB)),
    await redeem(provider, formB, 'unknown'),
    await post(provider, '/oauth/revoke', formB, {}, headers),
    await api(provider, '/oauth/userinfo', access_token, headers),
    await send(provider, '/oauth/userinfo', { headers }),
    await api(provider, '/api/v1/users/current', access_token, headers),
    await api(provider, '/api/v1/rate_limit', access_token, headers),
    await api(provider, '/api/v1/colleagues', access_token, headers),
    await send(provider, '/api/v1/users/current', { headers }),
    await send(provider, '/api/v1/users/current', { method: 'PUT', headers }),
    await api(provider, '/api/v1/nothing', access_token, headers),
  ];
  const statuses = [200, 200, 200, 200, 400, 400, 200, 401, 200, 200, 403, 401, 405, 404];
  expect(responses.map(({ status }) => status)).toEqual(statuses);
  for (const { json } of responses) expect(json).toEqual(expect.any(Object));
});

describe('an empty response has no Content-Type', () => {
  const document = '/.well-known/jwks.json';
  const conditional = async (path: string, headers = {}) => {
    const { headers: sent } = await sendRaw(provider, { path, headers });
    return { path, headers: { ...headers, 'if-none-match': String(sent.etag) } };
  };
  const form = async (path: string, fields: Record<string, string>) => {
    const headers = { ...FORM, authorization: basic(provider.clients.profile) };
    return { method: 'POST', path, headers, body: new URLSearchParams(fields).toString() };
  };

  test.each<[string, number, string, () => Promise<Parameters<typeof sendRaw>[1]>]>([
    ['revocation', 200, '0', async () => form('/oauth/revoke', { token: 'x' })],
    ['wrong method', 405, '0', async () => ({ method: 'PUT', path: '/oauth/token' })],
    ['OPTIONS', 204, '', async () => ({ method: 'OPTIONS', path: '/oauth/token' })],
    ['document not modified', 304, '', () => conditional(document)],
    ['redirect', 302, '0', async () => ({ path: authorizePath(provider, { prompt: 'none' }) })],
  ])('%s', async (_, status, length, request) => {
    const { headers, ...response } = await sendRaw(provider, await request());
    expect({ ...response, length: headers['content-length'] ?? '', type: headers['content-type'] }).toEqual({
      ...{ status, length, text: '', type: undefined },
    });
  });

  test('and provider.fetch has none either', async () => {
    const { method, path, headers, body } = await form('/oauth/revoke', { token: 'x' });
    const response = await provider.fetch(provider.issuer + path, { method, headers, body });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, null]);
  });
});

describe('HEAD and OPTIONS', () => {
  test.each(['/.well-known/jwks.json', '/.well-known/openid-configuration', '/oauth/session_state'])(
    'HEAD of %s is GET without a body',
    async (path) => {
      const got = await sendRaw(provider, { path });
      const headed = await sendRaw(provider, { path, method: 'HEAD' });
      expect(headed.text).toBe('');
      expect({ ...headed.headers, date: '' }).toEqual({ ...got.headers, date: '' });
      expect(Number(headed.headers['content-length'])).toBeGreaterThan(100);
    },
  );

  test('HEAD of the profile is GET without a body, and counts', async () => {
    const { access_token } = await tokensOf(provider, provider.clients.profile);
    const headed = await send(provider, '/api/v1/users/current', {
      method: 'HEAD',
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect([headed.status, headed.text, headed.headers.get('x-rate-limit-remaining')]).toEqual([200, '', '4999']);
  });

  test('HEAD of the authorization endpoint issues no code to a signed-in user', async () => {
    const client = provider.clients.openid;
    await signIn(provider, client);
    const { status, headers } = await send(provider, '/oauth/authorize', { method: 'HEAD' });
    expect([status, headers.get('location')]).toEqual([405, null]);
  });

  test.each([
    ['/oauth/token', 'POST'],
    ['/oauth/authorize', 'GET, POST'],
    ['/oauth/logout', 'GET, POST'],
    ['/oauth/revoke', 'POST'],
    ['/api/v1/colleagues', 'GET, HEAD'],
    ['/oauth/session_state', 'GET, HEAD'],
  ])('OPTIONS of %s lists %s and has no CORS headers', async (path, allowed) => {
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const { status, headers, text } = await send(provider, path, { method: 'OPTIONS', headers: preflight });
    expect([status, headers.get('allow'), text]).toEqual([204, allowed, '']);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('pages of other origins', () => {
  const origin = { origin: 'https://app.example' };

  test.each(['/.well-known/jwks.json', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    'may read %s',
    async (path) => {
      const { headers } = await send(provider, path, { headers: origin });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      const again = await send(provider, path, { headers: { ...origin, 'if-none-match': headers.get('etag') ?? '' } });
      expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*']);
    },
  );

  test('may read userinfo and its refusals with an access token', async () => {
    const preflight = {
      ...origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    };
    const { status, headers } = await send(provider, '/oauth/userinfo', { method: 'OPTIONS', headers: preflight });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(headers.get('access-control-allow-headers')).toMatch(/authorization/i);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    const refused = await send(provider, '/oauth/userinfo', { headers: origin });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
    expect(refused.headers.get('access-control-expose-headers')).toBe('WWW-Authenticate');
  });

  test('may not read any other response', async () => {
    const client = provider.clients.openid;
    const { access_token } = await tokensOf(provider, client);
    const responses = [
      await authorize(provider, client),
      await send(provider, '/oauth/authorize?client_id=x', { headers: origin }),
      await token(provider, client, { grant_type: 'authorization_code' }, origin),
      await send(provider, '/oauth/revoke', { method: 'POST', headers: { ...origin, ...FORM } }),
      await send(provider, '/oauth/logout', { headers: origin }),
      await send(provider, '/oauth/session_state', { headers: origin }),
      await api(provider, '/api/v1/users/current', access_token, origin),
      await api(provider, '/api/v1/users/current', undefined, origin),
    ];
    expect(responses.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(
      responses.map(() => null),
    );
  });
});

describe('plain http needs a loopback host', () => {
  test.each(['0.0.0.0', '192.168.1.10', 'auth.example', '::'])('%s is refused with the fix', async (host) => {
    await expect(startMockProvider({ host })).rejects.toThrow(
      /host must be 127\.0\.0\.1, localhost or ::1 with plain http/,
    );
  });

  test.each([
    'http://auth.example',
    'https://auth.example/',
    'https://auth.example/path/',
    'https://auth.example/a;b',
    'nonsense',
  ])('publicURL %s is refused', async (publicURL) => {
    await expect(startMockProvider({ publicURL })).rejects.toThrow('publicURL must be an https address');
  });

  test('behind a TLS proxy the issuer is the address of the proxy', async () => {
    const behind = await startMockProvider({ publicURL: 'https://auth.example', host: '0.0.0.0' });
    const response = await behind.fetch('https://auth.example/.well-known/openid-configuration');
    const metadata = (await response.json()) as Record<string, string>;
    await behind.stop();
    expect(takePrinted()).toEqual([expect.stringMatching(/^warning mock_provider_reachable: /)]);
    expect(metadata.issuer).toBe('https://auth.example');
    expect(metadata.token_endpoint).toBe('https://auth.example/oauth/token');
  });

  test('forwarded headers are ignored', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const { json } = await send(provider, '/.well-known/openid-configuration', { headers });
    expect(json.issuer).toBe(provider.issuer);
  });
});

describe('parameters', () => {
  test.each(['response_type', 'scope', 'nonce', 'prompt', 'unheard_of'])('%s sent twice is refused', async (name) => {
    const { location } = await authorize(provider, provider.clients.openid, { [name]: ['code', 'code'] });
    expect(location.searchParams.get('error')).toBe('invalid_request');
    expect(location.searchParams.get('error_description')).toContain(name);
  });

  test.each(['code', 'grant_type', 'redirect_uri', 'code_verifier', 'client_id'])(
    '%s sent twice is refused at the token endpoint',
    async (name) => {
      const { status, json } = await token(provider, provider.clients.openid, { [name]: ['a', 'a'] });
      expect([status, json.error, json.error_description]).toEqual([
        400,
        'invalid_request',
        `${name} was sent more than once`,
      ]);
    },
  );

  test('without a value are treated as absent, and unknown ones are ignored', async () => {
    const { openid } = provider.clients;
    const empty = { prompt: '', scope: '', nonce: '', max_age: '', id_token_hint: '', display: '', request: '' };
    const code = await codeOf(provider, openid, { ...empty, 'x-unheard-of': 'yes', resource: 'https://api.example' });
    const { status, json } = await redeem(provider, openid, code, { refresh_token: '', audience: 'x' });
    expect([status, json.scope]).toEqual([200, 'openid']);
    const missing = await redeem(provider, openid, '');
    expect(missing.json.error).toBe('invalid_request');
  });
});

describe('error descriptions', () => {
  const hostileTexts = ['"quoted"', 'back\\slash', 'line\r\nbreak', 'tab\there', '\u00e9t\u00e9', '<script>'];

  test.each(hostileTexts)('do not contain %j as it was sent', async (text) => {
    const { openid } = provider.clients;
    const responses = [
      (await authorize(provider, openid, { prompt: text })).location.searchParams.get('error_description'),
      (await authorize(provider, openid, { scope: text })).location.searchParams.get('error_description'),
      (await token(provider, openid, { grant_type: text })).json.error_description,
      (await token(provider, openid, { [text]: ['1', '2'] })).json.error_description,
    ];
    for (const description of responses) expect(description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });

  test('and problems contain no secret and no token', async () => {
    const { openid } = provider.clients;
    const planted = 'planted-secret-0123456789-planted-secret-0123456789';
    const responses = [
      await redeem(provider, openid, planted),
      await refresh(provider, openid, planted),
      await token(provider, { ...openid, clientSecret: planted }, { grant_type: 'refresh_token' }),
      await api(provider, '/api/v1/users/current', planted),
      await send(provider, `/oauth/logout?id_token_hint=${planted}&post_logout_redirect_uri=${REDIRECT_URI}`),
      await authorize(provider, openid, { id_token_hint: planted }),
    ];
    for (const { text, headers } of responses) expect(text + JSON.stringify([...headers])).not.toContain('planted');
    expect(JSON.stringify(provider.problems)).not.toContain('planted');
  });
});

test.each([
  ['http://127.0.0.1:5001/callback?tenant=a%20b&x', 'http://127.0.0.1:5001/callback?tenant=a%20b&x&error='],
  ['http://127.0.0.1:5001/callback?', 'http://127.0.0.1:5001/callback?error='],
  ['http://127.0.0.1:5001', 'http://127.0.0.1:5001?error='],
])('a redirect retains the query of %s, and is not stored', async (uri, start) => {
  const client = registerStrict(provider, 'openid', { redirectURIs: [uri] });
  const { headers } = await authorize(provider, client, { redirect_uri: uri, prompt: 'none' });
  expect(headers.get('location')).toMatch(new RegExp(`^${start.replace(/[.?+]/g, '\\$&')}login_required`));
  expect(headers.get('cache-control')).toBe('no-store');
});

describe('cookies', () => {
  test('are Lax, HttpOnly and below /oauth over http', async () => {
    const { headers } = await authorize(provider, provider.clients.openid);
    const [line] = headers.getSetCookie();
    expect(line).toMatch(/; Path=\/oauth; SameSite=Lax; HttpOnly$/);
  });
});

describe('an unusual request gets a response, and the provider continues', () => {
  afterEach(async () => expect((await send(provider, '/.well-known/jwks.json')).status).toBe(200));

  test('with parameters in brackets has no other parameters', async () => {
    const { status, json } = await token(provider, provider.clients.openid, {
      'grant_type[]': 'refresh_token',
      'code[a]': 'x',
    });
    expect([status, json.error]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['without content type', {}],
    ['with JSON', { 'content-type': 'application/json' }],
    ['with multipart', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['with a compressed form', { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' }],
  ])('%s is refused at the token endpoint', async (_, headers) => {
    const path = '/oauth/token';
    const { status, text } = await sendRaw(provider, {
      path,
      method: 'POST',
      headers: { ...headers, authorization: basic(provider.clients.openid) } as Record<string, string>,
      body: 'grant_type=refresh_token&refresh_token=x',
    });
    expect([status, JSON.parse(text).error]).toEqual([400, 'invalid_request']);
  });

  test.each(['with its length', 'in chunks'])('with a body of 150 kB %s is refused', async (how) => {
    const body = `grant_type=${'x'.repeat(150_000)}`;
    const length = how === 'in chunks' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
    const path = '/oauth/token';
    const { status, headers } = await sendRaw(provider, {
      path,
      method: 'POST',
      headers: { ...FORM, ...length },
      body,
    });
    expect([status, headers.connection]).toEqual([413, 'close']);
  });

  test('with 1,001 parameters, headers of 20 kB or a URL of 64 kB is refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`p${index}`, 'x']));
    expect((await token(provider, provider.clients.openid, many)).status).toBe(400);
    // Node closes such a connection, which may reset it after the response.
    const host = `Host: ${new URL(provider.issuer).host}\r\nConnection: close\r\n`;
    for (const length of [20_000, 200_000]) {
      const cookies = `GET / HTTP/1.1\r\n${host}Cookie: ${'a=b; '.repeat(length / 5)}\r\n\r\n`;
      const response = await sendBytes(provider, cookies);
      expect(response).toMatch(/^HTTP\/1\.1 431 .*\r\nConnection: close\r\n/);
      expect(response).toMatch(/\r\n\r\nThe headers are larger than 16 kB\. .*delete them in the browser/);
    }
    const headed = await sendBytes(provider, `HEAD / HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(headed).toMatch(/^HTTP\/1\.1 431 [\s\S]*\r\n\r\n$/);
    expect(await sendBytes(provider, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const longURL = `GET /?${'x'.repeat(65_000)} HTTP/1.1\r\n${host}\r\n`;
    expect(await sendBytes(provider, longURL)).toMatch(/^HTTP\/1\.1 4(14|31) /);
  });

  const path = '/oauth/authorize';
  const scope = 'a '.repeat(40_000);
  const longURI = `http://127.0.0.1/${'%20'.repeat(3000)}`;
  test.each<[string, () => Promise<unknown>]>([
    [
      'scope',
      () => token(provider, provider.clients.openid, { grant_type: 'refresh_token', refresh_token: 'x', scope }),
    ],
    ['Accept header', () => sendRaw(provider, { path, headers: { accept: 'text/html,'.repeat(1200) } })],
    ['Cookie header', () => sendRaw(provider, { path, headers: { cookie: 'a=b; '.repeat(2500) } })],
    ['secret', () => token(provider, undefined, {}, { authorization: `Basic ${'A'.repeat(12_000)}` })],
    ['Authorization header', () => token(provider, undefined, {}, { authorization: `Basic ${' '.repeat(12_000)}x` })],
    ['redirect URI', () => authorize(provider, provider.clients.openid, { redirect_uri: longURI })],
  ])('with a long %s does not block other requests', async (_, request) => {
    await expectUnblocked(request);
  });

  test.each(['%', '%4', '%GG', '%ff', '%C0%AF', '%ED%A0%80', '%00', 'x%00y'])(
    'with %s in a value is refused',
    async (text) => {
      const page = await send(provider, `/oauth/authorize?client_id=${text}`);
      expect([page.status, page.headers.get('location')]).toEqual([400, null]);
      const body = `grant_type=refresh_token&refresh_token=${text}`;
      const headers = { ...FORM, authorization: basic(provider.clients.openid) };
      const refused = await send(provider, '/oauth/token', { method: 'POST', headers, body });
      expect([refused.status, refused.json.error]).toEqual([400, 'invalid_request']);
    },
  );

  test('with bytes that are not UTF-8 is refused', async () => {
    const headers = { ...FORM, authorization: basic(provider.clients.openid) };
    const body = Buffer.from([0x61, 0x3d, 0xff, 0xfe]);
    expect((await sendRaw(provider, { path: '/oauth/token', method: 'POST', headers, body })).status).toBe(400);
  });

  test('with names of Object.prototype is handled as with any other name', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect((await send(provider, `/oauth/authorize?client_id=${name}`)).status).toBe(400);
      expect(
        (await token(provider, { clientID: name, clientSecret: name } as never, { grant_type: name })).status,
      ).toBe(401);
      expect((await token(provider, provider.clients.openid, { grant_type: name })).json.error).toBe(
        'unsupported_grant_type',
      );
      const { location } = await authorize(provider, provider.clients.openid, { scope: name });
      expect(location.searchParams.get('error')).toBe('invalid_scope');
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('of a client named __proto__ is accepted', async () => {
    const client = registerStrict(provider, 'openid', { clientID: '__proto__' });
    expect((await tokensOf(provider, client)).scope).toBe('openid');
  });
});
