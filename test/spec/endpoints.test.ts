import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { authorizePath, Visitor } from '../mock-provider/visitor.js';
import {
  api,
  authorize,
  authorizeURL,
  codeFields,
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
  revoke,
  send,
  sendRaw,
  signIn,
  token,
  tokensOf,
} from '../mock-provider/wire.js';

// The endpoints, errors and limits, as the service spec describes them: see docs/service-rules.md.
let provider: MockProvider;
let formA: RegisteredClient;
let formB: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
  ({ profile: formA, openid: formB } = provider.clients);
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const CV = { scope: 'basic colleagues email' };

describe('an authorization request', () => {
  test.each([
    ['client_id', 'openid', 'client-id-required'],
    ['client_id', 'profile', 'client-id-required'],
    ['response_type', 'openid', 'response-type-required'],
    ['response_type', 'profile', 'response-type-required'],
    ['redirect_uri', 'openid', 'redirect-uri-required'],
    ['redirect_uri', 'profile', 'redirect-uri-required'],
    ['code_challenge', 'openid', 'pkce-required'],
    ['code_challenge_method', 'openid', 'pkce-s256-only'],
  ] as const)('without %s is refused in the %s flow', async (name, flow, rule) => {
    const { status, location } = await authorize(provider, provider.clients[flow], { [name]: undefined });
    expect(status === 400 || location.searchParams.has('error')).toBe(true);
    expect(provider.problems.map((problem) => problem.rule)).toEqual([rule]);
  });

  test.each(['scope', 'state', 'type', 'prompt', 'display', 'response_mode', 'nonce', 'id_token_hint'])(
    'without %s is accepted',
    async (name) => {
      for (const client of [formA, formB]) {
        expect((await authorize(provider, client, { [name]: undefined })).status).toBe(200);
      }
    },
  );

  test('has the landing page of type in the profile flow, and by default that of login', async () => {
    const headingOf = async (type?: string) =>
      /<h1>(.*?)<\/h1>/.exec((await authorize(provider, formA, { type })).text)?.[1];
    const [byDefault, login, verify] = [await headingOf(), await headingOf('login'), await headingOf('verify')];
    expect(byDefault).toBe('Sign in');
    expect(login).toBe(byDefault);
    expect(verify).toBe('Verify that you are a clinician');
  });

  test('without scope requests basic in the profile flow and openid in the openid flow', async () => {
    const { access_token } = await tokensOf(provider, formA);
    const { status, json } = await profile(provider, access_token);
    expect([status, json.email]).toEqual([200, undefined]);
    expect((await api(provider, '/api/v1/colleagues', access_token)).status).toBe(403);
    expect((await tokensOf(provider, formB)).scope).toBe('openid');
  });

  test('gets its state back unchanged', async () => {
    expect((await signIn(provider, formA, { state: 'a/b+c=%20 "' })).searchParams.get('state')).toBe('a/b+c=%20 "');
  });

  test('with another code_challenge_method than S256 is refused', async () => {
    const { location } = await authorize(provider, formB, { code_challenge_method: 'plain' });
    expect(location.searchParams.get('error')).toBe('invalid_request');
  });

  test('gets its response in the query, or by response_mode in the fragment', async () => {
    for (const client of [formA, formB]) {
      for (const response_mode of [undefined, 'query']) {
        const { search, hash } = await signIn(provider, client, { response_mode });
        expect([search, hash]).toEqual([expect.stringContaining('code='), '']);
      }
      const { search, hash } = await signIn(provider, client, { response_mode: 'fragment' });
      expect([search, hash]).toEqual(['', expect.stringContaining('code=')]);
    }
  });

  test('with nonce gets an ID Token with this nonce', async () => {
    expect(jwtPart((await tokensOf(provider, formB, { nonce: 'n1' })).id_token, 'claims').nonce).toBe('n1');
  });

  test('with prompt=none gets a code with a session, and an error without one', async () => {
    const { location } = await authorize(provider, formB, { prompt: 'none' });
    expect(location.searchParams.get('error')).toBe('login_required');
    await signIn(provider, formB);
    expect((await signIn(provider, formB, { prompt: 'none' })).searchParams.has('code')).toBe(true);
  });

  test('gets code and state, and with openid session_state', async () => {
    const names = async (client: RegisteredClient, more = {}): Promise<string[]> =>
      [...(await signIn(provider, client, more)).searchParams.keys()].sort();
    expect(await names(formB)).toEqual(['code', 'session_state', 'state']);
    expect(await names(formB, { scope: 'basic' })).toEqual(['code', 'state']);
    expect(await names(formA)).toEqual(['code', 'state']);
  });

  test('that the user denies gets access_denied and a description', async () => {
    const denied = new URL(await provider.signIn(authorizeURL(provider, formA), { as: 'verified', deny: true }));
    expect(denied.searchParams.get('error')).toBe('access_denied');
    expect(denied.searchParams.get('error_description')).toMatch(/user denied the request/i);
  });
});

