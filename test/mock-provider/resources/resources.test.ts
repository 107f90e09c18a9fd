import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type MockProvider,
  type RegisteredClient,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { authorizePath, Visitor } from '../visitor.js';
import { api, profile, refresh, registerStrict, revoke, send, sendRaw, tokensOf, type WireResponse } from '../wire.js';

let client: RegisteredClient;
beforeAll(() => {
  client = provider.clients.profile;
});

const PROFILE = '/api/v1/users/current';
const COLLEAGUES = '/api/v1/colleagues';
const STATUS = '/api/v1/rate_limit';
const ALL = { scope: 'basic colleagues email' };

const access = async (as = 'verified', scope = ALL.scope): Promise<string> =>
  (await tokensOf(provider, client, { as, scope })).access_token;
const rates = ({ headers }: WireResponse): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

test('every error has message and documentation_url', async () => {
  const token = await access('verified', 'basic');
  const responses = [
    await api(provider, PROFILE),
    await api(provider, COLLEAGUES, token),
    await api(provider, '/api/v1/nothing', token),
    await send(provider, PROFILE, { method: 'DELETE' }),
    await api(provider, `${COLLEAGUES}?page=0`, await access()),
  ];
  expect(responses.map(({ status }) => status)).toEqual([401, 403, 404, 405, 400]);
  for (const { json, headers } of responses) {
    expect(json).toEqual({ message: expect.any(String), documentation_url: expect.stringMatching(/^https:/) });
    expect(headers.get('content-type')).toBe('application/json');
  }
});

