import { afterAll, beforeAll } from '@jest/globals';
import { describeKeptProfiles } from './kept-profiles.contract.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { redisStoreUnderTest } from './redis-store-under-test.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

describeKeptProfiles('a RedisTokenStore', () => redisStoreUnderTest(redis));
