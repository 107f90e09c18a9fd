import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { until } from '../contracts/redis-cluster.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { BrowserUser, createBalancer, freePort, type Page } from '../helpers.js';

const main = fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url));
const built = existsSync(main) || process.env.CI === 'true';
const fields = { username: 'verified', password: 'clinician', decision: 'approve' };
/** The codes of a 503 page where Redis does not reply within the time limits of the site, as on a busy machine. */
const REDIS_UNAVAILABLE = /session_unavailable|token_store_unavailable/;

interface Deployment {
  provider: MockProvider;
  redis: RedisServer;
  processes: ChildProcess[];
  /** Starts the processes that are not running, and waits until all are connected to Redis. */
  start(): Promise<void>;
  appURL: string;
  /** The ports of the processes themselves. */
  ports: number[];
  stop(): Promise<void>;
}

async function deploy(): Promise<Deployment> {
  const [provider, redis] = await Promise.all([startMockProvider(), startRedis()]);
  const [publicPort, ...ports] = await Promise.all([freePort(), freePort(), freePort()]);
  const appURL = `http://127.0.0.1:${publicPort}`;
  const { clientID, clientSecret } = provider.clients.profile;
  let printed = '';
  const launch = async (port: number): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH ?? '',
        DEBUG: 'clinician:*',
        PORT: String(port),
        APP_URL: appURL,
        SESSION_SECRET: 'planted-session-secret-0123456789-0123456789',
        CLINICIAN_ISSUER: provider.issuer,
        CLINICIAN_API_URL: provider.apiURL,
        CLINICIAN_CLIENT_ID: clientID,
        CLINICIAN_CLIENT_SECRET: clientSecret,
        // Form A has no ID Token with times, so that the clock of the service can be advanced without the site's.
        CLINICIAN_FLOW: 'profile',
        REDIS_URL: redis.url,
      },
    });
    child.stderr.on('data', (text) => (printed += text));
    // Read until the end: a process that cannot write its log fails.
    child.stdout.on('data', (text) => (printed += text));
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text) => String(text).includes('Open') && resolve());
      child.once('exit', () => reject(new Error(`the site exited: ${printed}`)));
    });
    return child;
  };
  const processes = await Promise.all(ports.map(launch));
  const server = createBalancer(ports).listen(publicPort, '127.0.0.1');
  await once(server, 'listening');
  return {
    provider,
    redis,
    processes,
    async start() {
      for (const [index, port] of ports.entries()) {
        const child = processes[index] as ChildProcess;
        if (child.killed) {
          // Until then it has the port.
          if (child.signalCode === null) await once(child, 'exit');
          processes[index] = await launch(port);
        }
        await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
      }
    },
    appURL,
    ports,
    async stop() {
      for (const child of processes) child.kill('SIGKILL');
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
      await provider.stop();
      await redis.dispose();
    },
  };
}

(built ? describe : describe.skip)('two processes of the reference site with one Redis, behind one URL', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy();
  });
  beforeEach(async () => {
    deployment.provider.reset();
    await deployment.start();
  });
  afterAll(() => deployment.stop());

  const refreshes = () => deployment.provider.requests.filter(({ form }) => form.grant_type === 'refresh_token').length;

  /** Opens a page of the site, again while Redis is unavailable. */
  async function visit(user: BrowserUser, path: string, origin = deployment.appURL): Promise<Page> {
    for (;;) {
      const page = await user.visit(origin + path, fields);
      if (page.status !== 503 || !REDIS_UNAVAILABLE.test(page.text)) return page;
    }
  }

  async function signedIn(user: BrowserUser = new BrowserUser(deployment.provider)): Promise<BrowserUser> {
    const page = await visit(user, '/auth/login?returnTo=/notes');
    expect([page.status, page.url.pathname]).toEqual([200, '/notes']);
    return user;
  }

  test('200 parallel requests with expired tokens make one refresh', async () => {
    const user = await signedIn();
    deployment.provider.clock.advance('2 hours');
    const pages = await Promise.all(Array.from({ length: 200 }, () => visit(user, '/profile')));
    expect(new Set(pages.map(({ status, url }) => `${status} ${url.pathname}`))).toEqual(new Set(['200 /profile']));
    expect(refreshes()).toBe(1);
  });

  /** Kills the process that refreshes, and lets its lock expire. @returns the page of the other process. */
  async function killedWhileRefreshing(user: BrowserUser, fault: 'noResponse' | 'delay') {
    const { provider, redis, ports, processes } = deployment;
    provider.clock.advance('2 hours');
    const now = provider.clock.now();
    provider.faults.next(fault, fault === 'delay' ? { delay: '1 hour' } : {});
    const lost = visit(user, '/profile', `http://127.0.0.1:${ports[0]}`).catch(() => 'gone');
    await provider.requests.waitFor(({ path, at }) => path === '/oauth/token' && at >= now, { timeout: '1 minute' });
    expect(await redis.dump()).toMatch(/rounds:tokens:\{[\w-]+\}:lock:/);
    processes[0]?.kill('SIGKILL');
    expect(await lost).toBe('gone');
    const waiting = visit(user, '/profile');
    await redis.advance(30_000);
    return await waiting;
  }

  test('after the refreshing process is killed, the other refreshes when the lock expires', async () => {
    const page = await killedWhileRefreshing(await signedIn(), 'noResponse');
    expect([page.status, page.url.pathname]).toEqual([200, '/profile']);
    expect(refreshes()).toBe(2);
  });

  test('when the killed process had used the refresh token, a new sign-in returns to the page', async () => {
    const user = await signedIn();
    const page = await killedWhileRefreshing(user, 'delay');
    expect(page.status).toBe(401);
    expect(page.text).toContain('Please sign in again');
    expect(page.text).toContain('href="/auth/login?returnTo=%2Fprofile"');
    const guarded = await supertest(deployment.appURL).get('/notes').set(user.navigation);
    expect([guarded.status, guarded.headers.location]).toEqual([302, '/auth/login?returnTo=%2Fnotes']);
    const back = await visit(user, '/auth/login?returnTo=%2Fprofile');
    expect([back.status, back.url.pathname]).toEqual([200, '/profile']);
  });
});
