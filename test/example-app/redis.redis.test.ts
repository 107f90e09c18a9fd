import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectRedis } from '../../example-app/src/redis.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

test('a Redis that stops responding fails commands after three seconds, and is used again when it responds', async () => {
  const stores = await connectRedis(redis.url);
  const logged: unknown[] = [];
  const { error } = console;
  console.error = (...args) => void logged.push(...args);
  const read = () => new Promise<unknown>((resolve) => stores.sessions.get('missing', resolve));
  const nextTick = () => new Promise((resolve) => setImmediate(resolve));
  try {
    expect(await read()).toBeNull();
    redis.freeze();
    const started = Date.now();
    expect(await read()).toBeInstanceOf(Error);
    expect(Date.now() - started).toBeLessThan(6000);
    redis.thaw();
    while ((await read()) !== null) await nextTick();
    expect(logged.length).toBeGreaterThan(0);
  } finally {
    console.error = error;
    stores.close();
  }
}, 15_000);
