import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, type RedisClientType } from 'redis';
import { freePort } from '../helpers.js';

/** A separate redis-server for a test, on a free port. It saves its data, so that a restart loses nothing. */
export interface RedisServer extends ServerProcess {
  /** @returns a connected client, closed when the server is disposed of. */
  client(): Promise<RedisClientType>;
  /** Reduces the TTL of every key. */
  advance(ms: number): Promise<void>;
}

const ADVANCE = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[1]) end
end
`;

/** One server process in its own folder, on a free port of 127.0.0.1. */
export interface ServerProcess {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Stops the process and deletes its folder. */
  dispose(): Promise<void>;
}

const READY = /Ready to accept connections|Sentinel ID is/;

/** @param options the arguments of redis-server, in addition to address, port and folder */
export async function serverProcess(options: readonly string[]): Promise<ServerProcess> {
  const program = redisServer();
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let running: ChildProcess | undefined;
  const killed = () => running?.kill('SIGKILL');
  process.once('exit', killed);

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const ending = running;
    running = undefined;
    if (ending?.kill(signal)) await once(ending, 'exit');
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      // The data is written, but a slow disk blocks no command: only a crash of the machine would lose data.
      const data = ['--dir', folder, '--save', '', '--appendfsync', 'no'];
      const args = [...options, '--bind', '127.0.0.1', '--port', String(port), ...data];
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      running = child;
      for await (const line of createInterface({ input: child.stdout })) {
        if (!READY.test(line)) continue;
        child.stdout.resume();
        return;
      }
      throw new Error(`${program} did not start.`);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void running?.kill('SIGSTOP'),
    thaw: () => void running?.kill('SIGCONT'),
    async dispose() {
      process.off('exit', killed);
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function redisServer(): string {
  const program = process.env.REDIS_SERVER;
  if (program === undefined) throw new Error('REDIS_SERVER is not set: run the tests with `npm test`.');
  return program;
}

export async function startRedis(options: readonly string[] = []): Promise<RedisServer> {
  const running = await serverProcess(['--appendonly', 'yes', ...options]);
  const clients: RedisClientType[] = [];
  const admin = () => clients[0] as RedisClientType;
  await running.start();
  const server: RedisServer = {
    ...running,
    async client() {
      // createClient() compiles every command, which takes 50 ms.
      const client = clients[0]?.duplicate() ?? createClient({ url: running.url, socket: { reconnectStrategy: 20 } });
      client.on('error', () => undefined);
      clients.push(client);
      return await client.connect();
    },
    advance: async (ms) => void (await admin().eval(ADVANCE, { arguments: [String(ms)] })),
    async dispose() {
      for (const client of clients) client.destroy();
      await running.dispose();
    },
  };
  await server.client();
  return server;
}
