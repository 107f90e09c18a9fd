import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PostgresTokenStore } from 'passport-clinician/postgres';
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import type { StoredGrant } from '../../lib/token-vault/token-store.js';
import { type PostgresServer, startPostgres } from '../contracts/postgres-server.js';
import { until } from '../contracts/redis-cluster.js';
import { takePrinted } from '../helpers/printed.js';

const unavailable = expect.objectContaining({ code: 'token_store_unavailable', status: 503, retryable: true });
const refused = (code: string) =>
  expect.objectContaining({
    code: 'token_store_refused',
    status: 500,
    retryable: false,
    message: expect.stringMatching(new RegExp(`^PostgreSQL replied ${code}\\. \\S`)),
  });
const HOUR = 3_600_000;
/** A store that waits for its time limit exceeds that of the test. */
const LONG_MS = 150_000;
const SHORT_MS = 1_000;
/** For what takes a second at most, also on a slow machine. */
const SOON_MS = 20_000;
const TABLE = 'clinician_tokens';
const grant = (more: Partial<StoredGrant> = {}): StoredGrant => ({
  userKey: 'user',
  sealed: 'sealed',
  version: 1,
  expiresAt: Date.now() + HOUR,
  ...more,
});

interface Connected {
  connection: { stream: Socket };
}

let server: PostgresServer;
let url: string;
let pool: Pool;
let store: PostgresTokenStore;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.createDatabase();
  pool = server.pool({ connectionString: url });
  store = new PostgresTokenStore({ pool, timeout: LONG_MS });
  await store.createTable();
});
afterAll(() => server.dispose());

const count = async (condition = 'true') =>
  Number((await pool.query(`SELECT count(*) FROM ${TABLE} WHERE ${condition}`)).rows[0].count);

describe('createTable()', () => {
  test('can be repeated, and called by several processes at the same time', async () => {
    await pool.query(`DROP TABLE ${TABLE}`);
    await Promise.all(Array.from({ length: 8 }, () => store.createTable()));
    await store.put('g', grant());
    await store.createTable();
    expect(await store.get('g')).toMatchObject({ userKey: 'user' });
  });

  test.each([
    ['an index of the table', 'CREATE TABLE other_user (n int)', 'other'],
    ['the table, an index', '', `${TABLE}_user`],
  ])('creates nothing if something else has the name of %s', async (_, sql, table) => {
    await pool.query(sql);
    const named = new PostgresTokenStore({ pool, timeout: LONG_MS, table });
    await expect(named.createTable()).rejects.toThrow(/^PostgreSQL replied 42P07\. .*set option table/);
    await expect(named.get('g')).rejects.toEqual(refused(table === 'other' ? '42P01' : '42809'));
  });

  test('does nothing for a user who may not create tables, where the table exists', async () => {
    await pool.query(`CREATE ROLE limited LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLE} TO limited`);
    const limited = server.pool({ connectionString: url.replace('site@', 'limited@') });
    const permitted = new PostgresTokenStore({ pool: limited, timeout: LONG_MS });
    await permitted.createTable();
    await permitted.put('g', grant());
    expect(await permitted.grantsOf('user')).toEqual(['g']);
    const other = new PostgresTokenStore({ pool: limited, timeout: LONG_MS, table: 'other' });
    await expect(other.createTable()).rejects.toEqual(refused('42501'));
  });
});

