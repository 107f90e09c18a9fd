import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type RegisteredClient, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath, Visitor } from '../visitor.js';
import {
  authorization,
  authorize,
  authorizeURL,
  CHALLENGE,
  codeOf,
  encode,
  type Fields,
  jwtPart,
  redeem,
  registerStrict,
  send,
  signIn,
  tokensOf,
  VERIFIER,
} from '../wire.js';

let client: RegisteredClient;
beforeAll(() => {
  client = provider.clients.openid;
});

async function signedInVisitor(): Promise<Visitor> {
  const visitor = new Visitor(provider);
  await visitor.submit(await visitor.signIn(await visitor.get(authorizePath(provider)), 'verified'), {
    decision: 'approve',
  });
  return visitor;
}

/** @returns the parameters of an error that is redirected; `fragment` when they are in the fragment. */
async function refused(fields: Fields, of: RegisteredClient = client): Promise<Record<string, string>> {
  const { status, location } = await authorize(provider, of, fields);
  expect(status).toBe(302);
  const query = Object.fromEntries(location.searchParams);
  return location.hash === ''
    ? query
    : { ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))), fragment: '#' };
}

/** @returns the error of a request that is refused on a page. */
async function onPage(fields: Fields, of: RegisteredClient = client): Promise<string> {
  const query = encode(authorization(of, fields));
  const page = await send(provider, `/oauth/authorize?${query}`, { headers: { accept: 'application/json' } });
  expect([page.status, page.headers.get('location')]).toEqual([400, null]);
  const html = await send(provider, `/oauth/authorize?${query}`, { headers: { accept: 'text/html' } });
  expect([html.status, html.headers.get('location')]).toEqual([400, null]);
  expect(html.headers.get('content-type')).toContain('text/html');
  return page.json.error;
}

/** Expects the login page, which a user without a session gets for a valid request. */
async function accepted(fields: Fields, of: RegisteredClient = client): Promise<void> {
  const { status, headers, location } = await authorize(provider, of, fields);
  expect([location.href, status, headers.get('content-type')]).toEqual(['none:', 200, 'text/html; charset=utf-8']);
}

describe('POST', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const body = (more: Fields = {}) => encode(authorization(client, more));
  const requested = async (visitor: Visitor, headers: Record<string, string>, more: Fields = {}) =>
    visitor.request('POST', '/oauth/authorize', { headers: { ...FORM, ...headers }, body: body(more) });

  test('with a form shows the login page, and the sign-in ends at the client, as one login', async () => {
    const visitor = new Visitor(provider);
    const login = await requested(visitor, {});
    expect([login.status, login.location]).toEqual([200, '']);
    const done = await visitor.submit(await visitor.signIn(login, 'verified'), { decision: 'approve' });
    expect(new URL(done.location).searchParams.get('state')).toBe('a state');
    const { json } = await redeem(provider, client, new URL(done.location).searchParams.get('code') ?? '');
    expect(json).toMatchObject({ token_type: 'bearer', scope: 'openid' });
    expect(provider.logins).toMatchObject([{ clientID: client.clientID, outcome: 'signed in' }]);
    expect(provider.requests[0]?.form).toMatchObject({ response_type: 'code', state: '[masked]' });
  });

  test('of a signed-in user is redirected with 303, also with prompt=none', async () => {
    const visitor = await signedInVisitor();
    for (const more of [{}, { prompt: 'none' }]) {
      const { status, location } = await requested(visitor, { origin: 'http://127.0.0.1:5001' }, more);
      expect([status, new URL(location).searchParams.has('code')]).toEqual([303, true]);
    }
  });

  test.each([{}, { prompt: 'none' }])(
    'of another site, without SameSite=Lax cookies, finds the session by a GET, and without one does not: %j',
    async (more) => {
      const visitor = await signedInVisitor();
      const jar = [...visitor.cookies];
      visitor.cookies.clear();
      const first = await requested(visitor, { origin: 'http://app.example', 'sec-fetch-site': 'cross-site' }, more);
      expect([first.status, first.location]).toEqual([303, expect.stringMatching(/^\/oauth\/resume\?interaction=/)]);
      for (const [name, cookie] of [...jar, ...visitor.cookies]) visitor.cookies.set(name, cookie);
      expect(new URL((await visitor.follow(first)).location).searchParams.has('code')).toBe(true);
      const stranger = new Visitor(provider);
      const done = await stranger.follow(await requested(stranger, { origin: 'null' }, more));
      if ('prompt' in more) expect(done.location).toContain('error=login_required');
      else expect(done.text).toContain('<form');
    },
  );
});

