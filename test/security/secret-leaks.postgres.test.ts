import { afterAll, beforeAll, expect } from '@jest/globals';
import connectPgSimple from 'connect-pg-simple';
import session from 'express-session';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { type PostgresServer, startPostgres } from '../contracts/postgres-server.js';
import { testSecretLeaks } from './secret-leaks.js';

/** Longer than a test may take: a busy PostgreSQL is not an outage. */
const LONG_MS = 150_000;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());

testSecretLeaks('sessions and tokens in PostgreSQL', async () => {
  const pool = server.pool({ connectionString: await server.createDatabase() });
  const tokenStore = new PostgresTokenStore({ pool, timeout: LONG_MS });
  await tokenStore.createTable();
  const sessions = new (connectPgSimple(session))({ pool, createTableIfMissing: true, pruneSessionInterval: false });
  return {
    tokenStore,
    sessions,
    async contents() {
      const tables = ['session', 'clinician_tokens'].map((table) => pool.query(`SELECT t::text FROM ${table} t`));
      const [logins, tokens] = (await Promise.all(tables)).map(({ rows }) => rows.map(({ t }) => t as string));
      expect(logins).not.toEqual([]);
      expect(tokens).toEqual(expect.arrayContaining([expect.stringMatching(/^\([\w-]{22},grant,/)]));
      return [logins, tokens].flat().join('\n');
    },
  };
});