describe('stored data', () => {
  test('that has expired, with locks and those of other instances, is erased a hundred rows at a time', async () => {
    await pool.query(`INSERT INTO ${TABLE} (instance, kind, id, content, expires_at)
      SELECT 'one', 'grant', n::text, '', now() FROM generate_series(1, 100) n
      UNION ALL SELECT 'other', 'lock', n::text, '', now() FROM generate_series(1, 50) n`);
    for (const remaining of [50, 0]) {
      await store.put('g', grant());
      expect(await count()).toBe(remaining + 1);
    }
  });

  test('expires by the clock of the server, whatever the clock of the process', async () => {
    const clock = { now: () => Date.now() + 365 * 24 * HOUR };
    const ahead = new PostgresTokenStore({ pool, timeout: LONG_MS, clock });
    await ahead.put('g', grant({ expiresAt: clock.now() + HOUR }));
    await ahead.put('short', grant({ expiresAt: clock.now() }));
    expect(await store.grantsOf('user')).toEqual(['g']);
    await store.put('other', grant());
    await ahead.put('g', grant({ expiresAt: clock.now() + HOUR }));
    expect(await ahead.grantsOf('user')).toEqual(['other', 'g']);
  });

  test('of an instance keeps the time limit and the clock of its store', async () => {
    const silent = Object.assign(server.pool(), { connect: () => new Promise<never>(() => undefined) });
    await expect(new PostgresTokenStore({ pool: silent, timeout: 50 }).forInstance('one').get('g')).rejects.toEqual(
      unavailable,
    );
    const past = new PostgresTokenStore({ pool, timeout: LONG_MS, clock: { now: () => 4e12 } }).forInstance('one');
    await past.put('g', grant());
    expect(await past.get('g')).toBeUndefined();
  });

  test('can be read where the site has changed how pg parses types', async () => {
    const types = { getTypeParser: () => (text: string) => `parsed ${text}` };
    const parsing = server.pool({
      connectionString: url,
      types: { getTypeParser: (id) => (id === 25 ? String : types.getTypeParser()) },
    });
    const record = grant();
    await store.put('g', record);
    expect(await new PostgresTokenStore({ pool: parsing, timeout: LONG_MS }).get('g')).toEqual(record);
  });
});