test.each([
  ['client_id', 'client-id-required'],
  ['response_type', 'response-type-required'],
  ['redirect_uri', 'redirect-uri-required'],
  ['code_challenge', 'pkce-required'],
  ['code_challenge_method', 'pkce-s256-only'],
] as const)('a request without %s violates the rule %s', async (name, rule) => {
  await authorize(provider, client, { [name]: undefined });
  expect(provider.problems.map((problem) => problem.rule)).toEqual([rule]);
});

describe('redirect_uri', () => {
  let registered: RegisteredClient;
  beforeEach(() => {
    registered = registerStrict(provider, 'openid', {
      redirectURIs: ['https://app.example/callback', 'http://127.0.0.1:5001/cb?a=1'],
    });
  });

  test('missing is refused on a page, also with one registered redirect URI', async () => {
    expect(await onPage({ redirect_uri: undefined }, registerStrict(provider, 'openid'))).toBe('invalid_request');
  });

  test.each([
    ['repeated', ['https://app.example/callback', 'https://app.example/callback']],
    ['relative', '/callback'],
    ['a final slash', 'https://app.example/callback/'],
    ['dots in the path', 'https://app.example/x/../callback'],
    ['the default port', 'https://app.example:443/callback'],
    ['another case of the host', 'https://APP.example/callback'],
    ['a fragment', 'https://app.example/callback#x'],
    ['another host behind a user name', 'https://app.example@evil.example/callback'],
    ['a longer domain', 'https://app.example.evil.example/callback'],
    ['http', 'http://app.example/callback'],
    ['another loopback host', 'http://localhost:5001/cb?a=1'],
    ['javascript:', 'javascript:alert(1)'],
  ])('%s is refused on a page', async (_, uri) => {
    expect(await onPage({ redirect_uri: uri }, registered)).toBe('invalid_request');
  });
});

test.each([
  [{ prompt: 'bogus' }, undefined],
  [{ prompt: 'bogus', response_mode: 'fragment' }, '#'],
  [{ prompt: 'bogus', response_type: 'code id_token', response_mode: 'query' }, '#'],
  [{ response_type: 'token' }, '#'],
])('an error for %j is redirected in the query or the fragment', async (fields, fragment) => {
  expect((await refused(fields)).fragment).toBe(fragment);
});

test('a blacklisted client gets unauthorized_client', async () => {
  const client = registerStrict(provider, 'openid');
  provider.blacklist(client.clientID);
  expect(await refused({}, client)).toMatchObject({ error: 'unauthorized_client', state: 'a state' });
  expect((await refused({ state: ['a', 'b'], response_type: 'bogus' }, client)).error).toBe('unauthorized_client');
});

test('a client without the grant type authorization_code gets unauthorized_client', async () => {
  const client = registerStrict(provider, 'openid', { grantTypes: ['refresh_token'] });
  expect((await refused({}, client)).error).toBe('unauthorized_client');
});

describe('response_type', () => {
  test.each([
    [undefined, 'invalid_request'],
    ['token', 'unsupported_response_type'],
    ['code id_token token', 'unsupported_response_type'],
  ])('%s is refused with %s', async (type, error) => {
    expect((await refused({ response_type: type })).error).toBe(error);
  });

  test.each(['code id_token', 'id_token code'])('%s is accepted in any order of its values', async (type) => {
    await accepted({ response_type: type, nonce: 'n' });
  });
});

