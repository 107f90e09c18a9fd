import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFetch } from '../../lib/http/http.js';
import { ConditionalCache } from '../../lib/resource-api/profile.js';
import { type APIUnderTest, clock, json, slotOf, startAPI, status, text, tokens } from './api-under-test.js';

let service: APIUnderTest;
beforeEach(async () => {
  service = await startAPI();
});
afterEach(() => service.stop());

const PROFILE = { id: 40123456789, firstname: 'Alice', verified: true };

describe('profile()', () => {
  test('sends the access token in the header and not in the URL', async () => {
    service.responds(json(PROFILE));
    expect(await service.api().profile()).toMatchObject({ id: '40123456789', firstName: 'Alice', verified: true });
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'GET', url: '/api/v1/users/current' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer token-1', accept: 'application/json' });
  });

  test.each([
    ['JSON with the type text/plain', text(JSON.stringify(PROFILE), { 'content-type': 'text/plain' })],
    ['an error body', json({ message: 'maintenance' })],
  ])('rejects %s', async (_, handler) => {
    service.responds(handler);
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'response_malformed', status: 502 });
  });
});

describe('a 401', () => {
  test('causes one retry, with a new token', async () => {
    const source = tokens('token-1', 'token-2');
    service.responds(status(401), json(PROFILE));
    expect(await service.api({ tokens: source }).profile()).toMatchObject({ id: '40123456789' });
    expect(source.refusedTokens).toEqual([undefined, 'token-1']);
    expect(service.requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test('to the retry too rejects with access_token_refused', async () => {
    service.responds(status(401));
    const profile = service.api({ tokens: tokens('token-1', 'token-2', 'token-3') }).profile();
    await expect(profile).rejects.toMatchObject({ code: 'access_token_refused', status: 401, remedy: 'sign_in' });
    expect(service.requests).toHaveLength(2);
  });

  test('causes no retry with the same token', async () => {
    service.responds(status(401));
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'access_token_refused' });
    expect(service.requests).toHaveLength(1);
  });
});

describe('other responses', () => {
  test('403 names the missing scope', async () => {
    service.responds(status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="basic"' }));
    const error = await service
      .api()
      .profile()
      .catch((error) => error);
    expect(error).toMatchObject({ code: 'scope_missing', status: 403, remedy: 'tell_user' });
    expect(error.message).toContain('"basic"');
  });

  const seconds = (from: number) => String(clock.now() / 1000 + from);
  const reset = (value: string) => ({
    'x-rate-limit-limit': '9',
    'x-rate-limit-remaining': '1',
    'x-rate-limit-reset': value,
  });
  test.each<[string, Record<string, string>, number]>([
    ['Retry-After in seconds', { 'retry-after': '90', ...reset(seconds(500)) }, 90],
    ['the reset of the window', reset(seconds(500)), 500],
    ['no header', {}, 60],
    ['a reset long ago', reset(seconds(-500)), 1],
    ['a reset beyond the range of numbers', reset('9'.repeat(400)), 60],
    ...['-5', '1.5', 'soon'].map<[string, Record<string, string>, number]>((value) => [
      `the Retry-After ${value}`,
      { 'retry-after': value, ...reset(seconds(500)) },
      500,
    ]),
  ])('429 with %s sets retryAt within bounds, and is not repeated', async (_, headers, wait) => {
    service.responds(status(429, headers));
    await expect(service.api().profile()).rejects.toMatchObject({
      code: 'rate_limited',
      status: 503,
      retryable: true,
      retryAt: clock.now() + wait * 1000,
    });
    expect(service.requests).toHaveLength(1);
  });

  test.each([500, 503])('%i is a retryable error', async (code) => {
    service.responds(status(code));
    await expect(service.api().profile()).rejects.toMatchObject({
      code: 'service_error',
      status: 503,
      retryable: true,
    });
  });

  test.each([204, 302, 307, 404])('%i is rejected, and no redirect is followed', async (code) => {
    const elsewhere = await startAPI();
    elsewhere.responds(json(PROFILE));
    service.responds(status(code, { location: `${elsewhere.url}/x` }));
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'response_malformed', status: 502 });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  test('a closed connection or a timeout is a retryable error', async () => {
    service.responds((req) => req.socket.destroy());
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'service_unreachable', retryable: true });
    service.responds(() => undefined);
    const fetch = createFetch({ timeout: 200 });
    await expect(service.api({ fetch }).profile()).rejects.toMatchObject({
      code: 'service_unreachable',
      retryable: true,
    });
  });
});