describe('a token request', () => {
  test.each(['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret'])(
    'without %s is refused in the profile flow',
    async (name) => {
      const { status } = await redeem(provider, formA, await codeOf(provider, formA), { [name]: undefined });
      expect(status).toBe(name.startsWith('client_') ? 401 : 400);
    },
  );

  test('without code_verifier is refused in the openid flow', async () => {
    const code = await codeOf(provider, formB);
    expect((await redeem(provider, formB, code, { code_verifier: undefined })).json.error).toBe('invalid_grant');
  });

  test('and a revocation request are forms, in UTF-8 where they have a charset', async () => {
    const form = 'application/x-www-form-urlencoded';
    const { access_token } = await tokensOf(provider, formB);
    for (const [type, status] of [
      [`${form}; charset=UTF-8`, 200],
      [`${form};charset="utf-8"`, 200],
      [form, 200],
      [`${form}; charset=iso-8859-1`, 400],
      [`${form}; x=y; charset=utf-16`, 400],
      ['multipart/form-data', 400],
      ['application/json', 400],
    ] as const) {
      const fields = codeFields(formB, await codeOf(provider, formB));
      const headers = { 'content-type': type };
      expect([type, (await token(provider, formB, fields, headers)).status]).toEqual([type, status]);
      const revoked = await post(provider, '/oauth/revoke', formB, { token: access_token }, headers);
      expect([type, revoked.status]).toEqual([type, status]);
    }
    expect(provider.problems[0]?.rule).toBe('form-body-required');
  });

  test('with another redirect_uri than the authorization request is refused', async () => {
    const code = await codeOf(provider, formA);
    expect((await redeem(provider, formA, code, { redirect_uri: `${REDIRECT_URI}/` })).json.error).toBe(
      'invalid_grant',
    );
  });

  test('for a refresh accepts a part of the scope, and no new scope', async () => {
    const { refresh_token } = await tokensOf(provider, formA, { scope: 'basic colleagues' });
    expect((await refresh(provider, formA, refresh_token, { scope: 'basic email' })).json.error).toBe('invalid_scope');
    const { json } = await refresh(provider, formA, refresh_token, { scope: 'basic' });
    expect((await api(provider, '/api/v1/colleagues', json.access_token)).status).toBe(403);
  });

  test('accepts Basic credentials that are each URL-encoded, and refuses others', async () => {
    const client = registerStrict(provider, 'openid', { clientID: 'a:b c', clientSecret: 'x+y%z:' });
    expect((await tokensOf(provider, client)).scope).toBe('openid');
    const fields = codeFields(client, await codeOf(provider, client));
    const outcomes: unknown[] = [];
    for (const credentials of ['a:b c:x+y%z:', 'a:b c:x%2By%25z%3A', 'a%3Ab%20c:x+y%25z%3A', 'a%3Ab%20c:other']) {
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      const { status, json } = await token(provider, undefined, fields, { authorization });
      outcomes.push([status, json.error]);
    }
    const invalidClient = [401, 'invalid_client'];
    expect(outcomes).toEqual([[400, 'invalid_request'], invalidClient, invalidClient, invalidClient]);
    expect((await token(provider, client, fields)).status).toBe(200);
  });

  test('for a refresh returns a new access token and a new refresh token', async () => {
    const old = await tokensOf(provider, formB);
    const { json } = await refresh(provider, formB, old.refresh_token);
    expect(new Set([old.access_token, old.refresh_token, json.access_token, json.refresh_token]).size).toBe(4);
  });
});

