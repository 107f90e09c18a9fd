import { afterAll, beforeAll, expect } from '@jest/globals';
import { RedisStore } from 'connect-redis';
import { RedisTokenStore } from 'passport-clinician/redis';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { testSecretLeaks } from './secret-leaks.js';

/** Longer than a test may take: a busy Redis is not an outage. */
const LONG_MS = 150_000;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

testSecretLeaks('sessions and tokens in Redis', async () => {
  const client = await redis.client();
  return {
    tokenStore: new RedisTokenStore({ client, timeout: LONG_MS }),
    sessions: new RedisStore({ client, prefix: 'session:' }),
    async contents() {
      const contents = await redis.dump();
      expect(contents).toContain('session:');
      expect(contents).toMatch(/clinician:\{[\w-]{22}\}:grant:/);
      return contents;
    },
  };
});
