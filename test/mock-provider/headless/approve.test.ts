import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizeURL, redeem } from '../wire.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const signIn = (scope: string, approve: readonly string[]) =>
  provider.signIn(authorizeURL(provider, provider.clients.openid, { scope }), { as: 'verified', approve });

test.each([
  ['openid basic email', ['openid', 'basic', 'email'], 'openid basic email'],
  ['openid basic email', ['openid', 'basic'], 'openid basic'],
  ['openid basic email', [], 'openid basic'],
  ['', ['openid'], 'openid'],
])('of the scope "%s", approve %j grants "%s"', async (scope, approve, granted) => {
  const code = new URL(await signIn(scope, approve)).searchParams.get('code') ?? '';
  expect((await redeem(provider, provider.clients.openid, code)).json.scope).toBe(granted);
});

test.each([
  ['openid basic email', ['openid', 'basic', 'emial'], 'emial'],
  ['openid basic', ['openid', 'basic', 'email'], 'email'],
  ['', ['openid', 'email'], 'email'],
])('of the scope "%s", approve %j is refused', async (scope, approve, unknown) => {
  await expect(signIn(scope, approve)).rejects.toThrow(`approve has "${unknown}"`);
  expect(provider.requests).toHaveLength(0);
});
