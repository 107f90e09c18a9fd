import { promisify } from 'node:util';
import connectPgSimple from 'connect-pg-simple';
import session from 'express-session';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { startPostgres } from '../contracts/postgres-server.js';
import { testJourneys } from './test-journeys.js';

testJourneys('PostgreSQL', 24, async () => {
  const server = await startPostgres();
  const pool = server.pool();
  await new PostgresTokenStore({ pool }).createTable();
  // The first query creates the table.
  const sessions = new (connectPgSimple(session))({ pool, createTableIfMissing: true, pruneSessionInterval: false });
  await promisify((done: (error: unknown) => void) => sessions.get('none', done))();
  return {
    ...server,
    async advance(ms) {
      await pool.query("UPDATE clinician_tokens SET expires_at = expires_at - $1 * interval '1 millisecond'", [ms]);
    },
  };
});
