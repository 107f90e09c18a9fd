import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizeURL, codeOf, profile, redeem, refresh, send, tokensOf } from '../wire.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({
    verification: 'queued',
    rateLimit: { limit: 2 },
    lifetimes: { code: '5 minutes', accessToken: '30 minutes', refreshToken: '2 days', session: '8 hours' },
  });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const SCOPE = { scope: 'openid basic' };

async function silently(): Promise<string | null> {
  const url = authorizeURL(provider, provider.clients.openid, { ...SCOPE, prompt: 'none' });
  return new URL(await provider.signIn(url, { as: 'verified' })).searchParams.get('error');
}

test('codes, tokens, sessions, rate windows, keys and the verification queue follow the clock', async () => {
  const { clock, clients, keys } = provider;
  clock.freeze();
  const [late, unused] = [await codeOf(provider, clients.openid, SCOPE), await codeOf(provider, clients.openid, SCOPE)];
  const tokens = await tokensOf(provider, clients.openid, SCOPE);
  const before = keys.current;
  keys.rotate();
  for (const status of [200, 200, 429]) expect((await profile(provider, tokens.access_token)).status).toBe(status);
  expect(await silently()).toBeNull();
  expect(provider.clinicians.get('pending').verified).toBe(false);

  clock.advance('4m 59s');
  expect((await redeem(provider, clients.openid, late)).status).toBe(200);
  clock.advance('1 second');
  expect((await redeem(provider, clients.openid, unused)).json.error).toBe('invalid_grant');

  clock.advance('24m 59s');
  expect((await profile(provider, tokens.access_token)).status).toBe(429);
  expect(keys.published).toContain(before);
  clock.advance('1 second');
  expect((await profile(provider, tokens.access_token)).status).toBe(401);
  expect(keys.published).not.toContain(before);

  clock.advance('30 minutes');
  const fresh = (await refresh(provider, clients.openid, tokens.refresh_token)).json;
  expect((await profile(provider, fresh.access_token)).status).toBe(200);

  expect(await silently()).toBeNull();
  clock.advance('7 hours');
  expect(await silently()).toBe('login_required');

  clock.advance('1d 17h');
  expect((await refresh(provider, clients.openid, fresh.refresh_token)).json.error).toBe('invalid_grant');

  expect(provider.clinicians.get('pending').verified).toBe(false);
  clock.advance('23 hours');
  expect(provider.clinicians.get('pending').verified).toBe(true);
});

test('freeze() stops the clock, and resume() continues from there', async () => {
  const { clock } = provider;
  clock.freeze();
  const then = clock.now();
  await send(provider, '/.well-known/jwks.json');
  expect([clock.now(), clock.isFrozen]).toEqual([then, true]);
  clock.set('2031-02-03T04:05:06Z');
  expect(clock.now()).toBe(Date.UTC(2031, 1, 3, 4, 5, 6));
  clock.resume();
  expect(clock.isFrozen).toBe(false);
  expect(clock.now() - Date.UTC(2031, 1, 3, 4, 5, 6)).toBeLessThan(60_000);
});

test('a time outside the years 1 to 9998 is refused and does not move the clock', () => {
  const { clock } = provider;
  clock.freeze();
  const before = clock.now();
  expect(() => clock.advance('99999999999 weeks')).toThrow('in the years 1 to 9998');
  expect(() => clock.set('9999-01-02')).toThrow('in the years 1 to 9998');
  expect(clock.now()).toBe(before);
});

test.each([
  ['2026-02-28', '2026-02-28T00:00:00.000Z'],
  ['2028-02-29T23:59', '2028-02-29T23:59:00.000Z'],
  ['2026-07-01 09:30:15,25', '2026-07-01T09:30:15.250Z'],
  ['2026-07-01T00:30:00.123456+02:00', '2026-06-30T22:30:00.123Z'],
  ['2026-12-31T22:00-0530', '2027-01-01T03:30:00.000Z'],
])('clock.set(%j) is %s', (time, expected) => {
  provider.clock.freeze();
  provider.clock.set(time);
  expect(new Date(provider.clock.now()).toISOString()).toBe(expected);
});

test.each([
  ...['2026-02-29', '2026-13-01', '2026-01-00', '2026-1-1', new Date('x')],
  ...['2026-01-01T25:00', '2026-01-01T24:00Z', '2026-01-01T10:60', '2026-01-01T10:00:60Z', '2026-01-01T10'],
  ...['yesterday', '', ' 2026-01-01', '1 January 2026', '2026', '1767225600000', Number.NaN, undefined, null, true],
])('clock.set(%p) is refused and does not move the clock', (time) => {
  provider.clock.freeze();
  const before = provider.clock.now();
  expect(() => provider.clock.set(time as never)).toThrow(
    'clock.set() must be a Date, milliseconds since 1970 or an ISO',
  );
  expect(provider.clock.now()).toBe(before);
});

describe('a clock that is moved back', () => {
  test('does not invalidate tokens, and new ones expire on time', async () => {
    const { clock, clients } = provider;
    clock.freeze();
    const old = await tokensOf(provider, clients.openid, SCOPE);
    clock.advance('-1 day');
    const young = await tokensOf(provider, clients.openid, SCOPE);
    for (const { access_token } of [old, young]) expect((await profile(provider, access_token)).status).toBe(200);
    clock.advance('31 minutes');
    expect((await profile(provider, young.access_token)).status).toBe(401);
    expect((await profile(provider, old.access_token)).status).not.toBe(401);
    clock.advance('1 day');
    expect((await profile(provider, old.access_token)).status).toBe(401);
  });
});
