import { createHash } from 'node:crypto';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import {
  basic,
  claimsOf,
  codeForm,
  type Parameters,
  post,
  profile,
  redirectURI,
  refresh,
  refusalOf,
  signedIn,
  type Tokens,
  tokensFor,
} from './person.js';

let provider: MockProvider;
let openid: RegisteredClient;
let form: RegisteredClient;
beforeAll(async () => {
  provider = await startMockProvider();
  openid = provider.clients.openid;
  form = provider.clients.profile;
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const clientOf = (flow: 'openid' | 'profile') => provider.clients[flow];

async function redeem(client: RegisteredClient, change: Parameters = {}, headers: Record<string, string> = {}) {
  const { code } = await signedIn(provider, client);
  return post(provider, '/oauth/token', client, codeForm(client, code, change), headers);
}

function raw(body: string, headers: Record<string, string>, query = ''): Promise<Response> {
  return fetch(`${provider.issuer}/oauth/token${query}`, { method: 'POST', body, headers });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the answer', () => {
  test('decision 51: in the openid flow', async () => {
    const tokens = await tokensFor(provider, openid, { scope: 'openid basic' });
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 1800,
      refresh_token: expect.any(String),
      scope: 'openid basic',
      id_token: expect.any(String),
    });
  });

  test('decision 51: in the profile flow, without scope unless it was narrowed', async () => {
    expect(await tokensFor(provider, form)).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.any(String),
    });
    const { code } = await (async () => {
      const url = new URL('/oauth/authorize', provider.issuer);
      url.search = new URLSearchParams({
        client_id: form.clientID,
        response_type: 'code',
        redirect_uri: redirectURI,
        scope: 'basic email',
      }).toString();
      const back = new URL(await provider.signIn(url.href, { as: 'verified', approve: [] }));
      return { code: back.searchParams.get('code') as string };
    })();
    expect(await (await post(provider, '/oauth/token', form, codeForm(form, code))).json()).toMatchObject({
      scope: 'basic',
    });
  });

  test('decision 41: has the three headers, also as an error', async () => {
    const good = await redeem(openid);
    const bad = await redeem(openid, { grant_type: 'nothing' });
    for (const response of [good, bad]) {
      expect(response.headers.get('content-type')).toBe('application/json;charset=UTF-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('decision 57: what an ID Token says', async () => {
    const { id_token, access_token } = await tokensFor(provider, openid, { nonce: 'the-nonce' });
    const header = JSON.parse(Buffer.from(id_token.split('.')[0] as string, 'base64url').toString()) as object;
    expect(header).toMatchObject({ alg: 'RS256', kid: provider.keys.current });
    const claims = claimsOf(id_token);
    expect(claims).toEqual({
      iss: provider.issuer,
      sub: provider.clinicians.get('verified').sub,
      aud: [provider.issuer, openid.clientID],
      azp: openid.clientID,
      exp: (claims.iat as number) + 1800,
      iat: expect.any(Number),
      auth_time: expect.any(Number),
      at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
      nonce: 'the-nonce',
    });
    expect(claimsOf((await tokensFor(provider, openid)).id_token)).not.toHaveProperty('nonce');
  });

  test('decisions 38, 58: codes and tokens are random, opaque and at least 128 bits', async () => {
    const { code } = await signedIn(provider, openid);
    const tokens = await tokensFor(provider, openid);
    for (const value of [code as string, tokens.access_token, tokens.refresh_token]) {
      expect(value.length).toBeGreaterThanOrEqual(22);
      expect(value).not.toContain('.');
    }
  });
});

