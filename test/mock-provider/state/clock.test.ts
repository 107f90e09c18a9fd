import { expect, test } from '@jest/globals';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { codeOf, profile, redeem, send, signIn, tokensOf } from '../wire.js';

const SCOPE = { scope: 'openid basic' };

test('a key is published until the last token that it has signed has expired', async () => {
  const { clock, clients, keys } = provider;
  clock.freeze();
  await tokensOf(provider, clients.openid, SCOPE);
  const before = keys.current;
  keys.rotate();
  clock.advance('29m 59s');
  expect(keys.published).toContain(before);
  clock.advance('1 second');
  expect(keys.published).not.toContain(before);
});

test.each([
  ['by default', {}, 5 * 60_000, 8 * 3_600_000],
  ['as set', { code: '1 minute', session: '2 hours' }, 60_000, 2 * 3_600_000],
])('a code and the session at the service end after their lifetimes: %s', async (_, lifetimes, codeMs, sessionMs) => {
  await using own = await startMockProvider({ lifetimes });
  const { clock } = own;
  const { openid } = own.clients;
  clock.freeze();
  const [late, unused] = [await codeOf(own, openid), await codeOf(own, openid)];
  const silentError = async () => (await signIn(own, openid, { prompt: 'none' })).searchParams.get('error');
  clock.advance(codeMs - 1);
  expect((await redeem(own, openid, late)).status).toBe(200);
  clock.advance(1);
  expect((await redeem(own, openid, unused)).json.error).toBe('invalid_grant');
  clock.advance(sessionMs - codeMs - 1);
  expect(await silentError()).toBeNull();
  clock.advance(1);
  expect(await silentError()).toBe('login_required');
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

test('a clock that is moved back does not invalidate tokens, and new ones expire on time', async () => {
  const { clock, clients } = provider;
  clock.freeze();
  const old = await tokensOf(provider, clients.openid, SCOPE);
  clock.advance('-1 day');
  const young = await tokensOf(provider, clients.openid, SCOPE);
  const statuses = () =>
    Promise.all([old, young].map(async ({ access_token }) => (await profile(provider, access_token)).status));
  expect(await statuses()).toEqual([200, 200]);
  clock.advance('31 minutes');
  expect(await statuses()).toEqual([200, 401]);
  clock.advance('1 day');
  expect(await statuses()).toEqual([401, 401]);
});