describe('response_type code id_token', () => {
  test('returns a code and an ID Token with its c_hash in the fragment', async () => {
    const callback = await signIn(provider, client, { response_type: 'code id_token', nonce: 'my nonce' });
    expect(callback.search).toBe('');
    const response = Object.fromEntries(new URLSearchParams(callback.hash.slice(1)));
    expect(Object.keys(response).sort()).toEqual(['code', 'id_token', 'session_state', 'state']);
    const claims = jwtPart(response.id_token ?? '', 'claims');
    const digest = createHash('sha256')
      .update(response.code ?? '')
      .digest();
    expect(claims).toMatchObject({ nonce: 'my nonce', iss: provider.issuer, azp: client.clientID });
    expect(claims.c_hash).toBe(digest.subarray(0, 16).toString('base64url'));
    expect(claims).not.toHaveProperty('at_hash');
    const { status, json } = await redeem(provider, client, response.code ?? '');
    expect([status, jwtPart(json.id_token, 'claims').sub]).toEqual([200, claims.sub]);
  });

  test.each<[string, Fields, string]>([
    ['without nonce', {}, 'invalid_request'],
    ['with response_mode=query', { nonce: 'n', response_mode: 'query' }, 'invalid_request'],
    ['without openid', { nonce: 'n', scope: 'basic' }, 'invalid_scope'],
  ])('%s is refused in the fragment', async (_, fields, error) => {
    expect(await refused({ response_type: 'code id_token', ...fields })).toMatchObject({ error, fragment: '#' });
  });

  test.each([
    ['by a client registered for code only', 'openid', { responseTypes: ['code'] }],
    ['by a client of the profile flow', 'profile', {}],
  ] as const)('%s is refused', async (_, flow, registration) => {
    const other = registerStrict(provider, flow, registration);
    const response = await refused({ response_type: 'code id_token', nonce: 'n' }, other);
    expect(response).toMatchObject({ error: 'unsupported_response_type', fragment: '#' });
  });
});

test.each(['form_post', 'query fragment'])('response_mode %s is refused', async (mode) => {
  expect(await refused({ response_mode: mode })).toMatchObject({ error: 'invalid_request', state: 'a state' });
});

describe('scope', () => {
  test('missing means basic in the profile flow and openid in the openid flow', async () => {
    const { access_token } = await tokensOf(provider, provider.clients.profile);
    const read = (path: string) => send(provider, path, { headers: { authorization: `Bearer ${access_token}` } });
    expect((await read('/api/v1/users/current')).status).toBe(200);
    expect((await read('/api/v1/colleagues')).status).toBe(403);
    expect((await tokensOf(provider, client)).scope).toBe('openid');
  });

  test('an unknown scope is ignored with openid and refused without openid', async () => {
    expect((await tokensOf(provider, client, { scope: 'openid profile address phone offline_access' })).scope).toBe(
      'openid',
    );
    expect((await refused({ scope: 'basic profile' })).error).toBe('invalid_scope');
    expect((await refused({ scope: 'basic offline_access' }, provider.clients.profile)).error).toBe('invalid_scope');
  });

  test('a scope token that the client is not registered for is refused', async () => {
    const formB = registerStrict(provider, 'openid');
    for (const scope of ['openid basic', 'basic', 'openid a"b']) {
      expect([scope, (await refused({ scope }, formB)).error]).toEqual([scope, 'invalid_scope']);
    }
    const formA = registerStrict(provider, 'profile', { scope: 'basic' });
    expect((await refused({ scope: 'basic email' }, formA)).error).toBe('invalid_scope');
    expect((await refused({ scope: 'openid basic' }, provider.clients.profile)).error).toBe('invalid_scope');
  });
});

describe('PKCE', () => {
  test('requirePKCE: false accepts a request without code_challenge', async () => {
    const lax = registerStrict(provider, 'openid', { requirePKCE: false });
    await accepted({ code_challenge: undefined, code_challenge_method: undefined }, lax);
    expect((await refused({ code_challenge: undefined }, lax)).error).toBe('invalid_request');
  });

  test.each([undefined, 'plain', 's256'])('code_challenge_method %s is refused', async (method) => {
    const response = await refused({ code_challenge_method: method });
    expect(response).toMatchObject({
      error: 'invalid_request',
      error_description: 'transform algorithm not supported',
    });
  });

  test.each([
    ['too short', CHALLENGE.slice(1)],
    ['too long', `${CHALLENGE}A`],
    ['of base64', CHALLENGE.replace('-', '+')],
  ])('a code_challenge that is %s is refused', async (_, challenge) => {
    expect((await refused({ code_challenge: challenge })).error).toBe('invalid_request');
  });

  test('a request of the profile flow with PKCE must complete it', async () => {
    const { profile } = provider.clients;
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    expect((await refused({ ...pkce, code_challenge_method: 'plain' }, profile)).error).toBe('invalid_request');
    const code = await codeOf(provider, profile, pkce);
    expect((await redeem(provider, profile, code)).json.error).toBe('invalid_grant');
    expect((await redeem(provider, profile, code, { code_verifier: 'x'.repeat(43) })).json.error).toBe('invalid_grant');
    expect((await redeem(provider, profile, code, { code_verifier: VERIFIER })).status).toBe(200);
  });
});

