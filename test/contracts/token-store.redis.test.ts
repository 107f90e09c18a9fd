import { afterAll, beforeAll } from '@jest/globals';
import { type RedisServer, startRedis } from './redis-server.js';
import { redisStoreUnderTest } from './redis-store-under-test.js';
import { describeTokenStore } from './token-store.contract.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

describeTokenStore('RedisTokenStore', () => redisStoreUnderTest(redis));
