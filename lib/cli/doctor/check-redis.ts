import { connect } from 'node:net';
import { isLoopbackHost } from '../../url.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import type { Settings } from './settings.js';

const TIMEOUT_MS = 5_000;

/** Checks REDIS_URL, which may contain a password, and that a connection opens. */
export async function checkRedis({ redisURL, production }: Settings): Promise<CheckResult[]> {
  const address = redisURL.reveal();
  if (address === '') {
    if (!production) return [ok('redis', 'not used: sessions and tokens are in memory')];
    const fix = 'Set REDIS_URL, unless the site is one process and its users may sign in again after a restart.';
    const message =
      'REDIS_URL is not set, so sessions and tokens are in memory: a restart signs all users out, and a second process does not know the logins of the first.';
    return [warning('redis', message, fix)];
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol)) {
    return [problem('redis', 'REDIS_URL is not the URL of a Redis server.', 'Write it as redis://127.0.0.1:6379.')];
  }
  const host = `${url.hostname}:${url.port || 6379}`;
  if (!(await isOpen(url.hostname.replaceAll(/[[\]]/g, ''), Number(url.port || 6379)))) {
    return [problem('redis', `Cannot connect to ${host}.`, 'Start Redis, or correct REDIS_URL.')];
  }
  if (url.protocol === 'redis:' && !isLoopbackHost(url.hostname)) {
    return [warning('redis', `The connection to ${host} has no TLS.`, 'Use rediss:// unless the network is private.')];
  }
  return [ok('redis', `connected to ${host}`)];
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const settle = (isConnected: boolean): void => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', () => settle(true));
    for (const event of ['error', 'timeout']) socket.once(event, () => settle(false));
  });
}