describe('a request object', () => {
  const missing = { response_type: undefined, scope: undefined, code_challenge: undefined, state: undefined };

  test.each(['request', 'request_uri', 'registration'])(
    'in %s is refused before its contents are missed',
    async (name) => {
      const { error, iss } = await refused({ ...missing, [name]: 'https://site.example/request.jwt' });
      expect([error, iss]).toEqual([`${name}_not_supported`, undefined]);
      expect((await refused({ [name]: 'x', response_type: 'token' })).error).toBe(`${name}_not_supported`);
    },
  );

  test.each(['redirect_uri', 'client_id'])('that may contain %s is refused on a page', async (name) => {
    const { status, text } = await authorize(provider, client, { ...missing, [name]: undefined, request: 'a.b.c' });
    expect(status).toBe(400);
    expect(text).toContain('no-request-objects');
    expect(provider.problems.at(-1)).toMatchObject({ rule: 'no-request-objects' });
  });
});

test.each([{ display: 'popup' }, { type: 'verify' }, { ui_locales: 'se fr' }])('%j is accepted', async (fields) => {
  await accepted(fields);
});

describe('prompt', () => {
  test.each(['none login', 'create none', 'login bogus', 'NONE'])('%s is refused', async (prompt) => {
    expect(await refused({ prompt })).toMatchObject({ error: 'invalid_request', state: 'a state' });
  });

  test.each(['', 'login', 'consent', 'create login', ' login  consent '])('"%s" is accepted', async (prompt) => {
    await accepted({ prompt });
  });
});

describe('prompt=none', () => {
  const silently = (fields: Fields = {}, of = client): Promise<URL> =>
    signIn(provider, of, { prompt: 'none', ...fields });

  test('without a session gets login_required and sets no cookie', async () => {
    const { status, location, headers } = await authorize(provider, client, { prompt: 'none' });
    expect([status, location.searchParams.get('error')]).toEqual([302, 'login_required']);
    expect([location.searchParams.get('state'), headers.getSetCookie()]).toEqual(['a state', []]);
  });

  test('with session and consent returns a code of the same login', async () => {
    const first = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    provider.clock.advance('10 minutes');
    const code = (await silently()).searchParams.get('code') ?? '';
    const again = jwtPart((await redeem(provider, client, code)).json.id_token, 'claims');
    expect([again.sub, again.auth_time]).toEqual([first.sub, first.auth_time]);
  });

  test('for a scope without consent gets consent_required', async () => {
    await signIn(provider, client);
    expect((await silently({ scope: 'openid basic' })).searchParams.get('error')).toBe('consent_required');
    const other = registerStrict(provider, 'openid');
    expect((await silently({}, other)).searchParams.get('error')).toBe('consent_required');
  });

  test('with a session older than max_age gets login_required', async () => {
    provider.clock.freeze();
    await signIn(provider, client);
    provider.clock.advance('61 seconds');
    expect((await silently({ max_age: '60' })).searchParams.get('error')).toBe('login_required');
    expect((await silently({ max_age: '62' })).searchParams.has('code')).toBe(true);
    expect((await silently({ max_age: '0' })).searchParams.get('error')).toBe('login_required');
  });
});

describe('prompt=login and prompt=consent', () => {
  test('login shows the login page again and sets a new auth_time', async () => {
    const first = jwtPart((await tokensOf(provider, client)).id_token, 'claims');
    provider.clock.advance('10 minutes');
    const again = jwtPart((await tokensOf(provider, client, { prompt: 'login' })).id_token, 'claims');
    expect(Number(again.auth_time) - Number(first.auth_time)).toBeGreaterThanOrEqual(600);
    const loginPosts = provider.requests.filter(({ path, method }) => path === '/oauth/login' && method === 'POST');
    expect(loginPosts).toHaveLength(2);
  });

  test('consent shows the consent page again; with login the login page is first', async () => {
    await signIn(provider, client);
    const before = provider.requests.length;
    await signIn(provider, client, { prompt: 'consent' });
    const posts = (from: number) =>
      provider.requests.slice(from).flatMap(({ path, method }) => (method === 'POST' ? [path] : []));
    expect(posts(before)).toEqual(['/oauth/consent']);
    const then = provider.requests.length;
    await signIn(provider, client, { prompt: 'consent login' });
    expect(posts(then)).toEqual(['/oauth/login', '/oauth/consent']);
  });
});

