import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import connectPgSimple from 'connect-pg-simple';
import session from 'express-session';
import { PostgresTokenStore, type PostgresTokenStoreOptions } from 'passport-clinician/postgres';
import { testTokenStore } from 'passport-clinician/testing';
import type { PoolConfig } from 'pg';
import { root } from '../architecture/imports.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';

/** All stores are tested at the same time, also on a slow machine. */
const TIMEOUT_MS = 15_000;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());

async function testStore(config: PoolConfig = {}, options: Partial<PostgresTokenStoreOptions> = {}): Promise<void> {
  const pool = server.pool({ connectionString: await server.createDatabase(), ...config });
  await pool.query('CREATE SCHEMA site');
  const store = new PostgresTokenStore({ pool, timeout: TIMEOUT_MS, ...options });
  await store.createTable();
  await testTokenStore(store);
}

const PAGE = readFileSync(join(root, 'docs/operate/token-stores.md'), 'utf8');
const [DOCUMENTED_TABLE = '', DOCUMENTED_GRANT = ''] = [...PAGE.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql);
const DEFINITIONS = `
  SELECT column_name || data_type || is_nullable || coalesce(collation_name, '') AS text
  FROM information_schema.columns WHERE table_name IN ('clinician_tokens', 'session')
  UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename IN ('clinician_tokens', 'session') ORDER BY 1`;

test('the guide has the SQL of createTable() and of connect-pg-simple, which can be repeated, and enough permissions', async () => {
  const created = server.pool({ connectionString: await server.createDatabase() });
  await new PostgresTokenStore({ pool: created }).createTable();
  const SessionStore = connectPgSimple(session);
  const sessions = new SessionStore({ pool: created, createTableIfMissing: true, pruneSessionInterval: false });
  await new Promise((resolve) => void sessions.get('', resolve));
  const url = await server.createDatabase();
  const owner = server.pool({ connectionString: url });
  for (let times = 0; times < 2; times += 1) await owner.query(DOCUMENTED_TABLE);
  const expected = (await created.query(DEFINITIONS)).rows;
  expect(expected.length).toBeGreaterThan(14);
  expect((await owner.query(DEFINITIONS)).rows).toEqual(expected);
  await owner.query(`CREATE ROLE permitted LOGIN; ${DOCUMENTED_GRANT.replace('TO site', 'TO permitted')}`);
  const pool = server.pool({ connectionString: url.replace('site@', 'permitted@') });
  await testTokenStore(new PostgresTokenStore({ pool, timeout: TIMEOUT_MS }));
});

describe('PostgresTokenStore complies with the rules of a token store', () => {
  test.concurrent('with the default options', () => testStore());

  test.concurrent('in a table of another schema, whose name is a keyword', () => testStore({}, { table: 'site.user' }));

  test.concurrent('with another connection for each statement, as behind PgBouncer in transaction mode', () =>
    testStore({ maxUses: 1 }));

  test.concurrent('with one connection', () => testStore({ max: 1 }));

  test.concurrent.each(['repeatable read', 'serializable'])('where %s is the default isolation', (level) =>
    testStore({ options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}` }),
  );
});
