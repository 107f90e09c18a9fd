import { afterEach, describe, expect, test } from '@jest/globals';
import { PATHS } from '../../../lib/mock-provider/http/paths.js';
import { provider } from '../../helpers/provider.js';
import {
  api,
  authorize,
  basic,
  codeOf,
  post,
  redeem,
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
  test.each(['/oauth/token/', '//oauth/token', '/__proto__'])('%s gets 404', async (path) => {
    const { status, text } = await sendRaw(provider, { path });
    expect(status).toBe(404);
    expect(text).not.toContain('at ');
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
  const { access_token } = await tokensOf(provider, provider.clients.openid, { scope: 'openid basic' });
  const headers = { accept: 'text/html' };
  const paths = Object.values(PATHS).filter((path) => /api|well-known|userinfo/.test(path));
  for (const path of [...paths, '/api/v1/nothing']) {
    const responses = [await api(provider, path, access_token, headers), await send(provider, path, { headers })];
    for (const { json } of responses) expect([path, json]).toEqual([path, expect.any(Object)]);
  }
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    expect((await post(provider, path, provider.clients.openid, {}, headers)).json).toEqual(expect.any(Object));
  }
});

describe('HEAD and OPTIONS', () => {
  test.each(['/.well-known/jwks.json', '/oauth/session_state'])('HEAD of %s is GET without a body', async (path) => {
    const got = await sendRaw(provider, { path });
    const headed = await sendRaw(provider, { path, method: 'HEAD' });
    expect({ ...headed, headers: { ...headed.headers, date: '' } }).toEqual({
      ...got,
      text: '',
      headers: { ...got.headers, date: '' },
    });
  });

  test('HEAD of the authorization endpoint issues no code to a signed-in user', async () => {
    const client = provider.clients.openid;
    await signIn(provider, client);
    const { status, headers } = await send(provider, '/oauth/authorize', { method: 'HEAD' });
    expect([status, headers.get('location')]).toEqual([405, null]);
  });

  test.each([
    ['/oauth/token', 'POST'],
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

test('the issuer is not read from forwarded headers', async () => {
  const forwarded = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  };
  const { json } = await send(provider, '/.well-known/openid-configuration', { headers: forwarded });
  expect(json.issuer).toBe(provider.issuer);
});

describe('parameters', () => {
  test.each(['scope', 'unheard_of'])('%s sent twice is refused', async (name) => {
    const { location } = await authorize(provider, provider.clients.openid, { [name]: ['code', 'code'] });
    expect(location.searchParams.get('error')).toBe('invalid_request');
    expect(location.searchParams.get('error_description')).toContain(name);
  });

  test.each(['code', 'client_id'])('%s sent twice is refused at the token endpoint', async (name) => {
    const { status, json } = await token(provider, provider.clients.openid, { [name]: ['a', 'a'] });
    expect([status, json.error, json.error_description]).toEqual([
      400,
      'invalid_request',
      `${name} was sent more than once`,
    ]);
  });

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

test.each(['"quoted" back\\slash', 'line\r\nbreak', '\u00e9t\u00e9'])(
  'error descriptions do not contain %j as sent',
  async (text) => {
    const { openid } = provider.clients;
    const responses = [
      (await authorize(provider, openid, { prompt: text })).location.searchParams.get('error_description'),
      (await authorize(provider, openid, { scope: text })).location.searchParams.get('error_description'),
      (await token(provider, openid, { grant_type: text })).json.error_description,
      (await token(provider, openid, { [text]: ['1', '2'] })).json.error_description,
    ];
    for (const description of responses) expect(description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  },
);

test.each([
  ['http://127.0.0.1:5001/callback?tenant=a%20b&x', 'http://127.0.0.1:5001/callback?tenant=a%20b&x&error='],
  ['http://127.0.0.1:5001', 'http://127.0.0.1:5001?error='],
])('a redirect retains the query of %s, and is not stored', async (uri, start) => {
  const client = registerStrict(provider, 'openid', { redirectURIs: [uri] });
  const { headers } = await authorize(provider, client, { redirect_uri: uri, prompt: 'none' });
  expect(headers.get('location')).toMatch(new RegExp(`^${start.replace(/[.?+]/g, '\\$&')}login_required`));
  expect(headers.get('cache-control')).toBe('no-store');
});

test('cookies over http are Lax, HttpOnly and below /oauth', async () => {
  const { headers } = await authorize(provider, provider.clients.openid);
  expect(headers.getSetCookie()[0]).toMatch(/; Path=\/oauth; SameSite=Lax; HttpOnly$/);
});

describe('an unusual request gets a response, and the provider continues', () => {
  afterEach(async () => expect((await send(provider, '/.well-known/jwks.json')).status).toBe(200));

  test.each(['with its length', 'in chunks'])('with a body of 150 kB %s is refused', async (how) => {
    const body = `grant_type=${'x'.repeat(150_000)}`;
    const length = how === 'in chunks' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
    const request = { path: '/oauth/token', method: 'POST', headers: { ...FORM, ...length }, body };
    const { status, headers } = await sendRaw(provider, request);
    expect([status, headers.connection]).toEqual([413, 'close']);
  });

  test('with 1,001 parameters, headers of 20 kB or no HTTP is refused', async () => {
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
    expect(await sendBytes(provider, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test.each(['%4', '%GG', '%C0%AF', 'x%00y'])('with %s in a value is refused', async (text) => {
    const page = await send(provider, `/oauth/authorize?client_id=${text}`);
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    const body = `grant_type=refresh_token&refresh_token=${text}`;
    const headers = { ...FORM, authorization: basic(provider.clients.openid) };
    const refused = await send(provider, '/oauth/token', { method: 'POST', headers, body });
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_request']);
  });

  test('with bytes that are not UTF-8 is refused', async () => {
    const headers = { ...FORM, authorization: basic(provider.clients.openid) };
    const body = Buffer.from([0x61, 0x3d, 0xff, 0xfe]);
    expect((await sendRaw(provider, { path: '/oauth/token', method: 'POST', headers, body })).status).toBe(400);
  });
});
