import { RedisTokenStore } from 'passport-clinician/redis';
import { movableClock } from '../token-vault/movable-clock.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { describeTokenStore } from './token-store.contract.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

let count = 0;
describeTokenStore('RedisTokenStore', async () => {
  const clock = movableClock();
  count += 1;
  return {
    store: new RedisTokenStore({ client: await redis.client(), prefix: `test ${count}:`, clock }),
    clock,
    async pass(ms) {
      clock.pass(ms);
      await redis.pass(ms);
    },
  };
});
