import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool, type PoolConfig } from 'pg';
import { freePort } from '../helpers/free-port.js';

/** A separate PostgreSQL for a test, on a free port of 127.0.0.1. A restart loses no data. */
export interface PostgresServer {
  readonly url: string;
  /** @returns a pool that is ended when the server is disposed of. Its errors are ignored, unless the test handles them. */
  pool(config?: PoolConfig): Pool;
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  start(): Promise<void>;
  /** Stops it at once, and closes all connections. */
  stop(): Promise<void>;
  /** Stops it and deletes its folder. */
  dispose(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as the user `nobody`. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** It writes its files without waiting for the disk: only a crash of the machine would lose data. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1'];

export async function startPostgres(): Promise<PostgresServer> {
  const program = process.env.POSTGRES_SERVER;
  if (program === undefined) throw new Error('POSTGRES_SERVER is not set: run the tests with `npm test`.');
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (NOBODY) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const data = join(folder, 'data');
  const initialize = ['-D', data, '-U', 'site', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(dirname(program), 'initdb'), initialize, { ...NOBODY, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const url = `postgres://site@127.0.0.1:${port}/postgres`;
  const pools: Pool[] = [];
  let running: ChildProcess | undefined;
  let databases = 0;
  const killed = () => running?.kill('SIGQUIT');
  process.once('exit', killed);

  const server: PostgresServer = {
    url,
    pool(config) {
      const pool = new Pool({ connectionString: url, ...config });
      pool.on('error', () => undefined);
      pools.push(pool);
      return pool;
    },
    async createDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      const [admin = server.pool({ max: 1 })] = pools;
      await admin.query(`CREATE DATABASE ${name}`);
      return url.replace(/\w+$/, name);
    },
    async start() {
      const settings = [...SETTINGS, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
      const args = ['-D', data, '-p', String(port), ...settings];
      const child = spawn(program, args, { ...NOBODY, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      running = child;
      for await (const line of createInterface({ input: child.stderr })) {
        if (!line.includes('ready to accept connections')) continue;
        child.stderr.resume();
        return;
      }
      throw new Error('PostgreSQL did not start.');
    },
    async stop() {
      const stopping = running;
      running = undefined;
      // SIGINT: it closes all connections. https://www.postgresql.org/docs/current/server-shutdown.html
      if (stopping?.kill('SIGINT')) await once(stopping, 'exit');
    },
    async dispose() {
      process.off('exit', killed);
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
