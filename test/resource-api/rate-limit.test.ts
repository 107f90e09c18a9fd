import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createRateBudgets } from '../../lib/resource-api/rate-budget.js';
import type { RateLimit } from '../../lib/resource-api/rate-limit.js';
import type { ResourceAPIOptions } from '../../lib/resource-api/resource-api.js';
import { spacing } from '../../lib/resource-api/spacing.js';
import { type MovableClock, movableClock } from '../token-vault/movable-clock.js';
import { type APIUnderTest, json, NOW, startAPI, status, text, tokens } from './api-under-test.js';

const HOUR = 3_600_000;
const PROFILE = { id: 7 };
const refused = { code: 'rate_limited', status: 503, retryable: true };

let service: APIUnderTest;
let clock: MovableClock;
/** Every wait so far, in milliseconds; waiting moves the clock, and nothing else does. */
let waits: number[];
let calm: Partial<ResourceAPIOptions>;
beforeEach(async () => {
  service = await startAPI();
  clock = movableClock(NOW);
  waits = [];
  calm = {
    clock,
    budget: createRateBudgets({ clock }).slot('grant'),
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
  test('says what is left, with the end of the window in milliseconds', async () => {
    service.answers(json({ limit: 5000, remaining: 4987, reset: NOW / 1000 + 1800 }));
    expect(await service.api(calm).rateLimit()).toStrictEqual({
      limit: 5000,
      remaining: 4987,
      resetAt: NOW + 1_800_000,
    });
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/api/v1/rate_limit' });
    expect(service.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
  });

  test('is free of charge: asked when nothing is left, and never made to wait (decision 95)', async () => {
    service.answers(json(PROFILE, headers(0)), json({ limit: 5000, remaining: 0, reset: NOW / 1000 + 1800 }));
    const api = service.api(calm);
    await api.profile();
    await expect(api.profile()).rejects.toMatchObject(refused);
    for (let call = 0; call < 5; call += 1) expect(await api.rateLimit()).toMatchObject({ remaining: 0 });
    expect(waits).toEqual([]);
    expect(service.requests).toHaveLength(6);
  });

  test('is believed: where it says that there is something left again, the next call is made', async () => {
    service.answers(json(PROFILE, headers(0)), json({ limit: 5000, remaining: 5000, reset: NOW / 1000 + 3600 }));
    const api = service.api(calm);
    await api.profile();
    await api.rateLimit();
    service.answers(json(PROFILE));
    expect(await api.profile()).toMatchObject({ id: '7' });
  });

  test('refused by a 429 is not repeated, however patient one is', async () => {
    service.answers(status(429, { 'retry-after': '30' }));
    await expect(service.api(calm).rateLimit()).rejects.toMatchObject({ ...refused, resetAt: NOW + 30_000 });
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    ['in the past', NOW / 1000 - 5, NOW],
    ['in the year 9999', 253_402_300_799, NOW + HOUR],
  ])('bounds an end of the window that lies %s (attack 208)', async (_, reset, resetAt) => {
    service.answers(json({ limit: 5000, remaining: 9000, reset }));
    expect(await service.api(calm).rateLimit()).toStrictEqual({ limit: 5000, remaining: 5000, resetAt });
  });

  test.each([
    ['null', 'null'],
    ['an array', '[5000,1,1]'],
    ['text for numbers', '{"limit":"5000","remaining":"1","reset":"1"}'],
    ['a negative rest', '{"limit":5000,"remaining":-1,"reset":1}'],
    ['a fraction', '{"limit":5000,"remaining":1.5,"reset":1}'],
    ['no end', '{"limit":5000,"remaining":1}'],
    ['no JSON', '<h1>'],
  ])('that is %s is refused (attack 205, 208)', async (_, body) => {
    service.answers(text(body));
    await expect(service.api(calm).rateLimit()).rejects.toMatchObject({ code: 'rate_limit_malformed', status: 502 });
  });
});

describe('spacing', () => {
  const at = (remaining: number, left: number, limit = 5000): RateLimit => ({ limit, remaining, resetAt: NOW + left });

  test.each<[string, RateLimit, number]>([
    ['nothing while there is plenty', at(5000, HOUR), 0],
    ['nothing just above a tenth', at(501, HOUR), 0],
    ['a tenth of a second for 500 in 50 s', at(500, 50_000), 100],
    ['as much as spreads the rest over the rest of the window', at(100, 20_000), 200],
    ['never more than a second', at(500, HOUR), 1_000],
    ['a second for the last one', at(1, HOUR), 1_000],
    ['a second where nothing is left', at(0, HOUR), 1_000],
    ['nothing once the window is over', at(1, 0), 0],
    ['nothing long after', at(1, -HOUR), 0],
    ['a second under a limit of nothing', at(0, HOUR, 0), 1_000],
  ])('is %s', (_, status, expected) => {
    expect(spacing(status, NOW)).toBe(expected);
  });

  test('is never negative, endless or no number, whatever the service says', () => {
    for (const limit of [0, 1, 5000, Number.MAX_SAFE_INTEGER]) {
      for (const remaining of [0, 1, limit]) {
        for (const left of [-HOUR, 0, 1, HOUR]) {
          const wait = spacing(at(remaining, left, limit), NOW);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(1_000);
        }
      }
    }
  });
});

describe('calls', () => {
  test('are not spaced while there is plenty', async () => {
    service.answers(json(PROFILE, headers(4000)));
    const api = service.api(calm);
    for (let call = 0; call < 5; call += 1) await api.profile();
    expect(waits).toEqual([]);
  });

  test('are spaced when the rest runs low', async () => {
    service.answers(json(PROFILE, headers(100, 20)));
    const api = service.api(calm);
    for (let call = 0; call < 4; call += 1) await api.profile();
    expect(waits).toEqual([200, 200]);
  });

  test('at the same time each get a turn of their own, and none waits longer than five seconds', async () => {
    service.answers(json(PROFILE, headers(100, 1800)));
    const api = service.api({
      ...calm,
      async pause(ms) {
        waits.push(ms);
      },
    });
    await api.profile();
    await Promise.all(Array.from({ length: 20 }, () => api.profile()));
    expect(waits).toEqual([1000, 2000, 3000, 4000, ...Array(15).fill(5000)]);
  });

  test('of one grant do not wait for those of another', async () => {
    service.answers(json(PROFILE, headers(1)));
    const budgets = createRateBudgets({ clock });
    const [one, other] = ['one', 'other'].map((grant) => service.api({ ...calm, budget: budgets.slot(grant) }));
    await one?.profile();
    await one?.profile();
    await other?.profile();
    expect(waits).toEqual([]);
    await one?.profile();
    expect(waits).toEqual([1_000]);
  });

  test('know what other calls of their grant have learnt', async () => {
    service.answers(json(PROFILE, headers(0)));
    await service.api(calm).profile();
    await expect(service.api(calm).profile()).rejects.toMatchObject(refused);
    expect(service.requests).toHaveLength(1);
  });

  test('are made again without a wait when the window is over', async () => {
    service.answers(json(PROFILE, headers(0, 1800)));
    const api = service.api(calm);
    await api.profile();
    clock.advance(1_799_999);
    await expect(api.profile()).rejects.toMatchObject({ ...refused, resetAt: NOW + 1_800_000 });
    clock.advance(1);
    await api.profile();
    expect(waits).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ['no headers', {}],
    ['two of three', { 'x-rate-limit-limit': '5000', 'x-rate-limit-remaining': '0' }],
    ['a negative rest', headers(-1)],
    ['NaN', headers('NaN')],
    ['a fraction', headers('0.0')],
    ['an end in the past', headers(0, -5)],
    ['an end that is no number', headers(0, 'soon')],
    ['an end beyond all numbers', headers(0, '9'.repeat(400))],
    ['an empty rest', headers('')],
  ])('go on undisturbed after an answer with %s (attack 208)', async (_, odd) => {
    service.answers(json(PROFILE, odd));
    const api = service.api(calm);
    for (let call = 0; call < 3; call += 1) await api.profile();
    expect(waits).toEqual([]);
  });

  test('are kept back for an hour at most, whatever end of the window is named (attack 208)', async () => {
    service.answers(json(PROFILE, headers(0, 1e9)));
    const api = service.api(calm);
    await api.profile();
    await expect(api.profile()).rejects.toMatchObject({ ...refused, resetAt: NOW + HOUR });
    clock.advance(HOUR);
    await api.profile();
  });

  test('of many grants do not fill the memory: the one unused for longest is forgotten (attack 226)', () => {
    const budgets = createRateBudgets({ clock, maxEntries: 2 });
    const used = { limit: 5000, remaining: 0, resetAt: NOW + HOUR };
    for (const grant of ['a', 'b']) budgets.slot(grant).note(used);
    expect(() => budgets.slot('a').turn(0)).toThrow(expect.objectContaining(refused));
    budgets.slot('c').note(used);
    expect(budgets.slot('b').turn(0)).toBe(0);
  });
});

describe('a 429', () => {
  const soon = status(429, { 'retry-after': '30' });

  test('is not waited for unless one says so, and nothing is asked until it has passed (attack 208)', async () => {
    service.answers(soon);
    const api = service.api(calm);
    for (let call = 0; call < 5; call += 1) {
      await expect(api.profile()).rejects.toMatchObject({ ...refused, resetAt: NOW + 30_000 });
    }
    await expect(api.colleagues().page()).rejects.toMatchObject(refused);
    expect(service.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('is waited for by whoever has the patience', async () => {
    service.answers(soon, json(PROFILE));
    expect(await service.api(calm).profile({ maxWait: 60_000 })).toMatchObject({ id: '7' });
    expect(waits).toEqual([30_000]);
    expect(service.requests).toHaveLength(2);
  });

  test('that would take longer than the patience is thrown at once', async () => {
    service.answers(status(429, { 'retry-after': '61' }));
    await expect(service.api(calm).profile({ maxWait: 60_000 })).rejects.toMatchObject(refused);
    expect(waits).toEqual([]);
  });

  test('again and again is waited for within the same patience, not anew each time', async () => {
    service.answers(status(429, { 'retry-after': '25' }));
    const call = service.api(calm).profile({ maxWait: 60_000 });
    await expect(call).rejects.toMatchObject({ ...refused, resetAt: NOW + 75_000 });
    expect(waits).toEqual([25_000, 25_000]);
    expect(service.requests).toHaveLength(3);
  });

  test('that passes at once is asked again once a second at most', async () => {
    service.answers(status(429, { 'retry-after': '0' }));
    await expect(service.api(calm).profile({ maxWait: 3_500 })).rejects.toMatchObject(refused);
    expect(waits).toEqual([1_000, 1_000, 1_000]);
  });

  test('in the middle of a list is waited for, and the list goes on', async () => {
    const page = (id: number) => json({ total_pages: 2, items: [{ id }] });
    service.answers(page(1), soon, page(2));
    const ids: string[] = [];
    for await (const { id } of service.api(calm).colleagues({ maxWait: 60_000 })) ids.push(id);
    expect(ids).toEqual(['1', '2']);
  });

  test('is outlasted by no access token: a fresh one is taken after the wait', async () => {
    const source = tokens('token-1');
    service.answers(soon, json(PROFILE));
    await service.api({ ...calm, tokens: source }).profile({ maxWait: 60_000 });
    expect(source.asked).toHaveLength(2);
  });
});

describe('a caller who gives up', () => {
  const reason = new Error('changed my mind');

  test('before the call asks for nothing, not even an access token', async () => {
    const source = tokens('token-1');
    const api = service.api({ ...calm, tokens: source });
    const signal = AbortSignal.abort(reason);
    const calls = [api.profile({ signal }), api.colleagues().page(1, { signal }), api.rateLimit({ signal })];
    for (const call of calls) await expect(call).rejects.toBe(reason);
    expect(source.asked).toHaveLength(0);
    expect(service.requests).toEqual([]);
  });

  test('while he waits for his turn is told at once, by our own wait as well', async () => {
    service.answers(status(429, { 'retry-after': '30' }));
    const giveUp = new AbortController();
    const { pause: _, ...realPause } = calm;
    const call = service.api(realPause).profile({ signal: giveUp.signal, maxWait: 60_000 });
    while (service.requests.length === 0) await nextTurn();
    giveUp.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('while the access token is refreshed is told at once, and the refresh goes on', async () => {
    const giveUp = new AbortController();
    let finished = false;
    let finish: () => void = () => undefined;
    const accessToken = () =>
      new Promise<string>((resolve) => {
        finish = () => {
          finished = true;
          resolve('token-1');
        };
      });
    const call = service.api({ ...calm, tokens: { accessToken } }).profile({ signal: giveUp.signal });
    giveUp.abort(reason);
    await expect(call).rejects.toBe(reason);
    finish();
    await nextTurn();
    expect(finished).toBe(true);
    expect(service.requests).toEqual([]);
  });

  test('while the service answers is told at once', async () => {
    service.answers(() => undefined);
    const giveUp = new AbortController();
    const call = service.api(calm).colleagues().page(1, { signal: giveUp.signal });
    while (service.requests.length === 0) await nextTurn();
    giveUp.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});
