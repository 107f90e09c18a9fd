import { afterAll, beforeAll } from '@jest/globals';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { type PostgresServer, startPostgres } from '../contracts/postgres-server.js';
import { testTwoProcesses } from './two-processes.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await new PostgresTokenStore({ pool: server.pool() }).createTable();
});
afterAll(() => server.dispose());

testTwoProcesses('PostgreSQL', async () => new PostgresTokenStore({ pool: server.pool() }));