test.each(['-1', '1.5'])('max_age %s is refused', async (maxAge) => {
  expect((await refused({ max_age: maxAge })).error).toBe('invalid_request');
});

describe('id_token_hint', () => {
  test('that is malformed, or for another client, is refused', async () => {
    const { id_token } = await tokensOf(provider, client);
    expect((await refused({ id_token_hint: 'a.b.c' })).error).toBe('invalid_request');
    const other = registerStrict(provider, 'openid');
    expect((await refused({ id_token_hint: id_token }, other)).error).toBe('invalid_request');
  });

  test('of another user than the signed-in one has no effect, also with prompt=none', async () => {
    const { id_token } = await tokensOf(provider, client, { as: 'pending' });
    await signIn(provider, client);
    const callback = await signIn(provider, client, { prompt: 'none', id_token_hint: id_token });
    const { json } = await redeem(provider, client, callback.searchParams.get('code') ?? '');
    expect(jwtPart(json.id_token, 'claims').sub).toBe(provider.clinicians.get('verified').sub);
  });
});

describe('consent', () => {
  const posts = (to: string) => provider.requests.filter(({ method, path }) => method === 'POST' && path === to).length;
  const consents = () => posts('/oauth/consent');

  test('is remembered for a user, a client and a scope, and requested again for more scope', async () => {
    await signIn(provider, client, { scope: 'openid basic' });
    await signIn(provider, client, { scope: 'openid basic' });
    await signIn(provider, client, { scope: 'openid' });
    expect(consents()).toBe(1);
    await signIn(provider, client, { scope: 'openid basic colleagues' });
    expect(consents()).toBe(2);
    await signIn(provider, registerStrict(provider, 'openid'), { scope: 'openid' });
    expect([posts('/oauth/login'), consents()]).toEqual([1, 3]);
    await signIn(provider, client, { as: 'pending', scope: 'openid' });
    expect(consents()).toBe(4);
  });

  test('without email is reported in the token response of the openid flow, and is remembered', async () => {
    const scope = 'openid basic email';
    const url = authorizeURL(provider, client, { scope });
    const callback = new URL(await provider.signIn(url, { as: 'verified', approve: ['openid', 'basic'] }));
    const { json } = await redeem(provider, client, callback.searchParams.get('code') ?? '');
    expect(json.scope).toBe('openid basic');
    expect((await tokensOf(provider, client, { scope, prompt: 'none' })).scope).toBe('openid basic');
    expect(consents()).toBe(1);
    expect((await tokensOf(provider, client, { scope, prompt: 'consent' })).scope).toBe(scope);
  });

  test('of no scope is a denial, which is not remembered', async () => {
    const { profile } = provider.clients;
    const url = authorizeURL(provider, profile, { scope: 'email' });
    const callback = new URL(await provider.signIn(url, { as: 'verified', approve: [] }));
    expect(callback.searchParams.get('error')).toBe('access_denied');
    expect((await signIn(provider, profile, { scope: 'email' })).searchParams.has('code')).toBe(true);
  });

  test('lists email separately and not ticked beforehand, and a form without it grants no email', async () => {
    const visitor = new Visitor(provider);
    const page = await visitor.signIn(await visitor.get(authorizePath(provider)), 'verified');
    expect(page.text).toMatch(/<input type="checkbox" id="scope-email" name="approve_email" value="yes">/);
    const { location } = await visitor.submit(page, { decision: 'approve' });
    const code = new URL(location).searchParams.get('code') ?? '';
    expect((await redeem(provider, client, code)).json.scope).toBe('openid basic colleagues');
  });
});