describe('an unreachable PostgreSQL', () => {
  const methods: [string, (store: PostgresTokenStore) => Promise<unknown>][] = [
    ['get', (store) => store.get('g')],
    ['put', (store) => store.put('g', grant())],
    ['swap', (store) => store.swap('g', 1, grant())],
    ['delete', (store) => store.delete('g')],
    ['grantsOf', (store) => store.grantsOf('user')],
    ['lock', (store) => store.lock('g', 1_000)],
    ['createTable', (store) => store.createTable()],
  ];

  test('makes every method fail at once with a retryable error, and loses no data', async () => {
    await store.put('g', grant());
    const lock = await store.lock('other', 30_000);
    await server.stop();
    try {
      const began = performance.now();
      for (const [, method] of methods) await expect(method(store)).rejects.toEqual(unavailable);
      await expect(lock?.release()).rejects.toEqual(unavailable);
      expect(performance.now() - began).toBeLessThan(SOON_MS);
    } finally {
      await server.start();
    }
    expect(await store.get('g')).toMatchObject({ sealed: 'sealed', version: 1 });
    expect(await store.grantsOf('user')).toEqual(['g']);
    expect(await store.lock('other', 30_000)).toBeUndefined();
  });

  /** Another transaction has the table, as one that alters it: each statement waits. */
  async function lockedTable(): Promise<PoolClient> {
    const other = await pool.connect();
    await other.query(`BEGIN; LOCK TABLE ${TABLE}`);
    return other;
  }

  test('that does not reply makes every method fail within the time limit, and frees the connections', async () => {
    const shared = server.pool({ connectionString: url, max: 6 });
    const limited = new PostgresTokenStore({ pool: shared, timeout: SHORT_MS });
    const other = await lockedTable();
    const began = performance.now();
    const calls = methods.slice(0, 6).map(([, method]) => expect(method(limited)).rejects.toEqual(unavailable));
    await Promise.all(calls);
    expect(performance.now() - began).toBeGreaterThanOrEqual(SHORT_MS - 10);
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect((await shared.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await other.query('ROLLBACK');
    other.release();
  });

  test('that executes a lock statement, but loses the connection before its reply, has that lock released', async () => {
    const losing = server.pool({ connectionString: url });
    losing.on('connect', (client) => {
      const query = client.query.bind(client) as (text: string, values: unknown[]) => Promise<unknown>;
      const lost = async (text: string, values: unknown[]) => {
        await query(text, values);
        throw new Error('Connection terminated unexpectedly');
      };
      Object.assign(client, { query: lost });
    });
    await expect(new PostgresTokenStore({ pool: losing }).lock('g', LONG_MS)).rejects.toEqual(unavailable);
    await until(async () => (await store.lock('g', LONG_MS)) !== undefined);
  });

  test.each([
    ['without a time limit of the pool', {}],
    ['with connectionTimeoutMillis', { connectionTimeoutMillis: 50 }],
  ])('is not assumed while the site uses all connections of the pool, %s', async (_limit, config: PoolConfig) => {
    const busy = server.pool({ connectionString: url, max: 1 });
    const used = await busy.connect();
    Object.assign(busy.options, config); // this limit is not one for opening the connection, which is slow on a busy machine
    const limited = new PostgresTokenStore({ pool: busy, timeout: SHORT_MS });
    const calls = Array.from({ length: 6 }, () => limited.get('g').catch((error: Error) => error));
    for (const error of await Promise.all(calls)) {
      expect(error).toEqual(unavailable);
      expect(error).toHaveProperty('message', expect.stringMatching(/the pool had no free connection/i));
    }
    used.release();
    await busy.query('SELECT 1');
    expect(await limited.get('g')).toBeUndefined();
  });

  test('never executes a write that has waited for a connection until its time limit', async () => {
    const busy = server.pool({ connectionString: url, max: 1 });
    const used = await busy.connect();
    const limited = new PostgresTokenStore({ pool: busy, timeout: 50 });
    await expect(limited.put('late', grant())).rejects.toEqual(unavailable);
    used.release();
    await busy.query('SELECT 1');
    expect(await store.get('late')).toBeUndefined();
    expect(busy.idleCount).toBe(1);
  });

  test('that ends or loses a connection during a statement does not end the process', async () => {
    const other = await lockedTable();
    const waiting = "pg_stat_activity WHERE wait_event = 'relation'";
    const untilFound = (query: string) => until(async () => ((await pool.query(query)).rowCount ?? 0) > 0);
    const ended = expect(store.get('g')).rejects.toEqual(unavailable);
    await untilFound(`SELECT pg_terminate_backend(pid) FROM ${waiting}`);
    await ended;
    const sockets: Socket[] = [];
    const watched = server.pool({ connectionString: url });
    watched.on('connect', (client) => sockets.push((client as unknown as Connected).connection.stream));
    const lost = expect(new PostgresTokenStore({ pool: watched }).get('g')).rejects.toEqual(unavailable);
    await untilFound(`SELECT FROM ${waiting}`);
    for (const socket of sockets) socket.destroy(new Error('read ECONNRESET'));
    await lost;
    await other.query('ROLLBACK');
    other.release();
    expect(await store.get('g')).toBeUndefined();
  });
});

test('a pool that loses an idle connection warns once where the site has no listener, and the store continues', async () => {
  const [handled, unhandled] = [new Pool({ connectionString: url }), new Pool({ connectionString: url })];
  const heard: unknown[] = [];
  const printed: string[][] = [];
  try {
    const stores = [handled, unhandled, unhandled].map((pool) => new PostgresTokenStore({ pool, timeout: LONG_MS }));
    handled.on('error', (error) => heard.push(error)); // later than the listener of the store
    for (const used of [stores.slice(0, 1), stores, stores]) {
      await Promise.all(used.flatMap((each) => [each.get('g'), each.get('g')]));
      const lost = [handled, unhandled].slice(0, used.length).map((pool) => once(pool, 'error'));
      await server.stop();
      await server.start();
      await Promise.all(lost);
      printed.push(takePrinted());
    }
    for (const each of stores) expect(await each.get('g')).toBeUndefined();
    expect(heard).toContainEqual(expect.objectContaining({ code: '57P01' }));
    const warning = expect.stringMatching(/^passport-clinician \[postgres_connection_lost\]: The pool /);
    expect(printed).toEqual([[], [warning], []]);
  } finally {
    await Promise.all([handled, unhandled].map((pool) => pool.end()));
  }
});

describe('a refused statement', () => {
  test('names the fix: a missing table, an unknown user, a missing database', async () => {
    const storeWith = (config: PoolConfig, table?: string) =>
      new PostgresTokenStore({ pool: server.pool({ connectionString: url, ...config }), timeout: LONG_MS, table });
    await expect(storeWith({}, 'missing').get('g')).rejects.toThrow(
      'PostgreSQL replied 42P01. The table does not exist: call createTable(), or run the SQL in the guide Token stores.',
    );
    await expect(storeWith({}, 'missing.tokens').createTable()).rejects.toEqual(refused('3F000'));
    await expect(storeWith({}, 'information_schema.tables').get('g')).rejects.toEqual(refused('42703'));
    const stranger = url.replace('site@', 'stranger@');
    await expect(storeWith({ connectionString: stranger }).get('g')).rejects.toEqual(refused('28000'));
    const missing = url.replace(/\w+$/, 'missing');
    await expect(storeWith({ connectionString: missing }).get('g')).rejects.toEqual(refused('3D000'));
    await expect(store.put('g', grant({ userKey: noise(4_000) }))).rejects.toEqual(refused('54000'));
  });

  test('by a primary that has become a standby is an outage, and the next works on a new connection', async () => {
    const switching = server.pool({ connectionString: url, max: 1 });
    await switching.query('SET default_transaction_read_only = on');
    const demoted = new PostgresTokenStore({ pool: switching, timeout: LONG_MS });
    expect(await demoted.get('g')).toBeUndefined();
    const error = await demoted.put('g', grant()).catch((thrown) => thrown);
    expect(error).toEqual(unavailable);
    expect(error.message).toBe(
      'PostgreSQL replied 25006. The pool is connected to a standby, or transactions are read-only: connect it to the primary. Retry later.',
    );
    await demoted.put('g', grant());
  });

  test.each([
    ['a full disk', '53100', unavailable],
    ['a password that is rotated', '28P01', unavailable],
    ['a server that starts', '57P03', unavailable],
    ['a time limit of the server', '57014', unavailable],
    ['a missing permission', '42501', refused('42501')],
    ['a host that pg_hba.conf does not list', '28000', refused('28000')],
  ])('is an outage only if its reason may end: %s', async (_reason, code, failure) => {
    const fails = () => Promise.reject(Object.assign(new Error('refused'), { severity: 'FATAL', code }));
    const failing = Object.assign(server.pool(), { connect: fails });
    await expect(new PostgresTokenStore({ pool: failing }).get('g')).rejects.toEqual(failure);
  });

  test('shows no value of a row and no password', async () => {
    await pool.query(`ALTER TABLE ${TABLE} ADD CHECK (version < 5)`);
    const error = await store.put('g', grant({ sealed: 'sealed-1234567890', version: 7 })).catch((thrown) => thrown);
    expect(error).toEqual(refused('23514'));
    expect(JSON.stringify([error, error.message, { ...error.cause }, error.cause.message])).not.toContain('sealed-123');
    const gone = server.pool({ connectionString: 'postgres://site:pass-1234567890@127.0.0.1:1/site' });
    const lost = await new PostgresTokenStore({ pool: gone }).get('g').catch((thrown) => thrown);
    expect(lost).toEqual(unavailable);
    expect(JSON.stringify([lost, lost.message, { ...lost.cause }, lost.cause.message])).not.toContain('pass-123');
  });
});

/** @returns text that PostgreSQL cannot compress. */
function noise(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('');
}

describe('the options', () => {
  const unused = new Pool();
  test.each<[string, unknown, string]>([
    ['a URL instead of a pool', { pool: 'postgres://127.0.0.1' }, 'option_invalid'],
    ['a single client', { pool: new Client() }, 'option_invalid'],
    ['a time limit of 0', { pool: unused, timeout: 0 }, 'option_invalid'],
    ['a table with SQL', { pool: unused, table: 'x"; DROP TABLE users; --' }, 'option_invalid'],
    ['a table with capital letters', { pool: unused, table: 'Tokens' }, 'option_invalid'],
    ['a table that is too long', { pool: unused, table: 'x'.repeat(51) }, 'option_invalid'],
  ])('that are wrong throw a ConfigurationError: %s', (_, options, code) => {
    expect(() => new PostgresTokenStore(options as never)).toThrow(
      expect.objectContaining({ code, remedy: 'fix_code' }),
    );
  });
});
