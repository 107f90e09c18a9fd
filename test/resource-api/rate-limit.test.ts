import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RateBudget, RequestLimits } from '../../lib/resource-api/request-limits.js';
import { type MovableClock, movableClock } from '../token-vault/movable-clock.js';
import { type APIUnderTest, json, NOW, startAPI, status, type TestOptions, text, tokens } from './api-under-test.js';

const HOUR = 3_600_000;
const PROFILE = { id: 7 };
const refused = { code: 'rate_limited', status: 503, retryable: true };

let service: APIUnderTest;
let clock: MovableClock;
/** The waits in milliseconds. Only they advance the clock. */
let waits: number[];
let testOptions: TestOptions;
beforeEach(async () => {
  service = await startAPI();
  clock = movableClock(NOW);
  waits = [];
  testOptions = {
    clock,
    limits: new RequestLimits({ clock }),
    async pause(ms) {
      waits.push(ms);
      await nextTurn();
      clock.advance(ms);
    },
  };
});
afterEach(() => service.stop());

function headers(remaining: number | string, seconds: number | string = 1800, limit: number | string = 5000) {
  const reset = typeof seconds === 'number' ? String(NOW / 1000 + seconds) : seconds;
  return { 'x-rate-limit-limit': `${limit}`, 'x-rate-limit-remaining': `${remaining}`, 'x-rate-limit-reset': reset };
}

