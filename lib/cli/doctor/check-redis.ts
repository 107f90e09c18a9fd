import { connect } from 'node:net';
import { isLoopbackHost } from '../../url.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import type { Settings } from './settings.js';

const PATIENCE_MS = 5_000;

/** Looks at REDIS_URL, which may hold a password, and knocks at its door. */
export async function checkRedis({ redisURL, production }: Settings): Promise<CheckResult[]> {
  const address = redisURL.reveal();
  if (address === '') {
    if (!production) return [ok('redis', 'not used: sessions and tokens are kept in memory')];
    const fix = 'Set REDIS_URL, if your site is to survive restarts or runs in more than one process.';
    return [warning('redis', 'REDIS_URL is not set: a restart signs everybody out.', fix)];
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol)) {
    return [problem('redis', 'REDIS_URL is no address of Redis.', 'Write it as redis://127.0.0.1:6379.')];
  }
  const host = `${url.hostname}:${url.port || 6379}`;
  if (!(await isOpen(url.hostname.replaceAll(/[[\]]/g, ''), Number(url.port || 6379)))) {
    return [problem('redis', `Nobody answers at ${host}.`, 'Start Redis, or correct REDIS_URL.')];
  }
  if (url.protocol === 'redis:' && !isLoopbackHost(url.hostname)) {
    return [
      warning('redis', `${host} is reached without TLS.`, 'Use rediss:// unless the network between is yours alone.'),
    ];
  }
  return [ok('redis', `${host} answers`)];
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    for (const event of ['error', 'timeout']) socket.once(event, () => settle(false));
  });
}
