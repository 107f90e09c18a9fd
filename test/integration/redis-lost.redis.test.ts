import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import supertest, { type Agent } from 'supertest';
import { createFetch, type Fetch } from '../../lib/http.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { siteFor } from './site.js';

const asPage = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' };
const real = createFetch({});

let provider: MockProvider;
let redis: RedisServer;
beforeEach(async () => {
  [provider, redis] = await Promise.all([startMockProvider(), startRedis()]);
});
afterEach(() => Promise.all([provider.stop(), redis.dispose()]));

/** Asks until Redis is reached again. */
async function onceRedisIsBack(agent: Agent, path: string) {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await agent.get(path);
    if (answer.status !== 503) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('still 503');
}

describe.each(['openid', 'profile'] as const)(
  'Redis is lost in the very moment of a refresh, in the %s flow',
  (flow) => {
    const refreshes = () => provider.requests.filter(({ form }) => form.grant_type === 'refresh_token').length;

    async function signedInAndExpired(moment: { lose: 'before' | 'after' | undefined }): Promise<Agent> {
      const fetch: Fetch = async (input, init) => {
        const isRefresh = String(init?.body ?? '').includes('grant_type=refresh_token');
        if (isRefresh && moment.lose === 'before') await redis.stop();
        const answer = await real(input, init);
        if (isRefresh && moment.lose === 'after') await redis.stop();
        return answer;
      };
      const client = await redis.client();
      const tokenStore = new RedisTokenStore({ client, timeout: 500 });
      const site = siteFor(provider, { flow, fetch, tokenStore, clock: provider.clock });
      const agent = supertest.agent(site.app);
      await signIn(agent, provider, { as: 'verified' });
      provider.clock.advance('2 hours');
      return agent;
    }

    test.each(['before', 'after'] as const)(
      'attack 191: %s the service has answered: nobody is signed out, and there is never a second refresh',
      async (lose) => {
        const moment: { lose: typeof lose | undefined } = { lose };
        const agent = await signedInAndExpired(moment);
        const meanwhile = await Promise.all(Array.from({ length: 20 }, () => agent.get('/profile').set(asPage)));
        for (const { status, headers } of meanwhile) {
          expect([200, 503]).toContain(status);
          expect(headers.location).toBeUndefined();
        }
        expect(refreshes()).toBe(1);
        moment.lose = undefined;
        await redis.start();
        const back = await onceRedisIsBack(agent, '/profile');
        expect([back.status, back.body.verified]).toEqual([200, true]);
        await agent.get('/notes').expect(200, 'notes');
        expect(refreshes()).toBe(1);
      },
    );

    test('at expiry, before the refresh has begun: 503, no refresh at all, then exactly one', async () => {
      const agent = await signedInAndExpired({ lose: undefined });
      await redis.stop();
      for (let count = 0; count < 5; count += 1) {
        const answer = await agent.get('/profile').set(asPage);
        expect(answer.status).toBe(503);
        expect(answer.text).not.toContain('/auth/login');
      }
      expect(refreshes()).toBe(0);
      await redis.start();
      expect((await onceRedisIsBack(agent, '/profile')).status).toBe(200);
      expect(refreshes()).toBe(1);
    });
  },
);
