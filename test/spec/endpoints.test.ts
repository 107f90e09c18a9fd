import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
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
  test.each(['client_id', 'response_type', 'redirect_uri', 'code_challenge', 'code_challenge_method'])(
    'without %s is refused in the openid flow',
    async (name) => {
      const { status, location } = await authorize(provider, formB, { [name]: undefined });
      expect(status === 400 || location.searchParams.has('error')).toBe(true);
    },
  );

  test.each(['scope', 'state', 'type', 'prompt', 'display', 'response_mode', 'nonce', 'id_token_hint'])(
    'without %s is accepted',
    async (name) => {
      expect((await authorize(provider, formB, { [name]: undefined })).status).toBe(200);
    },
  );

  test('without scope requests basic in the profile flow and openid in the openid flow', async () => {
    const { access_token } = await tokensOf(provider, formA);
    expect([(await profile(provider, access_token)).status, (await tokensOf(provider, formB)).scope]).toEqual([
      200,
      'openid',
    ]);
  });

  test('gets its state back unchanged', async () => {
    expect((await signIn(provider, formA, { state: 'a/b+c=%20 "' })).searchParams.get('state')).toBe('a/b+c=%20 "');
  });

  test('with another code_challenge_method than S256 is refused', async () => {
    const { location } = await authorize(provider, formB, { code_challenge_method: 'plain' });
    expect(location.searchParams.get('error')).toBe('invalid_request');
  });

  test('gets its response in the query, or by response_mode in the fragment', async () => {
    expect((await signIn(provider, formB)).search).toContain('code=');
    expect((await signIn(provider, formB, { response_mode: 'fragment' })).hash).toContain('code=');
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
    const raw = `Basic ${Buffer.from('a:b c:x+y%z:').toString('base64')}`;
    expect(
      (await token(provider, undefined, codeFields(client, 'x'), { authorization: raw })).status,
    ).toBeGreaterThanOrEqual(400);
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

  test('has its keys at /.well-known/jwks.json', async () => {
    expect((await send(provider, '/.well-known/openid-configuration')).json.jwks_uri).toBe(
      `${provider.issuer}/.well-known/jwks.json`,
    );
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
    for (let i = 0; i < 5000; i += 50) {
      const headers = { authorization: `Bearer ${access_token}` };
      await Promise.all(
        Array.from({ length: 50 }, () => provider.fetch(`${provider.apiURL}/api/v1/users/current`, { headers })),
      );
    }
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

test('resource paths need the prefix /api/v1', async () => {
  const { access_token } = await tokensOf(provider, formA);
  for (const path of ['/users/current', '/api/users/current', '/api/v2/users/current']) {
    expect((await api(provider, path, access_token)).status).toBe(404);
  }
});
