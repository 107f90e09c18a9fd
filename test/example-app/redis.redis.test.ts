import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { SessionData } from 'express-session';
import supertest from 'supertest';
import { readConfig } from '../../example-app/src/config.js';
import { connectRedis, type Stores } from '../../example-app/src/redis.js';
import { withUnavailableStatus } from '../../example-app/src/session-store.js';
import { startRedisCluster } from '../contracts/redis-cluster.js';
import { startRedisWithSentinel } from '../contracts/redis-sentinel.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.dispose());

test('a Redis that stops responding fails commands after three seconds, and is used again when it responds', async () => {
  const stores = await connectRedis([new URL(redis.url)]);
  const logged: unknown[] = [];
  // Not restored: the site prints the end of the outage ten seconds later.
  console.warn = (...args) => void logged.push(...args);
  const read = () => new Promise<unknown>((resolve) => stores.sessions.get('missing', resolve));
  const nextTick = () => new Promise((resolve) => setImmediate(resolve));
  try {
    expect(await read()).toBeNull();
    redis.freeze();
    const started = Date.now();
    expect(await read()).toBeInstanceOf(Error);
    expect(Date.now() - started).toBeGreaterThanOrEqual(2_900);
    redis.thaw();
    while ((await read()) !== null) await nextTick();
    expect(logged).toEqual([expect.stringMatching(/ warn Redis does not respond /)]);
  } finally {
    stores.close();
  }
});

async function connect(url: string): Promise<Stores> {
  return await connectRedis(readConfig({ REDIS_URL: url }).redisURLs ?? []);
}

test.each([
  ['the nodes of a Cluster', startRedisCluster, ({ urls }: { urls: readonly string[] }) => urls.join(',')],
  [
    'a Sentinel',
    startRedisWithSentinel,
    ({ name, sentinel }: { name: string; sentinel: { url: string } }) => `${sentinel.url}?sentinel=${name}`,
  ],
] as [string, () => Promise<{ dispose(): Promise<void> }>, (servers: never) => string][])(
  'sessions and tokens are stored where REDIS_URL has %s',
  async (_, start, urlOf) => {
    const servers = await start();
    const stores = await connect(urlOf(servers as never));
    try {
      const session = { cookie: { originalMaxAge: null } } as SessionData;
      const saved = await new Promise<unknown>((resolve) => stores.sessions.set('id', session, resolve));
      expect(saved ?? null).toBeNull();
      const found = await new Promise((resolve) => stores.sessions.get('id', (_error, data) => resolve(data)));
      expect(found).toEqual(session);
      const grant = { userKey: 'user', sealed: 'sealed', version: 1, expiresAt: Date.now() + 60_000 };
      for (const id of ['a', 'b', 'c', 'd']) await stores.tokens.put(id, grant);
      expect(await stores.tokens.grantsOf('user')).toHaveLength(4);
    } finally {
      stores.close();
      await servers.dispose();
    }
  },
);

test.each(['redis://127.0.0.1:1', 'redis://127.0.0.1:1,redis://127.0.0.1:2', 'redis://127.0.0.1:1?sentinel=mymaster'])(
  'the site does not start without a connection to %s',
  async (url) => {
    await expect(connect(url)).rejects.toThrow(/^REDIS_URL: cannot connect to Redis \(/);
  },
);

test('a session whose expiry cannot be extended after the response is no error of the site', async () => {
  const app = express();
  const session: RequestHandler = (_req, res, next) => {
    res.once('finish', () => next(new Error('The client is offline')));
    next();
  };
  const errors: unknown[] = [];
  app.use(withUnavailableStatus(session));
  app.get('/', (_req, res) => void res.send('page'));
  app.use(((error, _req, _res, _next) => void errors.push(error)) satisfies ErrorRequestHandler);
  expect((await supertest(app).get('/')).text).toBe('page');
  expect(errors).toEqual([]);
});