describe('the authorization server', () => {
  test('revokes a token with Basic only, and responds 200 without content', async () => {
    const { refresh_token } = await tokensOf(provider, formA);
    expect((await post(provider, '/oauth/revoke', undefined, { token: refresh_token })).status).toBe(401);
    const { status, text } = await revoke(provider, formA, refresh_token);
    expect([status, text]).toEqual([200, '']);
  });

  test('has its public keys at /.well-known/jwks.json', async () => {
    const { jwks_uri } = (await send(provider, '/.well-known/openid-configuration')).json;
    expect(jwks_uri).toBe(`${provider.issuer}/.well-known/jwks.json`);
    const { keys } = (await send(provider, '/.well-known/jwks.json')).json;
    expect(keys).toHaveLength(1);
    expect(keys[0]).toEqual({
      kty: 'RSA',
      use: 'sig',
      alg: 'RS256',
      kid: expect.any(String),
      n: expect.any(String),
      e: expect.any(String),
    });
  });

  test('logs out by GET or POST, and redirects with 302 and state to a registered address', async () => {
    const client = registerStrict(provider, 'openid');
    const fields = {
      id_token_hint: (await tokensOf(provider, client)).id_token,
      post_logout_redirect_uri: POST_LOGOUT_URI,
      state: 's 1',
    };
    const got = await send(provider, `/oauth/logout?${encode(fields)}`);
    const posted = await post(provider, '/oauth/logout', undefined, fields);
    for (const { status, location } of [got, posted]) {
      expect([status, location.href.split('?')[0], location.searchParams.get('state')]).toEqual([
        302,
        POST_LOGOUT_URI,
        's 1',
      ]);
    }
    for (const name of ['id_token_hint', 'post_logout_redirect_uri']) {
      expect((await send(provider, `/oauth/logout?${encode({ ...fields, [name]: undefined })}`)).status).toBe(400);
    }
    const other = encode({ ...fields, post_logout_redirect_uri: `${POST_LOGOUT_URI}/other` });
    expect((await send(provider, `/oauth/logout?${other}`)).status).toBe(400);
  });

  test('has userinfo with the sub of the ID Token', async () => {
    const { access_token, id_token } = await tokensOf(provider, formB);
    expect((await api(provider, '/oauth/userinfo', access_token)).json).toEqual({
      sub: jwtPart(id_token, 'claims').sub,
    });
  });
});

describe('the resource API', () => {
  test('needs basic for the profile and colleagues for the colleague list', async () => {
    const { access_token } = await tokensOf(provider, formA, { scope: 'colleagues' });
    expect((await profile(provider, access_token)).status).toBe(403);
    expect((await api(provider, '/api/v1/colleagues', access_token)).status).toBe(200);
  });

  test('has page 1 and 30 colleagues by default', async () => {
    const { access_token } = await tokensOf(provider, formA, { as: 'connected', ...CV });
    expect((await api(provider, '/api/v1/colleagues', access_token)).json).toMatchObject({
      current_page: 1,
      per_page: 30,
    });
    const { json } = await api(provider, '/api/v1/colleagues?page=3&per_page=10', access_token);
    expect([json.current_page, json.per_page, json.items.length]).toEqual([3, 10, 10]);
  });

  test('does not count the rate-limit status', async () => {
    const { access_token } = await tokensOf(provider, formA);
    await api(provider, '/api/v1/rate_limit', access_token);
    expect((await api(provider, '/api/v1/rate_limit', access_token)).json.remaining).toBe(5000);
  });
});