describe('rateLimit()', () => {
  test('returns the requests left, and the end of the window in milliseconds', async () => {
    service.responds(json({ limit: 5000, remaining: 4987, reset: NOW / 1000 + 1800 }));
    expect(await service.api(testOptions).rateLimit()).toStrictEqual({
      limit: 5000,
      remaining: 4987,
      resetAt: NOW + 1_800_000,
    });
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/api/v1/rate_limit' });
    expect(service.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
  });

  test('is sent without a wait when no request is left', async () => {
    service.responds(json(PROFILE, headers(0)), json({ limit: 5000, remaining: 0, reset: NOW / 1000 + 1800 }));
    const api = service.api(testOptions);
    await api.profile();
    await expect(api.profile()).rejects.toMatchObject(refused);
    for (let call = 0; call < 5; call += 1) expect(await api.rateLimit()).toMatchObject({ remaining: 0 });
    expect(waits).toEqual([]);
    expect(service.requests).toHaveLength(6);
  });

  test('that is refused with a 429 is not repeated', async () => {
    service.responds(status(429, { 'retry-after': '30' }));
    await expect(service.api(testOptions).rateLimit()).rejects.toMatchObject({ ...refused, retryAt: NOW + 30_000 });
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    ['in the past', NOW / 1000 - 5, NOW],
    ['in the year 9999', 253_402_300_799, NOW + HOUR],
  ])('bounds an end of the window %s', async (_, reset, resetAt) => {
    service.responds(json({ limit: 5000, remaining: 9000, reset }));
    expect(await service.api(testOptions).rateLimit()).toStrictEqual({ limit: 5000, remaining: 5000, resetAt });
  });

  test.each([
    ['text for numbers', '{"limit":"5000","remaining":"1","reset":"1"}'],
    ['a negative count', '{"limit":5000,"remaining":-1,"reset":1}'],
    ['a fraction', '{"limit":5000,"remaining":1.5,"reset":1}'],
    ['no reset', '{"limit":5000,"remaining":1}'],
  ])('rejects a body that is %s', async (_, body) => {
    service.responds(text(body));
    await expect(service.api(testOptions).rateLimit()).rejects.toMatchObject({
      code: 'response_malformed',
      status: 502,
    });
  });
});

describe('calls of one user', () => {
  test('to all colleagues are spaced out after the first page', async () => {
    const page = (id: number) => json({ total_pages: 4, items: [{ id }] }, headers(5000, 3600));
    service.responds(page(1), page(2), page(3), page(4));
    const ids: string[] = [];
    for await (const { id } of service.api(testOptions).colleagues()) ids.push(id);
    expect(ids).toEqual(['1', '2', '3', '4']);
    expect(waits).toEqual([720, 720, 720]);
  });

  test('that are concurrent do not exceed the requests left', async () => {
    service.responds(json(PROFILE, headers(3)));
    const api = service.api(testOptions);
    await api.profile();
    const calls = await Promise.allSettled(Array.from({ length: 10 }, () => api.profile()));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(service.requests).toHaveLength(4);
  });

  test('are not allowed by a response that arrives after a later one', () => {
    const budget = new RateBudget(clock);
    const call = { maxWaitMs: 0, isUncounted: false };
    const status = (remaining: number, resetAt = NOW + HOUR) => ({ limit: 5000, remaining, resetAt });
    budget.update(status(0));
    budget.update(status(2));
    expect(() => budget.reserve(call)).toThrow(expect.objectContaining(refused));
    budget.update(status(2, NOW + HOUR + 1_000));
    expect(budget.reserve(call)).toBe(0);
  });

  test('are limited by a response to their user, and not by a 401', async () => {
    service.responds(json(PROFILE, headers(1)), status(401, headers(5000)), json(PROFILE, headers(0)));
    const api = service.api({ ...testOptions, tokens: tokens('token-1', 'token-2') });
    await api.profile();
    await api.profile();
    await expect(api.profile()).rejects.toMatchObject(refused);
    service.responds(json(PROFILE, headers(0)), status(401, headers(5000, 3600)));
    const other = service.api({ ...testOptions, userID: 'other' });
    await other.profile();
    await expect(other.rateLimit()).rejects.toMatchObject({ code: 'access_token_refused' });
    await expect(other.profile()).rejects.toMatchObject(refused);
  });

  test.each([
    ['a 429', { 'retry-after': '3600' }],
    ['a window without requests left', headers(0, 3600)],
  ])('do not wait for the end of %s of before the clock was set back', async (_, before) => {
    service.responds(status(429, before), json(PROFILE));
    const api = service.api(testOptions);
    await expect(api.profile()).rejects.toMatchObject(refused);
    clock.advance(-48 * HOUR);
    expect(await api.profile()).toMatchObject({ id: '7' });
    expect(waits).toEqual([]);
  });

  test('are sent without a wait after the end of the window', async () => {
    service.responds(json(PROFILE, headers(0, 1800)));
    const api = service.api(testOptions);
    await api.profile();
    clock.advance(1_799_999);
    await expect(api.profile()).rejects.toMatchObject({ ...refused, retryAt: NOW + 1_800_000 });
    clock.advance(1);
    await api.profile();
    expect(waits).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ['no headers', {}],
    ['two of three headers', { 'x-rate-limit-limit': '5000', 'x-rate-limit-remaining': '0' }],
    ['a reset in the past', headers(0, -5)],
    ['a reset that is not a number', headers(0, 'soon')],
    ['a reset beyond the range of numbers', headers(0, '9'.repeat(400))],
  ])('are not delayed by a response with %s', async (_, invalid) => {
    service.responds(json(PROFILE, invalid));
    const api = service.api(testOptions);
    for (let call = 0; call < 3; call += 1) await api.profile();
    expect(waits).toEqual([]);
  });
});

describe('a 429', () => {
  const retryLater = status(429, { 'retry-after': '30' });

  test('rejects at once by default, and no request is sent until the reset', async () => {
    service.responds(retryLater);
    const api = service.api(testOptions);
    for (let call = 0; call < 5; call += 1) {
      await expect(api.profile()).rejects.toMatchObject({ ...refused, retryAt: NOW + 30_000 });
    }
    await expect(api.colleagues().page()).rejects.toMatchObject(refused);
    expect(service.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('is waited for within maxWait', async () => {
    service.responds(retryLater, json(PROFILE));
    expect(await service.api(testOptions).profile({ maxWait: 60_000 })).toMatchObject({ id: '7' });
    expect(waits).toEqual([30_000]);
    expect(service.requests).toHaveLength(2);
  });

  test('that is repeated is waited for within one maxWait in total', async () => {
    service.responds(status(429, { 'retry-after': '25' }));
    const call = service.api(testOptions).profile({ maxWait: 60_000 });
    await expect(call).rejects.toMatchObject({ ...refused, retryAt: NOW + 75_000 });
    expect(waits).toEqual([25_000, 25_000]);
    expect(service.requests).toHaveLength(3);
  });

  test('with Retry-After: 0 is retried once a second at most', async () => {
    service.responds(status(429, { 'retry-after': '0' }));
    await expect(service.api(testOptions).profile({ maxWait: 3_500 })).rejects.toMatchObject(refused);
    expect(waits).toEqual([1_000, 1_000, 1_000]);
  });
});

describe('an aborted call', () => {
  const reason = new Error('aborted by the caller');

  test('that is aborted before it starts sends no request and gets no access token', async () => {
    const source = tokens('token-1');
    const api = service.api({ ...testOptions, tokens: source });
    const signal = AbortSignal.abort(reason);
    const calls = [api.profile({ signal }), api.colleagues().page(1, { signal }), api.rateLimit({ signal })];
    for (const call of calls) await expect(call).rejects.toBe(reason);
    expect(source.refusedTokens).toHaveLength(0);
    expect(service.requests).toEqual([]);
  });

  test('rejects at once during a wait for the rate limit', async () => {
    service.responds(status(429, { 'retry-after': '30' }));
    const controller = new AbortController();
    const { pause: _, ...realPause } = testOptions;
    const call = service.api(realPause).profile({ signal: controller.signal, maxWait: 60_000 });
    while (service.requests.length === 0) await nextTurn();
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('rejects at once during a refresh, which continues', async () => {
    const controller = new AbortController();
    let finished = false;
    let finish: () => void = () => undefined;
    const accessToken = () =>
      new Promise<string>((resolve) => {
        finish = () => {
          finished = true;
          resolve('token-1');
        };
      });
    const call = service.api({ ...testOptions, tokens: { accessToken } }).profile({ signal: controller.signal });
    await nextTurn();
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    finish();
    await nextTurn();
    expect(finished).toBe(true);
    expect(service.requests).toEqual([]);
  });
});
