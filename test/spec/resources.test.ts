import { createHash, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import {
  api,
  authorize,
  authorizeURL,
  codeOf,
  jwtPart,
  profile,
  redeem,
  refresh,
  registerStrict,
  revoke,
  send,
  signIn,
  tokensOf,
} from '../mock-provider/wire.js';

// The first part of the service spec, sentence by sentence, as far as it is about the server.
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

describe('What the service does', () => {
  test('"let that person sign in with the service\'s own credentials", by "the OAuth 2.0 authorization-code flow"', async () => {
    const callback = await signIn(provider, formA);
    expect(callback.searchParams.get('code')).toEqual(expect.any(String));
    const { status, json } = await redeem(provider, formA, callback.searchParams.get('code') ?? '');
    expect([status, json.token_type]).toEqual([200, 'bearer']);
  });

  test('"A second form of the flow adds OpenID Connect identification"', async () => {
    const { id_token } = await tokensOf(provider, formB);
    expect(jwtPart(id_token, 'claims').sub).toBe(provider.clinicians.get('verified').sub);
  });

  test('"After a user authorizes the application, the application can read that user\'s profile, ... colleague list, ... rate-limit status"', async () => {
    const { access_token } = await tokensOf(provider, formA, CV);
    for (const path of ['users/current', 'colleagues', 'rate_limit']) {
      expect((await api(provider, `/api/v1/${path}`, access_token)).status).toBe(200);
    }
  });

  test('"Broad querying of the directory is not allowed": no other resource exists', async () => {
    const { access_token } = await tokensOf(provider, formA, CV);
    for (const path of ['users', 'users/1', 'search', 'colleagues/1', 'users/current/colleagues']) {
      expect((await api(provider, `/api/v1/${path}`, access_token)).status).toBe(404);
    }
  });

  test('"All requests must use HTTPS": plain http needs a loopback host', async () => {
    await expect(startMockProvider({ host: '0.0.0.0' })).rejects.toThrow('host must be 127.0.0.1, localhost or ::1');
  });

  test('"A user with an account who is not logged in logs in. A logged-in user sees the authorization screen."', async () => {
    expect((await authorize(provider, formB)).text).toContain('type="password"');
    await signIn(provider, formB);
    await signIn(provider, registerStrict(provider, 'openid'));
    const posts = provider.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);
    expect(posts).toEqual(['/oauth/login', '/oauth/consent', '/oauth/consent']);
  });

  test('"The user must approve the application\'s access"', async () => {
    await signIn(provider, formB);
    const silent = await signIn(provider, registerStrict(provider, 'openid'), { prompt: 'none' });
    expect(silent.searchParams.get('error')).toBe('consent_required');
  });

  test('table: scopes; client authentication; PKCE; access token lifetime; identification', async () => {
    expect(registerStrict(provider, 'profile').scope).toEqual(['basic', 'colleagues', 'email']);
    expect(registerStrict(provider, 'openid').scope).toEqual(['openid']);
    expect((await authorize(provider, formB, { code_challenge: undefined })).location.search).toContain(
      'code+challenge'.replace('+', '%20'),
    );
    expect((await tokensOf(provider, formA)).expires_in).toBe(3600);
    expect((await tokensOf(provider, formB)).expires_in).toBe(1800);
  });
});

