import { Pool, type PoolConfig } from 'pg';
import { freePort } from '../helpers.js';
import { type PostgresProcess, postgresProcess } from './postgres-process.mjs';

/** A separate PostgreSQL for a test, on a free port. A restart loses no data. */
export interface PostgresServer extends PostgresProcess {
  /** @returns a pool that is ended when the server is disposed of. Its errors are ignored, unless the test handles them. */
  pool(config?: PoolConfig): Pool;
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
}

/** It writes its files without waiting for the disk: only a crash of the machine would lose data. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

export async function startPostgres(): Promise<PostgresServer> {
  const program = process.env.POSTGRES_SERVER;
  if (program === undefined) throw new Error('POSTGRES_SERVER is not set: run the tests with `npm test`.');
  const running = postgresProcess(program, await freePort(), SETTINGS);
  const pools: Pool[] = [];
  let databases = 0;
  await running.start();
  const server: PostgresServer = {
    ...running,
    pool(config) {
      const pool = new Pool({ connectionString: running.url, ...config });
      pool.on('error', () => undefined);
      pools.push(pool);
      return pool;
    },
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      const [admin = server.pool({ max: 1 })] = pools;
      await admin.query(`CREATE DATABASE ${name}`);
      return running.url.replace(/\w+$/, name);
    },
    async dispose() {
      await Promise.all(pools.map((pool) => pool.end()));
      await running.dispose();
    },
  };
  return server;
}
