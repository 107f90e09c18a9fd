import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ServiceUnavailableError } from '../../lib/errors/errors.js';
import { createFetch } from '../../lib/http/http.js';
import { RateBudget, RequestLimits } from '../../lib/resource-api/request-limits.js';
import type { ResourceAPI } from '../../lib/resource-api/resource-api.js';
import { type MovableClock, movableClock } from '../token-vault/movable-clock.js';
import { type APIUnderTest, type Handler, json, NOW, startAPI, status } from './api-under-test.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const PROFILE = json({ id: 7 });
const MAX_PENDING = 256;
const TIMEOUT_MS = 60_000;
const notResponding = { code: 'api_not_responding', status: 503, remedy: 'retry', retryable: true };
const silence: Handler = (req) => void req.socket.destroy();

let service: APIUnderTest;
let clock: MovableClock;
let limits: RequestLimits;
beforeEach(async () => {
  service = await startAPI();
  clock = movableClock(NOW);
  limits = new RequestLimits({ clock });
});
afterEach(() => service.stop());

const api = (options = {}): ResourceAPI => service.api({ clock, limits, ...options });

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error) => error.code,
  );
}

/** Sends calls that get no response, until no further one is sent. */
async function open(): Promise<void> {
  service.responds(silence);
  for (let call = 0; call < 5; call += 1) expect(await codeOf(api().profile())).toBe('service_unreachable');
}

describe('after five calls without a response', () => {
  test('no call is sent for five seconds', async () => {
    await open();
    const calls = [api().profile(), api().colleagues().page(), api().rateLimit()];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ ...notResponding, retryAt: NOW + 5 * SECOND });
    }
    clock.advance(5 * SECOND - 1);
    expect(await codeOf(api().profile())).toBe('api_not_responding');
    expect(service.requests).toHaveLength(5);
  });

  test('the calls of every user stop after one of each of four other users, and of no other application', async () => {
    await open();
    for (const userID of ['second', 'third', 'fourth', 'fifth']) {
      expect(await codeOf(api({ userID }).profile())).toBe('service_unreachable');
    }
    expect(await codeOf(api({ userID: 'sixth' }).profile())).toBe('api_not_responding');
    expect(service.requests).toHaveLength(9);
    service.responds(PROFILE);
    expect(await codeOf(service.api({ clock }).profile())).toBe('done');
  });

  test('of one user, the calls of another user are sent, and a response to them allows all calls', async () => {
    await open();
    service.responds(PROFILE);
    expect(await codeOf(api({ userID: 'second' }).profile())).toBe('done');
    expect(await codeOf(api().profile())).toBe('done');
  });

  test('a response that is refused for its form is a response', async () => {
    await open();
    clock.advance(5 * SECOND);
    service.responds((_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('x'), PROFILE);
    expect(await codeOf(api().profile())).toBe('response_malformed');
    service.responds(silence);
    for (let call = 0; call < 4; call += 1) expect(await codeOf(api().profile())).toBe('service_unreachable');
  });

  test('one call tries again after the back-off, and its response allows all calls', async () => {
    await open();
    clock.advance(5 * SECOND);
    let respond: () => void = () => undefined;
    service.responds((req, res) => {
      respond = () => PROFILE(req, res);
    });
    const first = api().profile();
    while (service.requests.length < 6) await nextTurn();
    const others = Array.from({ length: 10 }, () => codeOf(api().profile()));
    expect(await Promise.all(others)).toEqual(Array(10).fill('api_not_responding'));
    expect(service.requests).toHaveLength(6);
    respond();
    await first;
    service.responds(PROFILE);
    expect(await codeOf(api().profile())).toBe('done');
  });

  test('the back-off doubles with each call without a response, to five minutes at most', async () => {
    await open();
    const backoffs: number[] = [];
    for (let retry = 0; retry < 9; retry += 1) {
      const { retryAt } = await api()
        .profile()
        .catch((error) => error);
      backoffs.push((retryAt - clock.now()) / SECOND);
      clock.advance(retryAt - clock.now());
      expect(await codeOf(api().profile())).toBe('service_unreachable');
    }
    expect(backoffs).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
    expect(service.requests).toHaveLength(5 + 9);
  });

  test('an aborted try again is not a response, and the next call tries', async () => {
    await open();
    clock.advance(5 * SECOND);
    service.responds(() => undefined);
    const controller = new AbortController();
    const call = api().profile({ signal: controller.signal });
    while (service.requests.length < 6) await nextTurn();
    controller.abort(new Error('aborted by the caller'));
    await expect(call).rejects.toThrow('aborted by the caller');
    service.responds(PROFILE);
    expect(await codeOf(api().profile())).toBe('done');
  });
});

describe('calls are stopped', () => {
  test.each([304, 401, 429, 500])('not by responses with status %i', async (code) => {
    service.responds(code === 200 ? PROFILE : status(code));
    for (let call = 0; call < 10; call += 1)
      await codeOf(service.api({ clock, limits, budget: new RateBudget(clock) }).profile());
    expect(service.requests).toHaveLength(10);
  });

  test('not by calls that the caller aborts, also after a minute and with an error of this package', async () => {
    const reasons = [new Error('aborted'), new ServiceUnavailableError('service_unreachable', 'aborted')];
    service.responds(() => undefined);
    for (let call = 0; call < 5; call += 1) {
      const controller = new AbortController();
      const aborted = api().profile({ signal: controller.signal });
      while (service.requests.length <= call) await nextTurn();
      clock.advance(MINUTE);
      controller.abort(reasons[call % 2]);
      await expect(aborted).rejects.toBe(reasons[call % 2]);
    }
    service.responds(PROFILE);
    expect(await codeOf(api().profile())).toBe('done');
  });
});

describe('an API that accepts connections and never responds', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** A fetch whose time limits expire when this number of requests has arrived. */
  function fetchUntil(count: number) {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    service.responds(() => {
      if (service.requests.length < count) return;
      for (const [expire, ms] of timers.mock.calls) if (ms === TIMEOUT_MS) expire();
    });
    return createFetch({ timeout: TIMEOUT_MS });
  }

  test('holds a bounded number of connections, and gets no call after the timeout', async () => {
    const fetch = fetchUntil(MAX_PENDING);
    const others = Array.from({ length: 1_000 }, (_, user) => api({ fetch, userID: `user ${user}` }));
    const calls = others.map((user) => codeOf(user.profile()));
    const codes = await Promise.all(calls);
    expect(codes.filter((code) => code === 'service_unreachable')).toHaveLength(MAX_PENDING);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(1_000 - MAX_PENDING);
    // The requests that were already sent do not extend the back-off.
    await expect(api({ fetch }).profile()).rejects.toMatchObject({
      ...notResponding,
      retryAt: clock.now() + 5 * SECOND,
    });
    expect(service.requests).toHaveLength(MAX_PENDING);
    expect(new Set(service.requests.map(({ socket }) => socket)).size).toBe(MAX_PENDING);
  });

  test('gets a bounded number of calls of one user, also of those that do not count', async () => {
    const fetch = fetchUntil(17);
    const calls = Array.from({ length: 200 }, () => codeOf(api({ fetch }).rateLimit()));
    const other = codeOf(api({ fetch, userID: 'other' }).rateLimit());
    const codes = await Promise.all(calls);
    expect(codes.filter((code) => code === 'service_unreachable')).toHaveLength(16);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(200 - 16);
    expect(await other).toBe('service_unreachable');
    expect(service.requests).toHaveLength(17);
  });
});
