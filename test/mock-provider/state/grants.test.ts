import { expect, test } from '@jest/globals';
import type { Account } from '../../../lib/mock-provider/state/account.js';
import type { Client } from '../../../lib/mock-provider/state/clients.js';
import { createClock } from '../../../lib/mock-provider/state/clock.js';
import { type Authorization, GrantStore } from '../../../lib/mock-provider/state/grants.js';

const MINUTE_MS = 60_000;

test('a selector without a number selects every grant, pending or redeemed, and not only the newest', () => {
  const clock = createClock();
  clock.freeze();
  const accessToken = { profile: 60 * MINUTE_MS, openid: 30 * MINUTE_MS };
  const grants = new GrantStore(clock, {
    code: 5 * MINUTE_MS,
    accessToken,
    refreshToken: 90 * MINUTE_MS,
    refreshGrace: 0,
  });
  const authorization = {
    client: { id: 'app', flow: 'openid' } as Client,
    account: { username: 'verified' } as Account,
    scope: ['openid'],
    requestedScope: ['openid'],
    authTime: 0,
  } satisfies Authorization;
  const issue = () => grants.issueCode(authorization, { redirectURI: 'http://127.0.0.1:5001/callback' });
  const [redeemed, pending] = [issue(), issue()];
  const { accessToken: token } = grants.redeem(grants.findCode(redeemed)?.grant as never);
  for (let count = 0; count < 500; count += 1) issue();
  const selected = grants.select({ username: 'verified', clientID: 'app' });
  expect(selected).toHaveLength(502);
  for (const grant of selected) grants.revoke(grant);
  expect([grants.byAccessToken(token), grants.findCode(pending)]).toEqual([undefined, undefined]);
  expect(grants.select({ clientID: 'app' })).toEqual([]);
});