describe('the access token', () => {
  test('missing in the Authorization header gets a challenge without an error code', async () => {
    const inQuery = `${PROFILE}?access_token=${await access()}`;
    for (const [path, headers = {}] of [[PROFILE], [inQuery], [PROFILE, { authorization: 'Basic eDp5' }]] as const) {
      const response = await send(provider, path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="[^"]+"$/);
    }
  });

  test('malformed, replaced, revoked or expired gets invalid_token', async () => {
    const old = await tokensOf(provider, client);
    await refresh(provider, client, old.refresh_token);
    const revoked = await tokensOf(provider, client);
    await revoke(provider, client, revoked.access_token);
    const expired = await tokensOf(provider, client);
    provider.clock.advance('1 hour');
    const tokens = ['bogus', '', 'a b', 'a,b', old.access_token, revoked.access_token, expired.access_token];
    for (const token of [...tokens, expired.refresh_token]) {
      const { status, headers } = await profile(provider, token);
      expect([token, status]).toEqual([token, 401]);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });
});

test('a session cookie of the provider is no authentication', async () => {
  const visitor = new Visitor(provider);
  await visitor.signIn(await visitor.get(authorizePath(provider)), 'verified');
  expect(visitor.cookies.size).toBeGreaterThan(0);
  for (const path of [PROFILE, COLLEAGUES, STATUS]) expect((await visitor.get(path)).status).toBe(401);
});

test('no other path lists or searches users, or is without the prefix /api/v1', async () => {
  const token = await access();
  for (const path of ['users', 'users/1', 'search', 'colleagues/1', 'users/current/colleagues']) {
    expect((await api(provider, `/api/v1/${path}`, token)).status).toBe(404);
  }
  for (const path of ['/users/current', '/api/users/current', '/api/v2/users/current']) {
    expect((await api(provider, path, token)).status).toBe(404);
  }
});

test('each resource needs its scope', async () => {
  const expected = { basic: [200, 403, 200], colleagues: [403, 200, 200], email: [403, 403, 200] };
  for (const [scope, statuses] of Object.entries(expected)) {
    const token = await access('verified', scope);
    const responses = await Promise.all([PROFILE, COLLEAGUES, STATUS].map((path) => api(provider, path, token)));
    expect(responses.map(({ status }) => status)).toEqual(statuses);
    for (const [index, needed] of ['basic', 'colleagues'].entries()) {
      const challenge = responses[index]?.headers.get('www-authenticate') ?? null;
      const refusal = expect.stringContaining(`error="insufficient_scope", scope="${needed}"`);
      expect(challenge).toEqual(statuses[index] === 403 ? refusal : null);
    }
  }
});

describe('the profile', () => {
  test('has the fields of the list, with their types and the names of the sample', async () => {
    const { json } = await profile(provider, await access());
    const each = (type: unknown, ...names: string[]) =>
      Object.fromEntries(names.map((name) => [name, expect.any(type as typeof String)]));
    expect(json).toEqual({
      ...each(Number, 'id', 'npi', 'lat', 'lon', 'colleague_count'),
      ...each(String, 'firstname', 'middlename', 'lastname', 'maiden_name', 'full_name', 'credentials', 'email'),
      ...each(String, 'address_1', 'address_2', 'city', 'zip', 'phone', 'fax'),
      ...each(String, 'specialty', 'medical_school', 'description'),
      ...each(Array, 'additional_locations', 'hospitals', 'subspecialties', 'residencies'),
      gender: expect.stringMatching(/^[MF]$/),
      state: expect.stringMatching(/^[A-Z]{2}$/),
      specialty_details: { ...each(String, 'abbr', 'code', 'name', 'id'), ...each(Number, 'credential_id') },
      profile_photo: `${provider.apiURL}/oauth/photo.svg?of=vera-castellanos`,
      verified: true,
    });
    expect([json.id, json.npi, json.colleague_count].every(Number.isInteger)).toBe(true);
    expect(json.id).toBeGreaterThan(2 ** 32);
    expect([json.lat, json.lon].map(Math.sign)).toEqual([1, -1]);
    expect(json.full_name).toMatch(new RegExp(`, ${json.credentials}$`));
    expect(json.hospitals).toEqual(expect.arrayContaining([{ name: expect.any(String), aha_id: expect.any(String) }]));
    expect(json.subspecialties).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(json.residencies).toEqual(expect.arrayContaining([expect.any(String)]));
    const members = ['address_1', 'address_2', 'city', 'fax', 'phone', 'state', 'zip'];
    expect(Object.keys(json.additional_locations[0]).sort()).toEqual(members);
  });

  test('of a user without values has members that are null or empty, and lacks those that can be neither', async () => {
    const minimal = (await profile(provider, await access('minimal'))).json;
    const complete = (await profile(provider, await access())).json;
    const absent = Object.keys(complete).filter((name) => !(name in minimal));
    const neither = ['gender', 'lat', 'lon', 'npi', 'profile_photo', 'state'];
    expect(absent.sort()).toEqual([...neither, 'description', 'email', 'maiden_name'].sort());
    expect(minimal).toMatchObject({ city: '', specialty: '', hospitals: [], colleague_count: 0, full_name: 'Mo Li' });
    const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
    const nullable = ['address_1', 'address_2', 'phone', 'fax'];
    for (const [name, value] of Object.entries(minimal)) {
      if (nullable.includes(name)) expect([name, value]).toEqual([name, null]);
      else expect([name, typeOf(value)]).toEqual([name, typeOf(complete[name])]);
    }
    const pending = (await profile(provider, await access('pending'))).json;
    expect([pending.address_2, pending.fax, pending.verified]).toEqual([null, null, false]);
    expect(pending).not.toHaveProperty('maiden_name');
    provider.clinicians.update('verified', { maidenName: null });
    expect((await profile(provider, await access())).json.maiden_name).toBeNull();
  });

  test('has email only with the scope email', async () => {
    expect((await profile(provider, await access('verified', 'basic'))).json).not.toHaveProperty('email');
    expect((await profile(provider, await access())).json.email).toBe('vera.castellanos@clinic.example');
  });

  test.each([
    ['list', ['first_name', 'last_name', 'middle_name']],
    ['both', ['first_name', 'firstname', 'last_name', 'lastname', 'middle_name', 'middlename']],
  ] as const)('has the names of the option spelling: %s', async (spelling, names) => {
    const other = await startMockProvider({ spelling });
    const { access_token } = await tokensOf(other, other.clients.profile, ALL);
    const [mine, list] = [await profile(other, access_token), await api(other, COLLEAGUES, access_token)];
    await other.stop();
    const nameMembers = (value: object): string[] =>
      Object.keys(value)
        .filter((name) => /first|middle|last/.test(name))
        .sort();
    expect(nameMembers(mine.json)).toEqual(names);
    expect(nameMembers(Object.assign({}, ...list.json.items))).toEqual(names);
  });

  test('changes verified with the clock', async () => {
    const token = await access('pending');
    expect((await profile(provider, token)).json.verified).toBe(false);
    provider.clock.advance('3 days');
    expect((await profile(provider, await access('pending'))).json.verified).toBe(true);
  });
});

describe('the colleague list', () => {
  const read = async (query: string, as = 'connected'): Promise<WireResponse> =>
    api(provider, COLLEAGUES + query, await access(as));

  test('has 30 entries on the first page', async () => {
    const { json } = await read('');
    expect(json).toMatchObject({ total_entries: 1234, current_page: 1, total_pages: 42, per_page: 30 });
    expect(json.items).toHaveLength(30);
    const members = ['credentials', 'firstname', 'id', 'lastname', 'middlename', 'npi', 'profile_photo', 'specialty'];
    for (const item of json.items) expect(Object.keys(item).sort()).toEqual([...members, 'zip']);
    expect(json.items.every(({ id, npi }: Record<string, number>) => [id, npi].every(Number.isInteger))).toBe(true);
    expect((await profile(provider, await access('connected'))).json.colleague_count).toBe(1234);
  });

  test('has a last page, empty pages after it, at most 100 entries a page, and may be empty', async () => {
    expect((await read('?page=42')).json.items).toHaveLength(1234 - 41 * 30);
    expect((await read('?page=43')).json).toMatchObject({ current_page: 43, total_pages: 42, items: [] });
    const clamped = (await read('?per_page=1000')).json;
    expect([clamped.per_page, clamped.items.length, clamped.total_pages]).toEqual([100, 100, 13]);
    const empty = { total_entries: 0, total_pages: 1, current_page: 1, items: [] };
    expect((await read('', 'minimal')).json).toMatchObject(empty);
  });

  test.each(['page=0', 'page=1.5', 'page=1&page=2', 'per_page=NaN', 'page=99999999999999999999'])(
    'refuses %s',
    async (query) => {
      expect((await read(`?${query}`)).status).toBe(400);
    },
  );

  test('is ordered by id without repetition and has no Link header', async () => {
    const token = await access('connected');
    const pages = await Promise.all(
      Array.from({ length: 13 }, (_, index) => api(provider, `${COLLEAGUES}?per_page=100&page=${index + 1}`, token)),
    );
    const ids: number[] = pages.flatMap(({ json }) => json.items.map(({ id }: { id: number }) => id));
    expect(ids).toHaveLength(1234);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect((await api(provider, `${COLLEAGUES}?per_page=100`, token)).text).toBe(pages[0]?.text);
    expect(pages[0]?.headers.has('link')).toBe(false);
  });
});

describe('a conditional request', () => {
  test.each([PROFILE, COLLEAGUES])('for %s gets 304 without a body and counts', async (path) => {
    const token = await access();
    const first = await api(provider, path, token);
    expect(first.headers.get('cache-control')).toBe('private, max-age=0, must-revalidate');
    expect(first.headers.get('vary')).toBe('Authorization, Accept');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    const headers = { authorization: `Bearer ${token}`, 'if-none-match': etag };
    const again = await sendRaw(provider, { path, headers });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    expect(Number(again.headers['x-rate-limit-remaining'])).toBe(
      Number(first.headers.get('x-rate-limit-remaining')) - 1,
    );
    expect(again.headers['cache-control']).toBe('private, max-age=0, must-revalidate');
  });

  test('gets 200 after the profile changed', async () => {
    const token = await access();
    const etag = (await profile(provider, token)).headers.get('etag') ?? '';
    provider.clinicians.update('verified', { city: 'Oakland' });
    const again = await api(provider, PROFILE, token, { 'if-none-match': etag });
    expect([again.status, again.json.city]).toEqual([200, 'Oakland']);
  });

  test('checks the access token first', async () => {
    const etag = (await profile(provider, await access())).headers.get('etag') ?? '';
    expect((await api(provider, PROFILE, 'bogus', { 'if-none-match': etag })).status).toBe(401);
    expect((await api(provider, PROFILE, await access('verified', 'email'), { 'if-none-match': etag })).status).toBe(
      403,
    );
  });
});

describe('the rate limit', () => {
  let limited: MockProvider;
  let token: string;
  beforeEach(async () => {
    limited = await startMockProvider({ rateLimit: { limit: 3 } });
    limited.clock.freeze();
    limited.clock.set('2026-03-01T12:00:00.400Z');
    token = (await tokensOf(limited, limited.clients.profile)).access_token;
  });
  afterEach(() => limited.stop());

  test('has three headers on every response, and a window that starts with the first request', async () => {
    limited.clock.advance('10 minutes');
    const reset = String(Math.ceil((limited.clock.now() + 3_600_000) / 1000));
    expect(rates(await profile(limited, token))).toEqual(['3', '2', reset]);
    limited.clock.advance('1 minute');
    expect(rates(await api(limited, '/api/v1/nothing', token))).toEqual(['3', '1', reset]);
    expect(rates(await api(limited, COLLEAGUES, token))).toEqual(['3', '0', reset]);
    for (const response of [
      await api(limited, '/api'),
      await api(limited, '/api/v1/nothing'),
      await api(limited, PROFILE),
      await profile(limited, 'bogus'),
      await send(limited, PROFILE, { method: 'PUT' }),
    ]) {
      expect(rates(response).slice(0, 2)).toEqual(['3', '3']);
    }
  });

  test('refuses a request above the limit with 429 until the window ends', async () => {
    for (let i = 0; i < 3; i += 1) expect((await profile(limited, token)).status).toBe(200);
    const response = await profile(limited, token);
    expect([response.status, rates(response)[1]]).toEqual([429, '0']);
    expect(response.headers.get('status')).toBe('429 Too Many Requests');
    expect(response.json).toEqual({ message: 'API rate limit exceeded', documentation_url: expect.any(String) });
    expect(response.headers.get('retry-after')).toBe('3601');
    limited.clock.advance(3_599_999);
    expect((await profile(limited, token)).status).toBe(429);
    limited.clock.advance(1);
    expect((await profile(limited, (await tokensOf(limited, limited.clients.profile)).access_token)).status).toBe(200);
  });

  test('does not count failed authentications and the status, which works above the limit', async () => {
    for (let i = 0; i < 5; i += 1) await profile(limited, 'bogus');
    for (let i = 0; i < 5; i += 1) expect((await api(limited, STATUS, token)).json.remaining).toBe(3);
    for (let i = 0; i < 5; i += 1) await profile(limited, token);
    const { status, json, headers } = await api(limited, STATUS, token);
    const reset = Number(headers.get('x-rate-limit-reset'));
    expect([status, json]).toEqual([200, { limit: 3, remaining: 0, reset }]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('is shared by the tokens of a clinician at a client, and by no others', async () => {
    for (let i = 0; i < 3; i += 1) await profile(limited, token);
    const again = (await tokensOf(limited, limited.clients.profile)).access_token;
    const disguise = { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1', 'user-agent': 'another' };
    expect((await api(limited, PROFILE, again, disguise)).status).toBe(429);
    const pending = (await tokensOf(limited, limited.clients.profile, { as: 'pending' })).access_token;
    expect((await profile(limited, pending)).status).toBe(200);
    const other = registerStrict(limited, 'profile');
    expect((await profile(limited, (await tokensOf(limited, other)).access_token)).status).toBe(200);
  });
});

describe('a blacklisted application', () => {
  test('gets no response until unblacklist()', async () => {
    const banned = registerStrict(provider, 'profile');
    const { access_token } = await tokensOf(provider, banned, ALL);
    provider.blacklist(banned.clientID);
    const headers = { authorization: `Bearer ${access_token}` };
    for (const path of [PROFILE, COLLEAGUES, STATUS, '/api/v1/nothing']) {
      expect(await sendRaw(provider, { path, headers })).toEqual({ status: 0, headers: {}, text: '' });
    }
    expect((await profile(provider, await access())).status).toBe(200);
    provider.unblacklist(banned.clientID);
    expect((await profile(provider, access_token)).status).toBe(200);
    expect(() => provider.blacklist('unknown')).toThrow('There is no client "unknown"');
  });

  test('is blacklisted in the third window above the limit', async () => {
    const other = await startMockProvider({ rateLimit: { limit: 0, window: '1 minute' } });
    const { access_token } = await tokensOf(other, other.clients.profile);
    const statuses: number[] = [];
    const headers = { authorization: `Bearer ${access_token}` };
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await sendRaw(other, { path: PROFILE, headers })).status);
      other.clock.advance('1 minute');
    }
    await other.stop();
    expect(statuses).toEqual([429, 429, 429, 0]);
  });
});