describe('Resources: token response', () => {
  test('Form A: no scope and no id_token; Form B: both', async () => {
    const a = await tokensOf(provider, formA);
    expect(Object.keys(a).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type']);
    const b = await tokensOf(provider, formB);
    expect(Object.keys(b).sort()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect((await tokensOf(provider, formB, { scope: 'basic' })).id_token).toBeUndefined();
  });

  test('access_token: "Bound to the user"', async () => {
    const own = (await tokensOf(provider, formA)).access_token;
    const other = (await tokensOf(provider, formA, { as: 'pending' })).access_token;
    expect((await profile(provider, own)).json.id).toBe(provider.clinicians.get('verified').id);
    expect((await profile(provider, other)).json.id).toBe(provider.clinicians.get('pending').id);
  });

  test('expires_in: "Seconds the access token is valid"', async () => {
    provider.clock.freeze();
    const { access_token, expires_in } = await tokensOf(provider, formA);
    provider.clock.advance(expires_in * 1000 - 1);
    expect((await profile(provider, access_token)).status).toBe(200);
    provider.clock.advance(1);
    expect((await profile(provider, access_token)).status).toBe(401);
  });

  test('"Response headers in Form A"', async () => {
    const { headers } = await redeem(provider, formA, await codeOf(provider, formA));
    expect(headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  });
});

describe('Resources: profile', () => {
  test('fields, with the types of the list and the spelling of the sample', async () => {
    const { json } = await profile(provider, (await tokensOf(provider, formA, CV)).access_token);
    expect(json).toMatchObject({
      id: expect.any(Number),
      npi: expect.any(Number),
      firstname: expect.any(String),
      middlename: expect.any(String),
      lastname: expect.any(String),
      maiden_name: expect.any(String),
      full_name: expect.any(String),
      gender: expect.stringMatching(/^[MF]$/),
      state: expect.stringMatching(/^[A-Z]{2}$/),
      lat: expect.any(Number),
      lon: expect.any(Number),
      city: expect.any(String),
      zip: expect.any(String),
      address_1: expect.any(String),
      phone: expect.any(String),
      credentials: expect.any(String),
      specialty: expect.any(String),
      specialty_details: {
        abbr: expect.any(String),
        code: expect.any(String),
        credential_id: expect.any(Number),
        name: expect.any(String),
        id: expect.any(String),
      },
      medical_school: expect.any(String),
      profile_photo: expect.stringMatching(/^https:/),
      colleague_count: expect.any(Number),
      verified: true,
      description: expect.any(String),
    });
    expect(Number.isInteger(json.id) && Number.isInteger(json.npi)).toBe(true);
    expect(json.hospitals).toEqual(expect.arrayContaining([{ name: expect.any(String), aha_id: expect.any(String) }]));
    expect(json.subspecialties).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(json.residencies).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(Object.keys(json.additional_locations[0]).sort()).toEqual([
      'address_1',
      'address_2',
      'city',
      'fax',
      'phone',
      'state',
      'zip',
    ]);
  });

  test('maiden_name: "Present only if one exists"', async () => {
    const { json } = await profile(provider, (await tokensOf(provider, formA, { as: 'pending' })).access_token);
    expect(json).not.toHaveProperty('maiden_name');
  });

  test('verified: "True when the user passed verification ... a manual queue that can take up to three days"', async () => {
    const verified = async (): Promise<boolean> =>
      (await profile(provider, (await tokensOf(provider, formA, { as: 'pending' })).access_token)).json.verified;
    expect(await verified()).toBe(false);
    provider.clock.advance('3 days');
    expect(await verified()).toBe(true);
  });

  test('"The email scope, combined with basic, adds the user\'s email address ... The user must approve this explicitly"', async () => {
    const email = async (login: Record<string, string>): Promise<unknown> =>
      (await profile(provider, (await tokensOf(provider, formA, login)).access_token)).json.email;
    expect(await email({ scope: 'basic' })).toBeUndefined();
    const url = authorizeURL(provider, formA, { scope: 'basic email' });
    const refused = new URL(await provider.signIn(url, { as: 'verified', approve: ['basic'] }));
    const { json } = await redeem(provider, formA, refused.searchParams.get('code') ?? '');
    expect((await profile(provider, json.access_token)).json).not.toHaveProperty('email');
    expect(await email({ scope: 'basic email' })).toBe('vera.castellanos@clinic.example');
  });
});

describe('Resources: colleague list, rate-limit status, ID token, metadata', () => {
  test('colleague list: the members of the page and of its items', async () => {
    const { json } = await api(provider, '/api/v1/colleagues', (await tokensOf(provider, formA, CV)).access_token);
    expect(Object.keys(json).sort()).toEqual(['current_page', 'items', 'per_page', 'total_entries', 'total_pages']);
    expect(json.total_entries).toBe(3);
    for (const item of json.items) {
      expect(item).toMatchObject({
        id: expect.any(Number),
        npi: expect.any(Number),
        firstname: expect.any(String),
        lastname: expect.any(String),
        credentials: expect.any(String),
        specialty: expect.any(String),
        zip: expect.any(String),
      });
    }
  });

  test('rate-limit status: limit, remaining, reset in "UTC epoch seconds"', async () => {
    const { json } = await api(provider, '/api/v1/rate_limit', (await tokensOf(provider, formA)).access_token);
    expect(json).toEqual({ limit: 5000, remaining: 5000, reset: expect.any(Number) });
    expect(json.reset - provider.clock.now() / 1000).toBeGreaterThan(3590);
  });

  test('ID token: "signed with RS256", its header and payload members', async () => {
    const { id_token, access_token } = await tokensOf(provider, formB);
    expect(Object.keys(jwtPart(id_token, 'header')).sort()).toEqual(['alg', 'kid']);
    const claims = jwtPart(id_token, 'claims');
    expect(Object.keys(claims).sort()).toEqual(['at_hash', 'aud', 'auth_time', 'azp', 'exp', 'iat', 'iss', 'sub']);
    expect(claims).toMatchObject({ iss: provider.issuer, aud: [provider.issuer, formB.clientID], azp: formB.clientID });
    expect(claims.sub).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(claims.at_hash).toBe(
      createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
    );
  });

  test('metadata: the members of the spec', async () => {
    const openid = (await send(provider, '/.well-known/openid-configuration')).json;
    for (const name of [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'check_session_iframe',
      'end_session_endpoint',
      'jwks_uri',
    ]) {
      expect(openid[name]).toEqual(expect.stringContaining(provider.issuer));
    }
    const oauth = (await send(provider, '/.well-known/oauth-authorization-server')).json;
    for (const name of [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'revocation_endpoint',
      'userinfo_endpoint',
    ]) {
      expect(oauth[name]).toEqual(expect.stringContaining(provider.issuer));
    }
    expect(oauth).toMatchObject({
      scopes_supported: expect.arrayContaining(['search', 'openid']),
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      response_types_supported: ['code', 'code id_token'],
      token_endpoint_auth_signing_alg_values_supported: ['RS256'],
      ui_locales_supported: ['en-US'],
    });
  });
});

describe('States and transitions', () => {
  test('"authorization code issued: a few minutes pass: expired"', async () => {
    const code = await codeOf(provider, formA);
    provider.clock.advance('5 minutes');
    expect((await redeem(provider, formA, code)).json.error).toBe('invalid_grant');
  });

  test('"access token valid: expires_in seconds elapsed: expired: a new token must be issued"', async () => {
    const { access_token, refresh_token } = await tokensOf(provider, formA);
    provider.clock.advance('1 hour');
    expect((await profile(provider, access_token)).status).toBe(401);
    const { json } = await refresh(provider, formA, refresh_token);
    expect((await profile(provider, json.access_token)).status).toBe(200);
  });

  test('"valid refresh token presented: revoked: refresh token used is revoked too; a new access token and refresh token are issued"', async () => {
    const old = await tokensOf(provider, formA);
    const { json } = await refresh(provider, formA, old.refresh_token);
    expect((await profile(provider, old.access_token)).status).toBe(401);
    expect((await profile(provider, json.access_token)).status).toBe(200);
    expect((await refresh(provider, formA, old.refresh_token)).json.error).toBe('invalid_grant');
  });

  test.each(['access_token', 'refresh_token'] as const)(
    '"POST /oauth/revoke: the associated token of the pair is revoked too": by the %s',
    async (name) => {
      const tokens = await tokensOf(provider, formA);
      await revoke(provider, formA, tokens[name]);
      expect((await profile(provider, tokens.access_token)).status).toBe(401);
      expect((await refresh(provider, formA, tokens.refresh_token)).json.error).toBe('invalid_grant');
    },
  );

  test('"access token revoked: any resource request: unchanged: response is 401 Unauthorized"', async () => {
    const { access_token } = await tokensOf(provider, formA, CV);
    await revoke(provider, formA, access_token);
    for (const path of ['/api/v1/users/current', '/api/v1/colleagues', '/api/v1/rate_limit', '/oauth/userinfo']) {
      expect((await api(provider, path, access_token)).status).toBe(401);
    }
  });

  test('the public key of kid verifies the signature', async () => {
    const { id_token } = await tokensOf(provider, formB);
    const { keys } = (await send(provider, '/.well-known/jwks.json')).json;
    const key = keys.find(({ kid }: { kid: unknown }) => kid === jwtPart(id_token, 'header').kid);
    const [header, claims, signature = ''] = id_token.split('.');
    expect(
      verify('sha256', Buffer.from(`${header}.${claims}`), { key, format: 'jwk' }, Buffer.from(signature, 'base64url')),
    ).toBe(true);
  });
});