describe('what is asked wrongly', () => {
  test('decision 40: by another method, type or place', async () => {
    expect((await fetch(`${provider.issuer}/oauth/token`)).status).toBe(405);
    const { code } = await signedIn(provider, openid);
    const body = codeForm(openid, code) as Record<string, string>;
    const authorization = basic(openid);
    expect(
      await refusalOf(await raw(JSON.stringify(body), { authorization, 'content-type': 'application/json' })),
    ).toEqual([400, 'invalid_request']);
    expect(await refusalOf(await raw('', { authorization, ...FORM }, `?${new URLSearchParams(body)}`))).toEqual([
      400,
      'invalid_request',
    ]);
    expect((await post(provider, '/oauth/token', openid, body)).status).toBe(200);
  });

  test('decision 5, 42: a parameter twice, before anything else is looked at', async () => {
    expect(await refusalOf(await raw('grant_type=a&grant_type=b', FORM))).toEqual([400, 'invalid_request']);
  });

  test('attack 220: what is no percent-encoding', async () => {
    for (const body of ['grant_type=%zz', 'grant_type=%00', 'grant_type=%ff%fe']) {
      expect((await raw(body, { authorization: basic(openid), ...FORM })).status).toBe(400);
    }
  });

  test('attack 218: a body without end', async () => {
    expect((await raw(`x=${'a'.repeat(300_000)}`, FORM)).status).toBe(413);
  });

  test.each<[string, Parameters, string]>([
    ['decision 47: no grant_type', { grant_type: undefined }, 'invalid_request'],
    ['decision 47: client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['decision 47: password', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['decision 48: no code', { code: undefined }, 'invalid_request'],
    ['decision 48: no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
    ['decision 48: another redirect_uri', { redirect_uri: `${redirectURI}/` }, 'invalid_grant'],
    ['decision 48: an unknown code', { code: 'nothing' }, 'invalid_grant'],
    ['decision 49: no code_verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['decision 49: a short one', { code_verifier: 'short' }, 'invalid_grant'],
    ['decision 49: another one', { code_verifier: 'b'.repeat(43) }, 'invalid_grant'],
  ])('%s', async (...[, change, error]) => {
    expect(await refusalOf(await redeem(openid, change))).toEqual([400, error]);
  });

  test('decision 49: a verifier for a code without challenge', async () => {
    expect(await refusalOf(await redeem(form, { code_verifier: 'b'.repeat(43) }))).toEqual([400, 'invalid_grant']);
  });
});

describe('client authentication', () => {
  const unauthorized = async (response: Response) => {
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
    expect(await refusalOf(response)).toEqual([401, 'invalid_client']);
  };

  test('decision 44: none, an unknown client, a wrong secret', async () => {
    await unauthorized(await raw('grant_type=authorization_code', FORM));
    await unauthorized(
      await raw('grant_type=x', { ...FORM, authorization: basic({ clientID: 'nobody', clientSecret: 'x' }) }),
    );
    await unauthorized(
      await raw('grant_type=x', { ...FORM, authorization: basic({ ...openid, clientSecret: 'wrong' }) }),
    );
    await unauthorized(await raw(`grant_type=x&client_id=${form.clientID}&client_secret=wrong`, FORM));
    await unauthorized(
      await raw('grant_type=x', { ...FORM, authorization: basic({ clientID: 'constructor', clientSecret: 'x' }) }),
    );
  });

  test('decision 43: bad base64, no colon, bad encoding', async () => {
    for (const credentials of [
      '%%%',
      Buffer.from('no-colon').toString('base64'),
      Buffer.from('a%zz:b').toString('base64'),
    ]) {
      expect(await refusalOf(await raw('grant_type=x', { ...FORM, authorization: `Basic ${credentials}` }))).toEqual([
        400,
        'invalid_request',
      ]);
    }
  });

  test.each(['with-dash', 'with+plus', 'with%percent', 'with:colon', 'with=equals', 'with space', "!'()*~"])(
    'decision 43, attack 187: secret %p, encoded as clients encode it',
    async (clientSecret) => {
      const client = provider.registerClient({
        flow: 'openid',
        redirectURIs: [redirectURI],
        clientID: `app ${clientSecret}`,
        clientSecret,
      });
      const all = (text: string) =>
        [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      const spaces = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
      for (const encode of [encodeURIComponent, all, spaces]) {
        const authorization = `bAsIc ${Buffer.from(`${encode(client.clientID)}:${encode(clientSecret)}`).toString('base64')}`;
        expect(await refusalOf(await raw('grant_type=x', { ...FORM, authorization }))).toEqual([
          400,
          'unsupported_grant_type',
        ]);
      }
    },
  );

  test('decision 45: two at once, or two names', async () => {
    const authorization = basic(openid);
    expect(
      await refusalOf(
        await raw(`grant_type=x&client_id=${openid.clientID}&client_secret=${openid.clientSecret}`, {
          ...FORM,
          authorization,
        }),
      ),
    ).toEqual([400, 'invalid_request']);
    expect(await refusalOf(await raw('grant_type=x&client_id=other', { ...FORM, authorization }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await refusalOf(await raw(`grant_type=x&client_id=${openid.clientID}`, { ...FORM, authorization }))).toEqual(
      [400, 'unsupported_grant_type'],
    );
  });

  test('decision 46: the profile flow may use Basic, the openid flow must', async () => {
    const { code } = await signedIn(provider, form);
    const body = codeForm(form, code) as Record<string, string>;
    expect((await raw(new URLSearchParams(body).toString(), { ...FORM, authorization: basic(form) })).status).toBe(200);
    await unauthorized(
      await raw(`grant_type=x&client_id=${openid.clientID}&client_secret=${openid.clientSecret}`, FORM),
    );
  });
});

describe('codes', () => {
  test('decision 48: a failed attempt does not burn the code', async () => {
    const { code } = await signedIn(provider, openid);
    await post(provider, '/oauth/token', openid, codeForm(openid, code, { code_verifier: 'b'.repeat(43) }));
    await post(provider, '/oauth/token', openid, codeForm(openid, code), {
      authorization: basic({ ...openid, clientSecret: 'x' }),
    });
    expect((await post(provider, '/oauth/token', openid, codeForm(openid, code))).status).toBe(200);
  });

  test('decision 48: of another client', async () => {
    const other = provider.registerClient({ flow: 'openid', redirectURIs: [redirectURI] });
    const { code } = await signedIn(provider, openid);
    expect(await refusalOf(await post(provider, '/oauth/token', other, codeForm(other, code)))).toEqual([
      400,
      'invalid_grant',
    ]);
    expect((await post(provider, '/oauth/token', openid, codeForm(openid, code))).status).toBe(200);
  });

  test('decision 38: live five minutes', async () => {
    provider.clock.freeze();
    const [early, late] = [await signedIn(provider, openid), await signedIn(provider, openid)];
    provider.clock.advance('299 seconds');
    expect((await post(provider, '/oauth/token', openid, codeForm(openid, early.code))).status).toBe(200);
    provider.clock.advance('2 seconds');
    expect(await refusalOf(await post(provider, '/oauth/token', openid, codeForm(openid, late.code)))).toEqual([
      400,
      'invalid_grant',
    ]);
  });

  test.each(['openid', 'profile'] as const)(
    'decision 50: used twice in the %s flow, revokes all that came of it, also after its time',
    async (flow) => {
      const client = clientOf(flow);
      const scope = flow === 'openid' ? 'openid basic' : 'basic';
      for (const wait of ['0 seconds', '20 minutes']) {
        const { code } = await signedIn(provider, client, { scope });
        const first = (await (await post(provider, '/oauth/token', client, codeForm(client, code))).json()) as Tokens;
        const second = (await (await refresh(provider, client, first.refresh_token)).json()) as Tokens;
        expect((await profile(provider, second.access_token)).status).toBe(200);
        provider.clock.advance(wait);
        expect(await refusalOf(await post(provider, '/oauth/token', client, codeForm(client, code)))).toEqual([
          400,
          'invalid_grant',
        ]);
        expect((await profile(provider, second.access_token)).status).toBe(401);
        expect(await refusalOf(await refresh(provider, client, second.refresh_token))).toEqual([400, 'invalid_grant']);
      }
    },
  );

  test('attack 223: redeemed twenty times at once, works once', async () => {
    const { code } = await signedIn(provider, openid);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(provider, '/oauth/token', openid, codeForm(openid, code))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('refresh tokens', () => {
  const scope = 'openid basic email';

  test('decision 53: both old tokens end at once, a new pair comes', async () => {
    const old = await tokensFor(provider, openid, { scope });
    const now = (await (await refresh(provider, openid, old.refresh_token)).json()) as Tokens;
    expect((await profile(provider, old.access_token)).status).toBe(401);
    expect((await profile(provider, now.access_token)).status).toBe(200);
    expect(now.refresh_token).not.toBe(old.refresh_token);
    expect(now.scope).toBe(scope);
  });

  test('decision 52: missing, unknown, of another client', async () => {
    const { refresh_token } = await tokensFor(provider, openid, { scope });
    const other = provider.registerClient({ flow: 'openid', redirectURIs: [redirectURI] });
    expect(await refusalOf(await post(provider, '/oauth/token', openid, { grant_type: 'refresh_token' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await refusalOf(await refresh(provider, openid, 'nothing'))).toEqual([400, 'invalid_grant']);
    expect(await refusalOf(await refresh(provider, other, refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await refresh(provider, openid, refresh_token)).status).toBe(200);
  });

  test('decision 52: live thirty days from their last use', async () => {
    provider.clock.freeze();
    let { refresh_token } = await tokensFor(provider, openid, { scope });
    for (let i = 0; i < 3; i++) {
      provider.clock.advance('29 days');
      ({ refresh_token } = (await (await refresh(provider, openid, refresh_token)).json()) as Tokens);
    }
    provider.clock.advance('31 days');
    expect(await refusalOf(await refresh(provider, openid, refresh_token))).toEqual([400, 'invalid_grant']);
  });

  test('decision 54: a subset of scope narrows the access token, not the refresh token', async () => {
    const first = await tokensFor(provider, openid, { scope });
    const narrow = (await (await refresh(provider, openid, first.refresh_token, { scope: 'openid' })).json()) as Tokens;
    expect(narrow.scope).toBe('openid');
    expect((await profile(provider, narrow.access_token)).status).toBe(403);
    const wide = (await (await refresh(provider, openid, narrow.refresh_token)).json()) as Tokens;
    expect(wide.scope).toBe(scope);
    expect(
      await refusalOf(await refresh(provider, openid, wide.refresh_token, { scope: `${scope} colleagues` })),
    ).toEqual([400, 'invalid_scope']);
    expect((await refresh(provider, openid, wide.refresh_token)).status).toBe(200);
  });

  test('decision 55: an old one used again revokes the whole family', async () => {
    const first = await tokensFor(provider, openid, { scope });
    const second = (await (await refresh(provider, openid, first.refresh_token)).json()) as Tokens;
    expect(await refusalOf(await refresh(provider, openid, first.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await profile(provider, second.access_token)).status).toBe(401);
    expect(await refusalOf(await refresh(provider, openid, second.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  test('decision 55: of two at once exactly one wins', async () => {
    const { refresh_token } = await tokensFor(provider, openid, { scope });
    const answers = await Promise.all([1, 2].map(() => refresh(provider, openid, refresh_token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('decision 56: the new ID Token says the same, at a new time, without nonce', async () => {
    provider.clock.freeze();
    const first = await tokensFor(provider, openid, { scope, nonce: 'n' });
    provider.clock.advance('100 seconds');
    const second = (await (await refresh(provider, openid, first.refresh_token)).json()) as Tokens;
    const [before, after] = [claimsOf(first.id_token), claimsOf(second.id_token)];
    const { nonce: _, at_hash: __, iat, exp, ...same } = before;
    expect(after).toMatchObject({ ...same, iat: (iat as number) + 100, exp: (exp as number) + 100 });
    expect(after).not.toHaveProperty('nonce');
    expect(after.at_hash).not.toBe(before.at_hash);
  });

  test('in the profile flow no ID Token comes', async () => {
    const first = await tokensFor(provider, form);
    expect(await (await refresh(provider, form, first.refresh_token)).json()).not.toHaveProperty('id_token');
  });
});

test('decision 7: what is recorded and what is said of refusals holds no secret', async () => {
  const tokens = await tokensFor(provider, openid);
  await tokensFor(provider, form);
  await refresh(provider, openid, tokens.refresh_token);
  await refresh(provider, openid, tokens.refresh_token);
  const seen = JSON.stringify([provider.requests, provider.problems]);
  for (const secret of [
    tokens.access_token,
    tokens.refresh_token,
    tokens.id_token,
    openid.clientSecret,
    form.clientSecret,
  ]) {
    expect(seen).not.toContain(secret);
  }
  expect(provider.problems.at(-1)).toMatchObject({ error: 'invalid_grant', rule: 'decision 55' });
});
