import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import {
  answerOf,
  ask,
  authorizeQuery,
  authorizeURL,
  type Parameters,
  redirectURI,
  signedIn,
  tokensFor,
} from './person.js';

let provider: MockProvider;
let openid: RegisteredClient;
let profile: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
  ({ openid, profile } = provider.clients);
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const byFlow = (flow: string) => (flow === 'openid' ? openid : profile);

async function expectPage(response: Response, error: string) {
  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(await response.text()).toContain(error);
}

async function expectRedirect(change: Parameters, error: string, flow = 'openid') {
  const response = await ask(authorizeURL(provider, byFlow(flow), change));
  const { at, parameters } = answerOf(response);
  expect([response.status, at, parameters.error, parameters.state]).toEqual([302, redirectURI, error, 'the-state']);
  expect(parameters.error_description).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/);
}

describe('what is shown on a page and never redirected', () => {
  test.each<[string, Parameters, string]>([
    ['decision 12: no client_id', { client_id: undefined }, 'invalid_request'],
    ['decision 12: an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    ['attack 242: a client called __proto__', { client_id: '__proto__' }, 'invalid_client'],
    ['decision 13: no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
  ])('%s', async (_name, change, error) => {
    await expectPage(await ask(authorizeURL(provider, openid, change)), error);
  });

  test('decisions 12, 13: client_id or redirect_uri twice', async () => {
    for (const name of ['client_id', 'redirect_uri']) {
      const query = authorizeQuery(openid);
      query.append(name, query.get(name) as string);
      await expectPage(await ask(`${provider.issuer}/oauth/authorize?${query}`), 'invalid_request');
    }
  });

  test.each([
    'http://127.0.0.1:5001/callback/',
    'http://127.0.0.1:5001/Callback',
    'http://127.0.0.1:5001/callback?x=1',
    'http://127.0.0.1:5001/callback#x',
    'http://127.0.0.1:5001/x/../callback',
    'http://127.0.0.1:5001/callback%2F',
    'http://127.0.0.1:5002/callback',
    'http://localhost:5001/callback',
    'https://127.0.0.1:5001/callback',
    'http://127.0.0.1:5001@evil.example/callback',
    'http://evil.example/callback',
    'http://127.0.0.1:5001.evil.example/callback',
    'http:\\\\127.0.0.1:5001\\callback',
    '//127.0.0.1:5001/callback',
    '/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://127.0.0.1:5001/callback\r\nX: y',
  ])('decision 13, attack 106: a registered client with %p', async (redirect_uri) => {
    const client = provider.registerClient({ flow: 'openid', redirectURIs: [redirectURI] });
    await expectPage(await ask(authorizeURL(provider, client, { redirect_uri })), 'invalid_request');
  });

  test('decision 13: with allowLoopbackPort only the port may differ', async () => {
    const client = provider.registerClient({ flow: 'openid', redirectURIs: [redirectURI], allowLoopbackPort: true });
    const other = await ask(authorizeURL(provider, client, { redirect_uri: 'http://127.0.0.1:6002/callback' }));
    expect(other.status).toBeLessThan(400);
    await expectPage(
      await ask(authorizeURL(provider, client, { redirect_uri: 'http://127.0.0.1:6002/other' })),
      'invalid_request',
    );
  });

  test('as JSON for whoever prefers it', async () => {
    const response = await ask(authorizeURL(provider, openid, { client_id: 'nobody' }), {
      headers: { accept: 'application/json' },
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'invalid_client', error_description: expect.any(String) },
    ]);
  });
});

describe('what is told to the client by redirect', () => {
  test.each<[string, Parameters, string, string?]>([
    ['decision 17: no response_type', { response_type: undefined }, 'invalid_request'],
    ['decision 17: response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['decision 17: response_type id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['decision 19: another response_mode', { response_mode: 'form_post' }, 'invalid_request'],
    ['decision 21: illegal characters in scope', { scope: 'openid "x"' }, 'invalid_scope'],
    ['decision 21: an unknown scope without openid', { scope: 'nothing' }, 'invalid_scope', 'profile'],
    ['decision 21: openid in the profile flow', { scope: 'openid' }, 'invalid_scope', 'profile'],
    [
      'decision 23: no code_challenge',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['decision 24: no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
    ['decision 24: plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['decision 25: a challenge of 42 characters', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['decision 25: a challenge with padding', { code_challenge: `${'a'.repeat(42)}=` }, 'invalid_request'],
    [
      'decision 25: a bad challenge in the profile flow',
      { code_challenge: 'short', code_challenge_method: 'S256' },
      'invalid_request',
      'profile',
    ],
    ['decision 26: request', { request: 'eyJ' }, 'request_not_supported'],
    ['decision 26: request_uri', { request_uri: 'https://x.example' }, 'request_uri_not_supported'],
    ['decision 26: registration', { registration: '{}' }, 'registration_not_supported'],
    ['decision 28: none with another prompt', { prompt: 'none login' }, 'invalid_request'],
    ['decision 28: an unknown prompt', { prompt: 'select_account' }, 'invalid_request'],
    ['decision 29: none without a session', { prompt: 'none' }, 'login_required'],
    ['decision 32: max_age below 0', { max_age: '-1' }, 'invalid_request'],
    ['decision 32: max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
    ['decision 33: a hint that is no ID Token', { id_token_hint: 'a.b.c' }, 'invalid_request'],
  ])('%s', async (...[, change, error, flow]) => {
    await expectRedirect(change, error, flow);
  });

  test('decision 21: a known scope that the client was not granted', async () => {
    const client = provider.registerClient({ flow: 'openid', redirectURIs: [redirectURI] });
    const { parameters } = answerOf(await ask(authorizeURL(provider, client, { scope: 'openid basic' })));
    expect(parameters.error).toBe('invalid_scope');
  });

  test('decision 16: state twice, and it does not come back', async () => {
    const response = await ask(`${authorizeURL(provider, openid)}&state=another`);
    const { parameters } = answerOf(response);
    expect([parameters.error, parameters.state]).toEqual(['invalid_request', undefined]);
  });

  test('decision 5: any other parameter twice', async () => {
    expect(answerOf(await ask(`${authorizeURL(provider, openid)}&scope=openid&scope=openid`)).parameters.error).toBe(
      'invalid_request',
    );
  });

  test('decision 14: errors go by the response mode, and by fragment for code id_token', async () => {
    const inFragment = await ask(authorizeURL(provider, openid, { response_mode: 'fragment', prompt: 'none' }));
    expect(new URL(inFragment.headers.get('location') as string).hash).toContain('error=login_required');
    const hybrid = await ask(
      authorizeURL(provider, openid, { response_type: 'id_token code', prompt: 'none', nonce: 'n' }),
    );
    expect(new URL(hybrid.headers.get('location') as string).hash).toContain('error=login_required');
  });

  test('decision 18: code id_token never goes in a query, and wants a nonce', async () => {
    for (const change of [{ response_mode: 'query', nonce: 'n' }, { nonce: undefined }]) {
      const response = await ask(authorizeURL(provider, openid, { response_type: 'code id_token', ...change }));
      expect(new URL(response.headers.get('location') as string).hash).toContain('error=invalid_request');
    }
    const without = provider.registerClient({ flow: 'openid', redirectURIs: [redirectURI], responseTypes: ['code'] });
    const refused = await ask(authorizeURL(provider, without, { response_type: 'code id_token', nonce: 'n' }));
    expect(refused.headers.get('location')).toContain('error=unsupported_response_type');
  });

  test('decision 9: the query of the redirect URI stays', async () => {
    const target = `${redirectURI}?tenant=a%20b`;
    const client = provider.registerClient({ flow: 'profile', redirectURIs: [target] });
    const response = await ask(authorizeURL(provider, client, { redirect_uri: target, prompt: 'none' }));
    expect(response.headers.get('location')).toMatch(
      /^http:\/\/127\.0\.0\.1:5001\/callback\?tenant=a%20b&error=login_required&/,
    );
  });

  test('decision 35: the denial, in the words of the spec', async () => {
    const url = new URL(await provider.signIn(authorizeURL(provider, openid), { as: 'verified', deny: true }));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied the request',
      state: 'the-state',
    });
  });
});

describe('what is let through', () => {
  test.each<[string, Parameters]>([
    ['decision 5: an unknown parameter', { colour: 'blue' }],
    ['decision 5: an empty value counts as absent', { prompt: '', max_age: '', response_mode: '' }],
    ['decision 21: an unknown scope beside openid', { scope: 'openid nothing' }],
    ['decision 22: scope in another order, and twice', { scope: 'email openid basic openid' }],
    ['decision 27: another display', { display: 'touch' }],
    ['decision 27: another type', { type: 'else' }],
    [
      'decision 27: hints that are not used',
      { ui_locales: 'fr', acr_values: '1', claims_locales: 'de', login_hint: 'x' },
    ],
  ])('%s', async (_name, change) => {
    expect(Object.keys(await signedIn(provider, openid, change)).sort()).toEqual(['code', 'session_state', 'state']);
  });

  test('decision 11: a POST form, redirected by 303', async () => {
    const response = await ask(`${provider.issuer}/oauth/authorize`, {
      method: 'POST',
      body: authorizeQuery(openid, { prompt: 'none' }),
    });
    expect(response.status).toBe(303);
    expect(answerOf(response).parameters.error).toBe('login_required');
  });

  test('decision 20: the scope of a request that names none', async () => {
    expect((await tokensFor(provider, openid, { scope: undefined })).scope).toBe('openid');
  });

  test('decision 36: code, state and session_state, and nothing else; no session_state without openid', async () => {
    expect(Object.keys(await signedIn(provider, openid)).sort()).toEqual(['code', 'session_state', 'state']);
    expect(Object.keys(await signedIn(provider, profile)).sort()).toEqual(['code', 'state']);
    expect(Object.keys(await signedIn(provider, openid, { state: undefined })).sort()).toEqual([
      'code',
      'session_state',
    ]);
  });

  test.each(['a b', 'a+b', '100%', 'a/b=c&d', 'caf\u00e9 \u{1F4A7}', '"quoted"', '%20', 'x'.repeat(2000)])(
    'decision 36, attack 157: state %p comes back as it was',
    async (state) => {
      expect((await signedIn(provider, openid, { state })).state).toBe(state);
    },
  );

  test('decision 25: PKCE in the profile flow is held to', async () => {
    const { code } = await signedIn(provider, profile, {
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    expect(code).toBeDefined();
  });
});

describe('when a person is asked', () => {
  const at = async (change: Parameters) => signedIn(provider, openid, change);

  test('decision 29: silently, once signed in and approved; consent_required for more', async () => {
    await at({ scope: 'openid' });
    expect((await at({ scope: 'openid', prompt: 'none' })).code).toBeDefined();
    expect((await at({ scope: 'openid basic', prompt: 'none' })).error).toBe('consent_required');
  });

  test('decision 30: prompt=login asks for the password again, with a new auth_time; prompt=consent does not', async () => {
    provider.clock.freeze();
    const first = await tokensFor(provider, openid);
    provider.clock.advance('10 minutes');
    const authTime = async (change: Parameters) =>
      (
        JSON.parse(
          Buffer.from(
            (await tokensFor(provider, openid, change)).id_token.split('.')[1] as string,
            'base64url',
          ).toString(),
        ) as { auth_time: number }
      ).auth_time;
    const born = (
      JSON.parse(Buffer.from(first.id_token.split('.')[1] as string, 'base64url').toString()) as { auth_time: number }
    ).auth_time;
    expect(await authTime({})).toBe(born);
    expect(await authTime({ prompt: 'consent' })).toBe(born);
    expect(await authTime({ prompt: 'login' })).toBe(born + 600);
    provider.clock.advance('10 minutes');
    expect(await authTime({ prompt: 'login consent' })).toBe(born + 1200);
  });

  test('decision 32: max_age', async () => {
    provider.clock.freeze();
    await at({});
    provider.clock.advance('100 seconds');
    expect((await at({ prompt: 'none', max_age: '10000' })).code).toBeDefined();
    expect((await at({ prompt: 'none', max_age: '99' })).error).toBe('login_required');
    expect((await at({ prompt: 'none', max_age: '0' })).error).toBe('login_required');
  });

  test('decision 33: id_token_hint of the same user goes on, expired or not; of another is login_required', async () => {
    const mine = await tokensFor(provider, openid, {}, 'verified');
    const theirs = await tokensFor(provider, openid, {}, 'connected');
    expect((await at({ prompt: 'none', id_token_hint: mine.id_token })).code).toBeDefined();
    expect((await at({ prompt: 'none', id_token_hint: theirs.id_token })).error).toBe('login_required');
    provider.clock.advance('2 hours');
    expect((await at({ prompt: 'none', id_token_hint: mine.id_token })).code).toBeDefined();
    const forged = `${mine.id_token.slice(0, -5)}AAAAA`;
    expect((await at({ id_token_hint: forged })).error).toBe('invalid_request');
  });

  test('decision 33: a hint prefills the login page', async () => {
    const { id_token } = await tokensFor(provider, openid);
    const other = await follow(await ask(authorizeURL(provider, openid, { id_token_hint: id_token })));
    expect(await other.text()).toContain('value="verified"');
  });

  test('decision 34: consent is remembered for its scope, and email may be left out', async () => {
    await at({ scope: 'openid basic' });
    expect((await at({ scope: 'openid', prompt: 'none' })).code).toBeDefined();
    const url = authorizeURL(provider, openid, { scope: 'openid basic email' });
    const back = new URL(await provider.signIn(url, { as: 'verified', approve: [] }));
    expect(back.searchParams.get('code')).not.toBeNull();
    expect((await at({ scope: 'openid basic email', prompt: 'none' })).error).toBe('consent_required');
  });

  test('decision 8: pages are never stored and never framed', async () => {
    const page = await follow(await ask(authorizeURL(provider, openid)));
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') as string;
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("form-action 'self'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

/** Follows to the provider's own pages, with the cookies that it sets. */
async function follow(response: Response): Promise<Response> {
  const location = response.headers.get('location');
  if (location === null) return response;
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return ask(new URL(location, provider.issuer).href, { headers: { accept: 'text/html', cookie } });
}
