import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createConditionalCache } from '../../lib/resource-api/conditional-cache.js';
import { type APIUnderTest, clock, json, startAPI, status, text, tokens } from './api-under-test.js';

let service: APIUnderTest;
beforeEach(async () => {
  service = await startAPI();
});
afterEach(() => service.stop());

const PROFILE = { id: 40123456789, firstname: 'Alice', verified: true };

describe('profile()', () => {
  test('asks for the current user with the access token in the header, and never in the address (attack 97, 30)', async () => {
    service.answers(json(PROFILE));
    expect(await service.api().profile()).toMatchObject({ id: '40123456789', firstName: 'Alice', verified: true });
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'GET', url: '/api/v1/users/current' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer token-1', accept: 'application/json' });
  });

  test('takes an API address with a path and a final slash', async () => {
    service.answers(json(PROFILE));
    await service.api({ apiURL: `${service.url}/gateway/` }).profile();
    expect(service.requests[0]?.url).toBe('/gateway/api/v1/users/current');
  });

  test.each([
    ['HTML', text('<h1>hello</h1>', { 'content-type': 'text/html' })],
    ['JSON that calls itself text', text(JSON.stringify(PROFILE), { 'content-type': 'text/plain' })],
    ['no type', text(JSON.stringify(PROFILE), { 'content-type': '' })],
    ['half a JSON', text('{"id":7,"verified":tr')],
    ['nothing', text('')],
    ['null', text('null')],
    ['an array', json([PROFILE])],
    ['a name twice', text('{"id":7,"verified":false,"verified":true}')],
    ['a name twice, once escaped', text('{"id":7,"id":8,"\\u0069d":9}')],
    ['a name twice, deep inside', text('{"id":7,"x":[{"a":1,"a" : 2}]}')],
    ['a deep nest', text(`{"id":7,"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)],
    ['an error body', json({ message: 'maintenance' })],
  ])('refuses %s (attack 205, 206, 213)', async (_, answer) => {
    service.answers(answer);
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'profile_malformed', status: 502 });
  });

  test('is not misled by colons and quotes inside the text', async () => {
    const tricky = { id: 7, description: 'a "b": "c", \\', city: '"id":', x: { id: 1, y: [{ id: 2 }] }, '': '' };
    service.answers(json(tricky, { 'content-type': 'application/json;charset=UTF-8' }));
    expect((await service.api().profile()).raw).toEqual(tricky);
  });

  test('takes a byte order mark for nothing', async () => {
    service.answers(text(Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(JSON.stringify(PROFILE))])));
    expect(await service.api().profile()).toMatchObject({ id: '40123456789' });
  });
});

describe('a 401', () => {
  test('is answered once, with the token that there is instead (attack 209, 196)', async () => {
    const source = tokens('token-1', 'token-2');
    service.answers(status(401), json(PROFILE));
    expect(await service.api({ tokens: source }).profile()).toMatchObject({ id: '40123456789' });
    expect(source.asked).toEqual([undefined, 'token-1']);
    expect(service.requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test('twice means: sign in again, and no third try (attack 209)', async () => {
    service.answers(status(401));
    const profile = service.api({ tokens: tokens('token-1', 'token-2', 'token-3') }).profile();
    await expect(profile).rejects.toMatchObject({ code: 'access_token_refused', status: 401, remedy: 'sign_in' });
    expect(service.requests).toHaveLength(2);
  });

  test('to the only token there is: no second try with the same', async () => {
    service.answers(status(401));
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'access_token_refused' });
    expect(service.requests).toHaveLength(1);
  });
});

describe('other answers', () => {
  test('403 names the scope that is missing', async () => {
    service.answers(status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="basic"' }));
    const error = await service
      .api()
      .profile()
      .catch((error) => error);
    expect(error).toMatchObject({ code: 'scope_missing', status: 403, remedy: 'tell_user' });
    expect(error.message).toContain('"basic"');
  });

  const seconds = (from: number) => String(clock.now() / 1000 + from);
  test.each<[string, Record<string, string>, number]>([
    ['Retry-After in seconds', { 'retry-after': '90', 'x-rate-limit-reset': seconds(500) }, 90],
    ['Retry-After as a date', { 'retry-after': new Date(clock.now() + 120_000).toUTCString() }, 120],
    ['the reset of the window', { 'x-rate-limit-reset': seconds(500) }, 500],
    ['nothing', {}, 60],
    ['a reset long ago', { 'x-rate-limit-reset': seconds(-500) }, 1],
    ['a reset in the year 9999', { 'x-rate-limit-reset': '253402300799' }, 3600],
    ['a reset beyond all numbers', { 'x-rate-limit-reset': '9'.repeat(400) }, 3600],
    ['a negative reset', { 'x-rate-limit-reset': '-1' }, 1],
    ['no number', { 'x-rate-limit-reset': 'NaN' }, 60],
    ['a fraction', { 'x-rate-limit-reset': '1e308' }, 60],
    ['Retry-After that is nonsense', { 'retry-after': 'soon', 'x-rate-limit-reset': seconds(500) }, 500],
  ])(
    '429 with %s says when to ask again, within bounds, and is not repeated (attack 208)',
    async (_, headers, wait) => {
      service.answers(status(429, headers));
      await expect(service.api().profile()).rejects.toMatchObject({
        code: 'rate_limited',
        status: 503,
        retryable: true,
        resetAt: clock.now() + wait * 1000,
      });
      expect(service.requests).toHaveLength(1);
    },
  );

  test.each([500, 502, 503])('%i is a failure for now', async (code) => {
    service.answers(status(code));
    await expect(service.api().profile()).rejects.toMatchObject({
      code: 'service_error',
      status: 503,
      retryable: true,
    });
  });

  test.each([204, 301, 302, 307, 308, 400, 404, 418])(
    '%i is no answer to this, and is not followed (attack 202)',
    async (code) => {
      const elsewhere = await startAPI();
      elsewhere.answers(json(PROFILE));
      service.answers(status(code, { location: `${elsewhere.url}/x` }));
      await expect(service.api().profile()).rejects.toMatchObject({ code: 'api_response_unexpected', status: 502 });
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.stop();
    },
  );

  test('a redirect is not followed by the built-in fetch either, and takes no token along (attack 202)', async () => {
    const elsewhere = await startAPI();
    service.answers(status(307, { location: `${elsewhere.url}/x` }));
    const builtIn = service.api({ fetch: globalThis.fetch });
    await expect(builtIn.profile()).rejects.toMatchObject({ code: 'api_response_unexpected' });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  test('a connection cut, or no answer in time, is a failure for now (attack 203, 210, 211)', async () => {
    service.answers((req) => req.socket.destroy());
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'service_unreachable', retryable: true });
    service.answers(() => undefined);
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'service_timeout', retryable: true });
  });

  test('the built-in fetch, given instead of ours, fails in the same words', async () => {
    await service.stop();
    const builtIn = service.api({ fetch: globalThis.fetch });
    await expect(builtIn.profile()).rejects.toMatchObject({ code: 'service_unreachable', retryable: true });
    service = await startAPI();
  });

  test('a caller who gives up is told so in his own words', async () => {
    service.answers(() => undefined);
    const giveUp = AbortSignal.abort(new Error('changed my mind'));
    await expect(service.api().profile({ signal: giveUp })).rejects.toThrow('changed my mind');
  });
});

describe('secrets', () => {
  test.each(['a\r\nx-evil: 1', 'a b', 'a,b', '', '\u00e9', 'a\0b'])(
    'a token like %p never reaches a header (attack 163)',
    async (token) => {
      await expect(service.api({ tokens: tokens(token) }).profile()).rejects.toMatchObject({
        code: 'access_token_malformed',
      });
      expect(service.requests).toEqual([]);
    },
  );

  test('no error prints the access token or what the service said (attack 198, 169)', async () => {
    service.answers(status(401), status(401), status(403), status(500), text('{"id": secret-in-body}'), (req) =>
      req.socket.destroy(),
    );
    for (let call = 0; call < 5; call += 1) {
      const error = await service
        .api({ tokens: tokens('token-1', 'token-2') })
        .profile()
        .catch((error) => error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/token-[12]|secret-in-body/);
    }
  });
});

describe('the conditional cache', () => {
  const ETAG = { etag: '"v1"' };

  test('asks for the profile with its ETag and takes "not modified" for an answer (decision 93)', async () => {
    const cache = createConditionalCache({ clock }).slot('grant');
    service.answers(json(PROFILE, ETAG), status(304, ETAG));
    const first = await service.api({ cache }).profile();
    first.raw.firstname = 'changed by the caller';
    first.verified = false;
    expect(await service.api({ cache }).profile()).toMatchObject({ firstName: 'Alice', verified: true, raw: PROFILE });
    expect(service.requests.map((request) => request.headers['if-none-match'])).toEqual([undefined, '"v1"']);
  });

  test('takes the new profile when there is one', async () => {
    const cache = createConditionalCache({ clock }).slot('grant');
    service.answers(json({ ...PROFILE, verified: false }, ETAG), json(PROFILE, { etag: '"v2"' }), status(304));
    expect((await service.api({ cache }).profile()).verified).toBe(false);
    expect((await service.api({ cache }).profile()).verified).toBe(true);
    expect((await service.api({ cache }).profile()).verified).toBe(true);
    expect(service.requests[2]?.headers['if-none-match']).toBe('"v2"');
  });

  test('keeps one grant apart from another', async () => {
    const cache = createConditionalCache({ clock });
    service.answers(json(PROFILE, ETAG));
    await service.api({ cache: cache.slot('grant') }).profile();
    await service.api({ cache: cache.slot('other') }).profile();
    await service.api().profile();
    expect(service.requests.map((request) => request.headers['if-none-match'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('keeps nothing that was refused, and nothing that was cleared', async () => {
    const cache = createConditionalCache({ clock }).slot('grant');
    service.answers(json({ id: 0 }, ETAG));
    await expect(service.api({ cache }).profile()).rejects.toMatchObject({ code: 'profile_malformed' });
    expect(cache.read()).toBeUndefined();
    cache.write({ etag: '"v1"', body: '{}' });
    cache.clear();
    expect(cache.read()).toBeUndefined();
  });

  test('forgets an older answer when a newer one comes without an ETag', async () => {
    const cache = createConditionalCache({ clock }).slot('grant');
    service.answers(json(PROFILE, ETAG), json(PROFILE));
    for (let call = 0; call < 3; call += 1) await service.api({ cache }).profile();
    expect(service.requests[2]?.headers).not.toHaveProperty('if-none-match');
  });

  test('"not modified" to a question that was not asked is refused', async () => {
    service.answers(status(304));
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'profile_malformed' });
  });

  test('is bounded in number, in size and in time (attack 226)', () => {
    let now = 0;
    const cache = createConditionalCache({ clock: { now: () => now }, maxEntries: 2, life: 1000 });
    const answer = { etag: '"v1"', body: '{}' };
    const has = (id: string) => cache.slot(id).read() !== undefined;
    for (const id of ['a', 'b']) cache.slot(id).write(answer);
    cache.slot('a').write(answer);
    cache.slot('c').write(answer);
    expect([has('c'), has('b'), has('a')]).toEqual([true, false, true]);
    cache.slot('d').write(answer);
    expect([has('a'), has('c'), has('d')]).toEqual([true, false, true]);
    cache.slot('d').write({ etag: '"v2"', body: 'x'.repeat(100_001) });
    expect(has('d')).toBe(false);
    now = 1000;
    expect(has('a')).toBe(false);
  });
});
