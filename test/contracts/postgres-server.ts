import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool, type PoolConfig } from 'pg';
import { freePort } from '../helpers.js';
import type { ServerProcess } from './redis-server.js';

type Process = Omit<ServerProcess, 'port'>;

/** A separate PostgreSQL for a test, on a free port, with the user `site` and no password. A restart loses no data. */
export interface PostgresServer extends Process {
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
  const running = postgresProcess(program, await freePort());
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

/** PostgreSQL refuses to run as root: then it runs as the user `nobody`. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

function postgresProcess(program: string, port: number): Process {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (NOBODY) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const data = join(folder, 'data');
  const initialize = ['-D', data, '-U', 'site', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(dirname(program), 'initdb'), initialize, { ...NOBODY, cwd: folder, stdio: 'pipe' });
  const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...SETTINGS];
  const args = ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
  let running: ChildProcess | undefined;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  const onExit = () => {
    running?.kill('SIGQUIT');
    remove();
  };
  process.once('exit', onExit);

  /** https://www.postgresql.org/docs/current/server-shutdown.html */
  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = running;
    running = undefined;
    if (ending?.kill(signal)) await once(ending, 'exit');
  }

  return {
    url: `postgres://site@127.0.0.1:${port}/postgres`,
    async start() {
      const child = spawn(program, args, { ...NOBODY, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      running = child;
      for await (const line of createInterface({ input: child.stderr })) {
        if (!line.includes('ready to accept connections')) continue;
        child.stderr.resume();
        return;
      }
      throw new Error('PostgreSQL did not start.');
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGQUIT'),
    freeze: () => signalAll(running?.pid, 'SIGSTOP'),
    thaw: () => signalAll(running?.pid, 'SIGCONT'),
    async dispose() {
      process.off('exit', onExit);
      await end('SIGINT');
      remove();
    },
  };
}

/** Sends a signal to the server, and to its processes for connections, which have their own process groups. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const children = [...list.matchAll(/^ *(\d+) +(\d+)$/gm)].filter(([, , parent]) => Number(parent) === pid);
  for (const id of [pid, ...children.map(([, child]) => Number(child))]) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}