describe('secrets', () => {
  test.each(['a\r\nx-evil: 1', 'a b', '', '\u00e9'])('a token like %p is not sent', async (token) => {
    await expect(service.api({ tokens: tokens(token) }).profile()).rejects.toMatchObject({
      code: 'response_malformed',
    });
    expect(service.requests).toEqual([]);
  });

  test('no error prints the access token or the response body', async () => {
    service.responds(status(401), status(401), status(403), status(500), text('{"id": secret-in-body}'), (req) =>
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

  test('sends the ETag and uses the cached profile after a 304', async () => {
    const cache = slotOf(new ConditionalCache({ clock }), 'grant');
    service.responds(json(PROFILE, ETAG), status(304, ETAG));
    const first = await service.api({ cache }).profile();
    first.raw.firstname = 'changed by the caller';
    first.verified = false;
    expect(await service.api({ cache }).profile()).toMatchObject({ firstName: 'Alice', verified: true, raw: PROFILE });
    expect(service.requests.map((request) => request.headers['if-none-match'])).toEqual([undefined, '"v1"']);
  });

  test('replaces the cached profile with a changed one', async () => {
    const cache = slotOf(new ConditionalCache({ clock }), 'grant');
    service.responds(json({ ...PROFILE, verified: false }, ETAG), json(PROFILE, { etag: '"v2"' }), status(304));
    expect((await service.api({ cache }).profile()).verified).toBe(false);
    expect((await service.api({ cache }).profile()).verified).toBe(true);
    expect((await service.api({ cache }).profile()).verified).toBe(true);
    expect(service.requests[2]?.headers['if-none-match']).toBe('"v2"');
  });

  test('has a separate response for each grant', async () => {
    const cache = new ConditionalCache({ clock });
    service.responds(json(PROFILE, ETAG));
    await service.api({ cache: slotOf(cache, 'grant') }).profile();
    await service.api({ cache: slotOf(cache, 'other') }).profile();
    await service.api().profile();
    expect(service.requests.map((request) => request.headers['if-none-match'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('does not store a rejected response, or one that was removed', async () => {
    const cache = slotOf(new ConditionalCache({ clock }), 'grant');
    service.responds(json({ id: 0 }, ETAG));
    await expect(service.api({ cache }).profile()).rejects.toMatchObject({ code: 'response_malformed' });
    expect(cache.read()).toBeUndefined();
    cache.write({ etag: '"v1"', body: '{}' });
    cache.write(undefined);
    expect(cache.read()).toBeUndefined();
  });

  test('a 304 without If-None-Match is rejected', async () => {
    service.responds(status(304));
    await expect(service.api().profile()).rejects.toMatchObject({ code: 'response_malformed' });
  });

  test('is bounded in number and time', () => {
    let now = 0;
    const cache = new ConditionalCache({ clock: { now: () => now } });
    const has = (id: number) => cache.read(`${id}`) !== undefined;
    for (let id = 1; id <= 1_001; id += 1) cache.write(`${id}`, { etag: '"v1"', body: '{}' });
    expect([has(1), has(2), has(1_001)]).toEqual([false, true, true]);
    now = 60 * 60 * 1000;
    expect(has(1_001)).toBe(false);
  });
});
