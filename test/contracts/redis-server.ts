import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, type RedisClientType } from 'redis';
import { freePort } from '../free-port.js';

/** A separate redis-server for a test, on a free port. It saves its data, so that a restart loses nothing. */
export interface RedisServer {
  url: string;
  /** @returns a connected client, closed when the server is disposed of. */
  client(): Promise<RedisClientType>;
  stop(): Promise<void>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Suspends the process: connections remain open, and no command gets a reply. */
  freeze(): void;
  thaw(): void;
  /** Reduces the TTL of every key. */
  advance(ms: number): Promise<void>;
  /** @returns every key with its type and content, as one string. */
  dump(): Promise<string>;
  dispose(): Promise<void>;
}

const ADVANCE = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[1]) end
end
`;
const DUMP = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  local read = { hash = { 'HGETALL', key }, zset = { 'ZRANGE', key, 0, -1 }, string = { 'GET', key } }
  all[#all + 1] = cjson.encode({ key, kind, redis.call('PTTL', key), redis.call(unpack(read[kind])) })
end
return table.concat(all, '\\n')
`;

export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const clients: RedisClientType[] = [];
  let running: ChildProcess | undefined;
  const killed = () => running?.kill('SIGKILL');
  process.once('exit', killed);

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const ending = running;
    running = undefined;
    if (ending?.kill(signal)) await once(ending, 'exit');
  }

  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async client() {
      const client: RedisClientType = createClient({ url: server.url, socket: { reconnectStrategy: 20 } });
      client.on('error', () => undefined);
      clients.push(client);
      return await client.connect();
    },
    async start() {
      running = await launch(folder, port);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void running?.kill('SIGSTOP'),
    thaw: () => void running?.kill('SIGCONT'),
    advance: async (ms) => void (await admin().eval(ADVANCE, { arguments: [String(ms)] })),
    dump: async () => (await admin().eval(DUMP)) as string,
    async dispose() {
      for (const client of clients) client.destroy();
      process.off('exit', killed);
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const admin = () => clients[0] as RedisClientType;
  await server.start();
  await server.client();
  return server;
}

async function launch(folder: string, port: number): Promise<ChildProcess> {
  const program = process.env.REDIS_SERVER;
  if (program === undefined) throw new Error('REDIS_SERVER is not set: run the tests with `npm test`.');
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return child;
    }
  }
  throw new Error('redis-server did not start.');
}
