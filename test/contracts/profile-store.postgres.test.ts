import { afterAll, beforeAll } from '@jest/globals';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { movableClock } from '../token-vault/movable-clock.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';
import { describeProfileStore } from './profile-store.contract.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());

describeProfileStore('a PostgresTokenStore', async () => {
  const clock = movableClock();
  const pool = server.pool({ connectionString: await server.createDatabase() });
  const store = new PostgresTokenStore({ pool, clock });
  await store.createTable();
  return {
    store,
    clock,
    async advance(ms) {
      clock.advance(ms);
      await pool.query("UPDATE clinician_tokens SET expires_at = expires_at - $1 * interval '1 millisecond'", [ms]);
    },
  };
});
