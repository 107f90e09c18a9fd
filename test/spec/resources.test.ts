import { createHash, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import {
  api,
  authorize,
  authorizeURL,
  codeFields,
  codeOf,
  jwtPart,
  profile,
  redeem,
  refresh,
  registerStrict,
  revoke,
  send,
  signIn,
  token,
  tokensOf,
} from '../mock-provider/wire.js';

// The resources and their lifecycle, as the service spec describes them: see docs/service-rules.md.
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

describe('the service', () => {
  test('a clinician signs in with the credentials of the service, by the authorization code flow', async () => {
    const callback = await signIn(provider, formA);
    expect(callback.searchParams.get('code')).toEqual(expect.any(String));
    const { status, json } = await redeem(provider, formA, callback.searchParams.get('code') ?? '');
    expect([status, json.token_type]).toEqual([200, 'bearer']);
  });

  test('the openid flow identifies the clinician by the sub of an ID Token', async () => {
    const { id_token } = await tokensOf(provider, formB);
    expect(jwtPart(id_token, 'claims').sub).toBe(provider.clinicians.get('verified').sub);
  });

  test('after the approval the application reads profile, colleagues and rate-limit status', async () => {
    const { access_token } = await tokensOf(provider, formA, CV);
    for (const path of ['users/current', 'colleagues', 'rate_limit']) {
      expect((await api(provider, `/api/v1/${path}`, access_token)).status).toBe(200);
    }
  });

  test('no resource lists or searches the directory', async () => {
    const { access_token } = await tokensOf(provider, formA, CV);
    for (const path of ['users', 'users/1', 'search', 'colleagues/1', 'users/current/colleagues']) {
      expect((await api(provider, `/api/v1/${path}`, access_token)).status).toBe(404);
    }
  });

  test('plain http needs a loopback host', async () => {
    await expect(startMockProvider({ host: '0.0.0.0' })).rejects.toThrow('host must be 127.0.0.1, localhost or ::1');
  });

  test('a user without a session logs in, and a user with one sees only the consent page', async () => {
    expect((await authorize(provider, formB)).text).toContain('type="password"');
    await signIn(provider, formB);
    await signIn(provider, registerStrict(provider, 'openid'));
    const posts = provider.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);
    expect(posts).toEqual(['/oauth/login', '/oauth/consent', '/oauth/consent']);
  });

  test('no code is issued before the user approves', async () => {
    await signIn(provider, formB);
    const silent = await signIn(provider, registerStrict(provider, 'openid'), { prompt: 'none' });
    expect(silent.searchParams.get('error')).toBe('consent_required');
  });

  test('a client has the scopes of its flow by default', () => {
    expect(registerStrict(provider, 'profile').scope).toEqual(['basic', 'colleagues', 'email']);
    expect(registerStrict(provider, 'openid').scope).toEqual(['openid']);
  });

  test('PKCE is required in the openid flow and absent in the profile flow', async () => {
    const refused = await authorize(provider, formB, { code_challenge: undefined });
    expect(refused.location.searchParams.get('error_description')).toBe('code challenge required');
    await tokensOf(provider, formA);
    const [request] = provider.requests.filter(({ clientID }) => clientID === formA.clientID);
    expect(request?.query).not.toHaveProperty('code_challenge');
    const { code_verifier, ...fields } = codeFields(formB, await codeOf(provider, formA));
    expect((await token(provider, formA, { ...fields, code_verifier })).json.error).toBe('invalid_grant');
  });

  test('an access token is valid for an hour in the profile flow, and for half an hour in the openid flow', async () => {
    expect((await tokensOf(provider, formA)).expires_in).toBe(3600);
    expect((await tokensOf(provider, formB)).expires_in).toBe(1800);
  });

  test('both flows use the same endpoints', async () => {
    const pathsOf = async (client: RegisteredClient): Promise<string[]> => {
      provider.reset();
      await profile(provider, (await tokensOf(provider, client, { scope: 'basic' })).access_token);
      return provider.requests.map(({ path }) => path);
    };
    const paths = await pathsOf(formA);
    expect(paths).toEqual(expect.arrayContaining(['/oauth/authorize', '/oauth/token', '/api/v1/users/current']));
    expect(await pathsOf(formB)).toEqual(paths);
  });
});

