import { afterAll, beforeAll } from '@jest/globals';
import { RedisTokenStore } from 'passport-clinician/redis';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { testTwoProcesses } from './two-processes.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.dispose());

testTwoProcesses('Redis', async () => new RedisTokenStore({ client: await server.client() }));