describe('authentication', () => {
  test('a resource request needs the access token in the Authorization header', async () => {
    const { access_token } = await tokensOf(provider, formA);
    expect((await send(provider, `/api/v1/users/current?access_token=${access_token}`)).status).toBe(401);
  });

  test('a session cookie of the provider is no authentication at the resource API', async () => {
    const visitor = new Visitor(provider);
    await visitor.signIn(await visitor.get(authorizePath(provider)), 'verified');
    expect(visitor.cookies.size).toBeGreaterThan(0);
    for (const path of ['users/current', 'colleagues', 'rate_limit']) {
      expect((await visitor.get(`/api/v1/${path}`)).status).toBe(401);
    }
  });

  test('the authorization page cannot be framed', async () => {
    const { headers } = await authorize(provider, formB);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('the session check replies changed to another origin than that of redirect_uri', async () => {
    const sessionState = (await signIn(provider, formB)).searchParams.get('session_state') ?? '';
    const check = (origin: string) => provider.checkSession({ clientID: formB.clientID, sessionState, origin });
    expect([check('http://127.0.0.1:5001'), check('http://127.0.0.1:5002')]).toEqual(['unchanged', 'changed']);
    expect(
      provider.checkSession({ clientID: formB.clientID, sessionState: 'x', origin: 'http://127.0.0.1:5001' }),
    ).toBe('error');
  });

  test('the secret of the openid flow in the body is refused', async () => {
    const secret = { client_id: formB.clientID, client_secret: formB.clientSecret };
    const fields = codeFields(formB, await codeOf(provider, formB), secret);
    expect((await token(provider, undefined, fields)).json.error).toBe('invalid_client');
  });
});

describe('an error', () => {
  test('above the rate limit is 429 with Status, the three headers and a JSON body', async () => {
    const limited = await startMockProvider({ rateLimit: { limit: 1 } });
    const { access_token } = await tokensOf(limited, limited.clients.profile);
    await profile(limited, access_token);
    const { status, headers, json } = await profile(limited, access_token);
    await limited.stop();
    expect([status, headers.get('status')]).toEqual([429, '429 Too Many Requests']);
    for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-rate-limit-${name}`)).toMatch(/^\d+$/);
    expect(json).toEqual({
      message: expect.stringMatching(/API rate limit exceeded/),
      documentation_url: expect.any(String),
    });
  });

  test('of a blacklisted application is a closed connection', async () => {
    const client = registerStrict(provider, 'profile');
    const { access_token } = await tokensOf(provider, client);
    provider.blacklist(client.clientID);
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await sendRaw(provider, { path: '/api/v1/users/current', headers })).status).toBe(0);
  });
});

describe('a limit', () => {
  test('of 5000 requests refuses the next one until the hour ends', async () => {
    const { access_token, refresh_token } = await tokensOf(provider, formA);
    const headers = { authorization: `Bearer ${access_token}` };
    const statuses = new Set<number>();
    for (let i = 0; i < 5000; i += 50) {
      const responses = Array.from({ length: 50 }, () =>
        provider.fetch(`${provider.apiURL}/api/v1/users/current`, { headers }),
      );
      for (const { status } of await Promise.all(responses)) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
    expect((await profile(provider, access_token)).status).toBe(429);
    provider.clock.advance('1 hour');
    const { json } = await refresh(provider, formA, refresh_token);
    expect((await profile(provider, json.access_token)).headers.get('x-rate-limit-remaining')).toBe('4999');
  });

  test('is in the headers of every response of the API', async () => {
    const { access_token } = await tokensOf(provider, formA);
    const responses = [
      await profile(provider, access_token),
      await profile(provider),
      await api(provider, '/api/v1/colleagues', access_token),
      await api(provider, '/api/v1/nothing', access_token),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 403, 404]);
    for (const { headers } of responses) expect(headers.get('x-rate-limit-limit')).toBe('5000');
  });

  test('of requests applies to requests with an access token, of each user at each application', async () => {
    const { access_token } = await tokensOf(provider, formA);
    await profile(provider, access_token);
    const remainingOf = async (token: string): Promise<unknown> =>
      (await api(provider, '/api/v1/rate_limit', token)).json.remaining;
    expect(await remainingOf(access_token)).toBe(4999);
    expect(await remainingOf((await tokensOf(provider, formA)).access_token)).toBe(4999);
    expect(await remainingOf((await tokensOf(provider, formA, { as: 'pending' })).access_token)).toBe(5000);
    expect(await remainingOf((await tokensOf(provider, formB)).access_token)).toBe(5000);
  });

  test('of 25 clients holds for each developer', () => {
    const register = () => provider.registerClient({ flow: 'openid', redirectURIs: [REDIRECT_URI], developer: 'spec' });
    for (let i = 0; i < 25; i += 1) register();
    expect(register).toThrow('already has 25 clients');
  });

  test('is not used up by conditional requests', async () => {
    const { access_token } = await tokensOf(provider, formA);
    const { headers } = await profile(provider, access_token);
    const etag = headers.get('etag') ?? '';
    const again = await api(provider, '/api/v1/users/current', access_token, { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(again.headers.get('x-rate-limit-remaining')).toBe(headers.get('x-rate-limit-remaining'));
  });
});

test('every response of an endpoint for programs is JSON, for any Accept header', async () => {
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

test('resource paths need the prefix /api/v1', async () => {
  const { access_token } = await tokensOf(provider, formA);
  for (const path of ['/users/current', '/api/users/current', '/api/v2/users/current']) {
    expect((await api(provider, path, access_token)).status).toBe(404);
  }
});
