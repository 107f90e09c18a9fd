import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import type { RedisClientType } from 'redis';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { type SiteOptions, siteFor } from '../integration/site.js';

/** Longer than a test may take: a busy Redis is not an outage. */
const LONG_MS = 150_000;

let redis: RedisServer;
let client: RedisClientType;
let provider: MockProvider;
beforeAll(async () => {
  [redis, provider] = await Promise.all([startRedis(), startMockProvider()]);
  client = await redis.client();
});
beforeEach(async () => {
  provider.reset();
  await client.flushAll();
});
afterAll(() => Promise.all([redis.dispose(), provider.stop()]));

/** A site on the Redis, with a signed-in user whose id is the same on each site. */
async function siteWithLogin(options: SiteOptions = {}) {
  const events: ClinicianEvent[] = [];
  const site = siteFor(provider, {
    tokenStore: new RedisTokenStore({ client, timeout: LONG_MS }),
    onSignIn: () => ({ id: 'me' }),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  const codesOf = (name: string) => events.filter((event) => event.name === name).map(({ code }) => code);
  return { ...site, agent, codesOf };
}

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

describe('two sites on one Redis', () => {
  test('with different clients have separate keys: forget() of one does not affect the other', async () => {
    const { clientID, clientSecret } = provider.registerClient({
      flow: 'openid',
      redirectURIs: ['http://127.0.0.1:3000/auth/callback'],
      scope: 'openid basic colleagues email',
    });
    const one = await siteWithLogin();
    const other = await siteWithLogin({ clientID, clientSecret });
    const keys = await client.keys('*');
    const prefixes = new Set(keys.map((key) => key.split(':').slice(0, 2).join(':')));
    expect([...prefixes].every((prefix) => /^clinician:\{[\w-]{22}\}$/.test(prefix))).toBe(true);
    expect(prefixes.size).toBe(2);

    await one.clinician.forget('me');
    expect(one.codesOf('revocation_failed')).toEqual([]);
    expect(revocations()).toBe(1);
    await other.agent.get('/profile').expect(200);
  });

  test('with one client and different secrets erase only what they can open, and report the rest', async () => {
    const one = await siteWithLogin();
    const other = await siteWithLogin({ secret: 'the-secret-of-another-site-0123456789-0123456789' });
    await one.clinician.forget('me');
    expect(one.codesOf('revocation_failed')).toEqual(['grant_secret_unknown']);
    expect(revocations()).toBe(1);
    await other.agent.get('/profile').expect(200);
    await other.clinician.forget('me');
    expect(revocations()).toBe(2);
    expect(await client.keys('*')).toEqual([]);
  });
});
