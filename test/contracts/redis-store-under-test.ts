import { RedisTokenStore } from 'passport-clinician/redis';
import { movableClock } from '../token-vault/movable-clock.js';
import type { RedisServer } from './redis-server.js';
import type { StoreUnderTest } from './token-store.contract.js';

let count = 0;

/** A store on a running server, empty, with the time that both of them go by. */
export async function redisStoreUnderTest(redis: RedisServer): Promise<StoreUnderTest> {
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
}