describe('the token response', () => {
  test('has scope and ID Token in the openid flow only', async () => {
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

  test('has an access token of the user who signed in', async () => {
    const own = (await tokensOf(provider, formA)).access_token;
    const other = (await tokensOf(provider, formA, { as: 'pending' })).access_token;
    expect((await profile(provider, own)).json.id).toBe(provider.clinicians.get('verified').id);
    expect((await profile(provider, other)).json.id).toBe(provider.clinicians.get('pending').id);
  });

  test('has the seconds until the access token expires', async () => {
    provider.clock.freeze();
    const { access_token, expires_in } = await tokensOf(provider, formA);
    provider.clock.advance(expires_in * 1000 - 1);
    expect((await profile(provider, access_token)).status).toBe(200);
    provider.clock.advance(1);
    expect((await profile(provider, access_token)).status).toBe(401);
  });

  test('has Content-Type, Cache-Control and Pragma in the profile flow', async () => {
    const { headers } = await redeem(provider, formA, await codeOf(provider, formA));
    expect(headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  });
});

describe('the profile', () => {
  test('has the fields of the list, with their types and the names of the sample', async () => {
    const { json } = await profile(provider, (await tokensOf(provider, formA, CV)).access_token);
    expect(json).toEqual({
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
      address_2: expect.any(String),
      phone: expect.any(String),
      fax: expect.any(String),
      additional_locations: expect.any(Array),
      credentials: expect.any(String),
      specialty: expect.any(String),
      specialty_details: {
        abbr: expect.any(String),
        code: expect.any(String),
        credential_id: expect.any(Number),
        name: expect.any(String),
        id: expect.any(String),
      },
      hospitals: expect.any(Array),
      subspecialties: expect.any(Array),
      medical_school: expect.any(String),
      residencies: expect.any(Array),
      profile_photo: expect.stringMatching(/^https:/),
      colleague_count: expect.any(Number),
      verified: true,
      description: expect.any(String),
      email: expect.any(String),
    });
    expect([json.id, json.npi, json.colleague_count].every(Number.isInteger)).toBe(true);
    expect([json.lat, json.lon].map(Math.sign)).toEqual([1, -1]);
    expect(json.full_name).toMatch(new RegExp(`, ${json.credentials}$`));
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

  test('has maiden_name only if one exists', async () => {
    const { json } = await profile(provider, (await tokensOf(provider, formA, { as: 'pending' })).access_token);
    expect(json).not.toHaveProperty('maiden_name');
    const { access_token } = await tokensOf(provider, formA);
    expect((await profile(provider, access_token)).json.maiden_name).toBe('Lindqvist');
    provider.clinicians.update('verified', { maidenName: null });
    expect((await profile(provider, access_token)).json.maiden_name).toBeNull();
  });

  test('has the number of entries of the colleague list', async () => {
    for (const as of ['verified', 'connected']) {
      const { access_token } = await tokensOf(provider, formA, { as, ...CV });
      const { colleague_count } = (await profile(provider, access_token)).json;
      const { total_entries } = (await api(provider, '/api/v1/colleagues', access_token)).json;
      expect([as, colleague_count]).toEqual([as, total_entries]);
    }
  });

  test('has verified false in the verification queue, and true after three days', async () => {
    const verified = async (): Promise<boolean> =>
      (await profile(provider, (await tokensOf(provider, formA, { as: 'pending' })).access_token)).json.verified;
    expect(await verified()).toBe(false);
    provider.clock.advance('3 days');
    expect(await verified()).toBe(true);
  });

  test('has the e-mail address only with the scope email, which the user approves', async () => {
    const email = async (login: Record<string, string>): Promise<unknown> =>
      (await profile(provider, (await tokensOf(provider, formA, login)).access_token)).json.email;
    expect(await email({ scope: 'basic' })).toBeUndefined();
    const url = authorizeURL(provider, formA, { scope: 'basic email' });
    const refused = new URL(await provider.signIn(url, { as: 'verified', approve: ['basic'] }));
    const { json } = await redeem(provider, formA, refused.searchParams.get('code') ?? '');
    expect((await profile(provider, json.access_token)).json).not.toHaveProperty('email');
    expect(await email({ scope: 'basic email', prompt: 'consent' })).toBe('vera.castellanos@clinic.example');
  });
});

describe('other resources', () => {
  test('a page of colleagues has its counts and items', async () => {
    const { json } = await api(provider, '/api/v1/colleagues', (await tokensOf(provider, formA, CV)).access_token);
    expect(Object.keys(json).sort()).toEqual(['current_page', 'items', 'per_page', 'total_entries', 'total_pages']);
    expect(json).toMatchObject({ total_entries: 3, current_page: 1, total_pages: 1, per_page: 30 });
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
      expect(Number.isInteger(item.id) && Number.isInteger(item.npi)).toBe(true);
    }
    const members: object = Object.assign({}, ...json.items);
    expect(members).toMatchObject({ middlename: expect.any(String), profile_photo: expect.stringMatching(/^https:/) });
  });

  test('the rate-limit status has limit, remaining and reset in seconds', async () => {
    provider.clock.freeze();
    const { json } = await api(provider, '/api/v1/rate_limit', (await tokensOf(provider, formA)).access_token);
    const reset = Math.ceil(provider.clock.now() / 1000 + 3600);
    expect(json).toEqual({ limit: 5000, remaining: 5000, reset });
  });

  test('the ID Token has its header and claims, and no others', async () => {
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

  test('the metadata documents have the members of the specification', async () => {
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
    expect(oauth.scopes_supported.length).toBeGreaterThan(2);
  });
});

describe('the lifecycle', () => {
  test('a code expires after a few minutes', async () => {
    const code = await codeOf(provider, formA);
    provider.clock.advance('5 minutes');
    expect((await redeem(provider, formA, code)).json.error).toBe('invalid_grant');
  });

  test('an access token expires after expires_in seconds, and a refresh replaces it', async () => {
    const { access_token, refresh_token } = await tokensOf(provider, formA);
    provider.clock.advance('1 hour');
    expect((await profile(provider, access_token)).status).toBe(401);
    const { json } = await refresh(provider, formA, refresh_token);
    expect((await profile(provider, json.access_token)).status).toBe(200);
  });

  test('a refresh revokes the old pair and issues a new one', async () => {
    const old = await tokensOf(provider, formA);
    const { json } = await refresh(provider, formA, old.refresh_token);
    expect((await profile(provider, old.access_token)).status).toBe(401);
    expect((await profile(provider, json.access_token)).status).toBe(200);
    expect((await refresh(provider, formA, old.refresh_token)).json.error).toBe('invalid_grant');
  });

  test.each(['access_token', 'refresh_token'] as const)('a revocation by the %s revokes the pair', async (name) => {
    const tokens = await tokensOf(provider, formA);
    await revoke(provider, formA, tokens[name]);
    expect((await profile(provider, tokens.access_token)).status).toBe(401);
    expect((await refresh(provider, formA, tokens.refresh_token)).json.error).toBe('invalid_grant');
  });

  test('a revoked access token gets 401 at every resource', async () => {
    const { access_token } = await tokensOf(provider, formA, CV);
    await revoke(provider, formA, access_token);
    for (const path of ['/api/v1/users/current', '/api/v1/colleagues', '/api/v1/rate_limit', '/oauth/userinfo']) {
      expect((await api(provider, path, access_token)).status).toBe(401);
    }
  });

  test('the public key of kid verifies the signature of an ID Token', async () => {
    const { id_token } = await tokensOf(provider, formB);
    const { keys } = (await send(provider, '/.well-known/jwks.json')).json;
    const key = keys.find(({ kid }: { kid: unknown }) => kid === jwtPart(id_token, 'header').kid);
    const [header, claims, signature = ''] = id_token.split('.');
    expect(
      verify('sha256', Buffer.from(`${header}.${claims}`), { key, format: 'jwk' }, Buffer.from(signature, 'base64url')),
    ).toBe(true);
  });
});
