import { RedisTokenStore } from 'passport-clinician/redis';
import { movableClock } from '../token-vault/movable-clock.js';
import type { StoreUnderTest } from './profile-store.contract.js';
import type { RedisServer } from './redis-server.js';

let count = 0;

/** @returns an empty store on a running server; `advance` moves the time of both. */
export async function redisStoreUnderTest(redis: RedisServer): Promise<StoreUnderTest> {
  const clock = movableClock();
  count += 1;
  return {
    store: new RedisTokenStore({ client: await redis.client(), prefix: `test ${count}:`, clock }),
    clock,
    async advance(ms) {
      clock.advance(ms);
      await redis.advance(ms);
    },
  };
}
