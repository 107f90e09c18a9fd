import { afterAll, beforeAll } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { testRepeatedRevocations } from './repeated-revocations.js';

let redis: RedisServer;
let count = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

testRepeatedRevocations('Redis', async () => {
  count += 1;
  return new RedisTokenStore({ client: await redis.client(), prefix: `test ${count}:` });
});
