import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import type { Agent } from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { navigation, sameOriginScript, signedInAt, siteFor } from './site.js';

const pageHeaders = { ...navigation, ...sameOriginScript };
const real = createFetch({});

let provider: MockProvider;
let redis: RedisServer;
beforeEach(async () => {
  [provider, redis] = await Promise.all([startMockProvider(), startRedis()]);
});
afterEach(() => Promise.all([provider.stop(), redis.dispose()]));

/** Repeats a request until Redis is available again. */
async function untilAvailable(agent: Agent, path: string) {
  for (;;) {
    const response = await agent.get(path);
    if (response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('Redis becomes unavailable during a refresh', () => {
  const refreshes = () => provider.requests.filter(({ form }) => form.grant_type === 'refresh_token').length;

  /** @returns a signed-in browser whose access token has expired. `outage.stop` defines when the refresh stops Redis. */
  async function signedInAndExpired(outage: { stop: 'before' | 'after' | undefined }): Promise<Agent> {
    const fetch: Fetch = async (input, init) => {
      const isRefresh = String(init?.body ?? '').includes('grant_type=refresh_token');
      if (isRefresh && outage.stop === 'before') await redis.stop();
      const response = await real(input, init);
      if (isRefresh && outage.stop === 'after') await redis.stop();
      return response;
    };
    const client = await redis.client();
    const tokenStore = new RedisTokenStore({ client, timeout: 15_000 });
    const site = siteFor(provider, { fetch, tokenStore, clock: provider.clock });
    const agent = await signedInAt(site.app, provider);
    provider.clock.advance('2 hours');
    return agent;
  }

  test.each(['before', 'after'] as const)(
    '%s the token response: the new tokens are revoked, and the user signs in again',
    async (stop) => {
      const outage: { stop: typeof stop | undefined } = { stop };
      const agent = await signedInAndExpired(outage);
      // A lock that a busy Redis has given too late is not used: then the requests are repeated.
      while (refreshes() === 0) {
        // Requests of scripts: a page would be redirected if it arrives after the login has ended.
        const meanwhile = await Promise.all(
          Array.from({ length: 20 }, () => agent.get('/profile').set(sameOriginScript)),
        );
        for (const { status } of meanwhile) expect([200, 401, 503]).toContain(status);
      }
      expect(refreshes()).toBe(1);
      outage.stop = undefined;
      await redis.start();
      expect((await untilAvailable(agent, '/profile')).status).toBe(401);
      expect(provider.requests.some(({ path, status }) => path === '/oauth/revoke' && status === 200)).toBe(true);
      // The login has ended without Redis, to which the client may not be connected yet.
      let page = await signIn(agent, provider, { as: 'verified' });
      while (page.status === 503) page = await signIn(agent, provider, { as: 'verified' });
      await agent.get('/notes').expect(200, 'notes');
    },
  );

  test('before the refresh: responds 503 without a refresh, then refreshes once', async () => {
    const agent = await signedInAndExpired({ stop: undefined });
    await redis.stop();
    for (let count = 0; count < 5; count += 1) {
      const response = await agent.get('/profile').set(pageHeaders);
      expect(response.status).toBe(503);
      expect(response.text).not.toContain('/auth/login');
    }
    expect(refreshes()).toBe(0);
    await redis.start();
    expect((await untilAvailable(agent, '/profile')).status).toBe(200);
    expect(refreshes()).toBe(1);
  });
});
