import { afterAll, beforeAll } from '@jest/globals';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { type PostgresServer, startPostgres } from '../contracts/postgres-server.js';
import { testRepeatedRevocations } from './repeated-revocations.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());

testRepeatedRevocations('PostgreSQL', async () => {
  const store = new PostgresTokenStore({ pool: server.pool({ connectionString: await server.createDatabase() }) });
  await store.createTable();
  return store;
});
