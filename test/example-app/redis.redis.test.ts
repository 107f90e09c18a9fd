import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectRedis } from '../../example-app/src/redis.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

test('attack 147: a Redis that takes questions and answers none is down, after three seconds, and is found again', async () => {
  const stores = await connectRedis(redis.url);
  const said: unknown[] = [];
  const { error } = console;
  console.error = (...words) => void said.push(...words);
  const ask = () => new Promise<unknown>((resolve) => stores.sessions.get('nobody', resolve));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  try {
    expect(await ask()).toBeNull();
    redis.freeze();
    const started = Date.now();
    expect(await ask()).toBeInstanceOf(Error);
    expect(Date.now() - started).toBeLessThan(6000);
    redis.thaw();
    while ((await ask()) !== null) await turn();
    expect(said.length).toBeGreaterThan(0);
  } finally {
    console.error = error;
    stores.close();
  }
}, 15_000);
