import { beforeEach, expect, test } from '@jest/globals';
import type { Account } from '../../../lib/mock-provider/state/account.js';
import type { Client } from '../../../lib/mock-provider/state/clients.js';
import { createClock, type MockClock } from '../../../lib/mock-provider/state/clock.js';
import { type Authorization, type Grant, GrantStore } from '../../../lib/mock-provider/state/grants.js';

const MINUTE_MS = 60_000;

const accessToken = { profile: 60 * MINUTE_MS, openid: 30 * MINUTE_MS };
const LIFETIMES = { code: 5 * MINUTE_MS, accessToken, refreshToken: 45 * MINUTE_MS };
const authorization = {
  client: { id: 'app', flow: 'openid' } as Client,
  account: { username: 'verified' } as Account,
  scope: ['openid'],
  authTime: 0,
} satisfies Authorization;

let clock: MockClock;
let grants: GrantStore;
beforeEach(() => {
  clock = createClock();
  clock.freeze();
  grants = new GrantStore(clock, LIFETIMES);
});

const issue = () => grants.issueCode(authorization, { redirectURI: 'http://127.0.0.1:5001/callback' });
const redeem = (code: string) => grants.redeem(grants.findCode(code)?.grant as Grant);

test('a selector without a number selects every grant, pending or redeemed, and not only the newest', () => {
  const [redeemed, pending] = [issue(), issue()];
  const { accessToken: token } = redeem(redeemed);
  for (let count = 0; count < 500; count += 1) issue();
  const selected = grants.select({ username: 'verified', clientID: 'app' });
  expect(selected).toHaveLength(502);
  for (const grant of selected) grants.revoke(grant);
  expect([grants.byAccessToken(token), grants.findCode(pending)]).toEqual([undefined, undefined]);
  expect(grants.select({ clientID: 'app' })).toEqual([]);
});

test('the end of an access token changes neither the refresh token nor the next pair', () => {
  const first = redeem(issue());
  const { grant } = first;
  const second = grants.rotate(grant, grant.scope);
  const before = grant.refreshEndsAt;
  grants.expire(grant, 'access');
  expect(grants.byAccessToken(second.accessToken)).toBeUndefined();
  expect(grant.refreshEndsAt).toBe(before);
  clock.advance('9 minutes');
  grants.expire(grant, 'access');
  expect(grant.accessEndsAt).toBe(clock.now() - 9 * MINUTE_MS);
  expect(grants.findRefreshToken(first.refreshToken)?.state).toBe('reused');
  clock.advance('35 minutes');
  expect(grants.findRefreshToken(second.refreshToken)?.state).toBe('valid');
  const third = grants.rotate(grant, grant.scope);
  expect(grants.byAccessToken(third.accessToken)).toBe(grant);
  expect(grant.accessEndsAt).toBe(clock.now() + accessToken.openid);
});
