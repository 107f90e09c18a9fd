import { afterAll, beforeAll } from '@jest/globals';
import { describeProfileStore } from './profile-store.contract.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { redisStoreUnderTest } from './redis-store-under-test.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

describeProfileStore('a RedisTokenStore', () => redisStoreUnderTest(redis));