describe('a request for a frame', () => {
  const inFrame = (dest: string) => ({ headers: { accept: 'text/html', 'sec-fetch-dest': dest } });

  test('is refused with a page, also with prompt=none', async () => {
    const { cookies } = await signedInVisitor();
    const cookie = [...cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    for (const dest of ['iframe', 'frame', 'embed', 'object', 'fencedframe']) {
      for (const prompt of [undefined, 'none']) {
        const path = `/oauth/authorize?${encode(authorization(client, { prompt }))}`;
        const headers = { ...inFrame(dest).headers, cookie };
        const { status, text, location } = await send(provider, path, { headers });
        expect([status, location.protocol]).toEqual([400, 'none:']);
        expect(text).toContain('authorization-not-framed');
      }
    }
    expect(provider.problems.at(-1)).toMatchObject({ rule: 'authorization-not-framed' });
  });

  test.each<[string, Fields]>([
    ['a redirected error', { scope: 'bogus' }],
    ['prompt=none', { prompt: 'none' }],
  ])('is forbidden by the response: %s', async (_name, fields) => {
    const { headers } = await authorize(provider, client, fields);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

test('a denial redirects with access_denied and state', async () => {
  const callback = new URL(await provider.signIn(authorizeURL(provider, client), { as: 'verified', deny: true }));
  expect(Object.fromEntries(callback.searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'The user denied the request',
    state: 'a state',
  });
});

describe('the successful response', () => {
  test('has code, state and session_state, and no other parameter', async () => {
    const openid = await signIn(provider, client);
    expect([...openid.searchParams.keys()].sort()).toEqual(['code', 'session_state', 'state']);
    const formA = await signIn(provider, provider.clients.profile);
    expect([...formA.searchParams.keys()].sort()).toEqual(['code', 'state']);
    const stateless = await signIn(provider, provider.clients.profile, { state: undefined });
    expect([...stateless.searchParams.keys()]).toEqual(['code']);
    const withoutOpenID = await signIn(provider, client, { scope: 'basic' });
    expect([...withoutOpenID.searchParams.keys()].sort()).toEqual(['code', 'state']);
  });

  const markup = '<script>"\'&';
  test.each(['%41 %', markup, '\u65e5 \u{1f60a}', 'line\r\nbreak', "!'()*~", 'x'.repeat(6000)])(
    'returns the state %j unchanged',
    async (state) => {
      for (const mode of ['query', 'fragment']) {
        const callback = await signIn(provider, client, { state, response_mode: mode });
        const response = mode === 'query' ? callback.searchParams : new URLSearchParams(callback.hash.slice(1));
        expect(response.get('state')).toBe(state);
        expect(callback.href).not.toMatch(/[\s<>"]/);
      }
    },
  );

  test('issParameter: true adds iss to successes and errors, and the metadata announces it', async () => {
    const other = await startMockProvider({ issParameter: true });
    const success = await signIn(other, other.clients.openid);
    const error = await authorize(other, other.clients.openid, { prompt: 'bogus' });
    const { json } = await send(other, '/.well-known/openid-configuration');
    await other.stop();
    expect([success.searchParams.get('iss'), error.location.searchParams.get('iss')]).toEqual([
      other.issuer,
      other.issuer,
    ]);
    expect(json.authorization_response_iss_parameter_supported).toBe(true);
    const plain = (await send(provider, '/.well-known/openid-configuration')).json;
    expect(plain).not.toHaveProperty('authorization_response_iss_parameter_supported');
  });
});

test('checks run in order: an earlier violation hides the later ones', async () => {
  const violations: [Fields, string][] = [
    [{ max_age: 'x', id_token_hint: 'x' }, 'max_age must be a whole number of seconds'],
    [{ prompt: 'bogus' }, 'prompt bogus is not supported'],
    [{ code_challenge_method: 'plain' }, 'transform algorithm not supported'],
    [{ scope: 'nonsense' }, 'scope contains an unknown scope'],
    [{ response_mode: 'bogus' }, 'response_mode must be query or fragment'],
    [{ response_type: 'bogus' }, 'response_type must be code'],
    [{ request: 'x' }, 'The parameter request is not supported'],
    [{ state: ['1', '2'] }, 'state was sent more than once'],
  ];
  let all: Fields = {};
  for (const [fields, description] of violations) {
    all = { ...all, ...fields };
    expect((await refused(all)).error_description).toBe(description);
  }
  expect(await onPage({ ...all, redirect_uri: 'x' })).toBe('invalid_request');
  expect(await onPage({ ...all, redirect_uri: 'x', client_id: 'unknown' })).toBe('invalid_client');
});
