import { afterAll, beforeAll, expect } from '@jest/globals';
import { RedisStore } from 'connect-redis';
import { RedisTokenStore } from 'passport-clinician/redis';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { nothingLeaks } from './nothing-leaks.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

nothingLeaks('sessions and tokens in Redis', async () => {
  const client = await redis.client();
  return {
    tokenStore: new RedisTokenStore({ client }),
    sessions: new RedisStore({ client, prefix: 'session:' }),
    async everything() {
      const all = await redis.dump();
      expect(all).toContain('session:');
      expect(all).toContain('clinician:grant:');
      return all;
    },
  };
});
