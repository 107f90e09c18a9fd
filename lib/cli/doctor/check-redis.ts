import { connect } from 'node:net';
import { isLoopbackHost } from '../../http/url.js';
import { type CheckResult, ok, problem, skipped, warning } from './check-result.js';
import type { Settings } from './settings.js';

const TIMEOUT_MS = 5_000;

/** Checks REDIS_URL, which may contain passwords and several URLs, and that connections open. */
export async function checkRedis({ redisURL, usesDatabase, production }: Settings): Promise<CheckResult[]> {
  const value = redisURL.reveal();
  if (value === '') {
    const message = 'REDIS_URL is not set: this check cannot see other stores. Without one, tokens are in memory.';
    if (usesDatabase || !production) return [skipped('redis', message)];
    return [warning('redis', message, 'Set REDIS_URL, unless the site has another store, or one process only.')];
  }
  const urls = value.split(',').map((text) => (URL.canParse(text) ? new URL(text) : undefined));
  if (!urls.every((url) => url !== undefined && /^rediss?:$/.test(url.protocol))) {
    const fix = 'Write it as redis://127.0.0.1:6379. Separate several URLs, of a Cluster or of Sentinels, by commas.';
    return [problem('redis', 'REDIS_URL is not the URL of a Redis server.', fix)];
  }
  return await checkServers(urls.filter((url) => url !== undefined));
}

async function checkServers(urls: readonly URL[]): Promise<CheckResult[]> {
  const defaultPort = urls.some(({ searchParams }) => searchParams.has('sentinel')) ? 26379 : 6379;
  const servers = await Promise.all(
    urls.map(async ({ protocol, hostname, port }) => ({
      host: `${hostname}:${port || defaultPort}`,
      isExposed: protocol === 'redis:' && !isLoopbackHost(hostname),
      isOpen: await isOpen(hostname.replaceAll(/[[\]]/g, ''), Number(port || defaultPort)),
    })),
  );
  const hostsOf = (some: typeof servers) => some.map(({ host }) => host).join(', ');
  const closed = servers.filter((server) => !server.isOpen);
  if (closed.length > 0) {
    const report = closed.length === servers.length ? problem : warning;
    return [report('redis', `Cannot connect to ${hostsOf(closed)}.`, 'Start Redis, or correct REDIS_URL.')];
  }
  const exposed = servers.filter(({ isExposed }) => isExposed);
  if (exposed.length > 0) {
    const message = `The connection to ${hostsOf(exposed)} has no TLS.`;
    return [warning('redis', message, 'Use rediss:// unless the network is private.')];
  }
  return [ok('redis', `connected to ${hostsOf(servers)}`)];
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
