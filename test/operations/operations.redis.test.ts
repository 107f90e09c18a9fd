import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { BrowserUser } from '../helpers.js';
import { type Deployment, SESSION_SECRET, startDeployment } from './deployment.js';
import { until } from './server-process.js';

const built = existsSync(fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url)));
/** A process takes a second to start, on a slow machine ten: the rotation starts six. */
const TIMEOUT_MS = 300_000;
/** Between two requests of a user: without it the load takes all of the processor time. */
const PAUSE_MS = 100;
const usernames = Array.from({ length: 5 }, (_, index) => `clinician-${index + 1}`);
const PATHS = ['/profile', '/notes', '/api/me', '/account'] as const;
/** A new secret is read by every process before one of them uses it, and the old one until no process does. */
const NEW_SECRET = 'operations-new-secret-0123456789-0123456789';
const ROTATION = [`${SESSION_SECRET} ${NEW_SECRET}`, `${NEW_SECRET} ${SESSION_SECRET}`, NEW_SECRET];

(built || process.env.CI === 'true' ? describe : describe.skip)('two site processes behind nginx with TLS', () => {
  let redis: RedisServer;
  let deployment: Deployment;
  const users = new Map<string, BrowserUser>();
  beforeAll(async () => {
    redis = await startRedis();
    deployment = await startDeployment(redis.url, usernames);
  });
  afterAll(async () => {
    await deployment?.stop();
    await redis?.dispose();
  });

  const fieldsOf = (username: string) => ({ username, password: 'clinician', decision: 'approve' });

  /** Signs in through the pages. @returns the user, once the protected page is shown */
  async function signIn(username: string, returnTo = '/notes'): Promise<BrowserUser> {
    const user = new BrowserUser(undefined, deployment.send);
    const start = `${deployment.url}/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
    const { status, url } = await user.visit(start, fieldsOf(username));
    expect([status, url.pathname]).toEqual([200, '/notes']);
    return user;
  }

  /** Lets each user open pages while an action runs. @returns the responses other than pages */
  async function duringLoad(action: (isServed: () => Promise<void>) => Promise<void>): Promise<string[]> {
    const problems: string[] = [];
    let served = new Set<string>();
    let isStopped = false;
    const running = [...users].map(async ([username, user]) => {
      for (let index = 0; !isStopped; index += 1) {
        const path = PATHS[index % PATHS.length] as string;
        const status = await user.get(deployment.url + path).then(
          (response) => response.status,
          () => 'closed connection',
        );
        if (status === 200) served.add(username);
        else problems.push(`${username} ${path}: ${status}`);
        await sleep(PAUSE_MS);
      }
    });
    const isServed = () => {
      served = new Set();
      return until('each user gets a page', () => served.size === users.size);
    };
    try {
      await action(isServed);
      await isServed();
    } finally {
      isStopped = true;
      await Promise.all(running);
    }
    return problems;
  }

  /** A machine that stops a process for three seconds ends its connection to Redis: the site then responds 503. */
  const isMachineSlow = () => deployment.sites.some((site) => site.output().includes('Socket timeout'));
  const withoutSlowness = (problems: string[]) =>
    problems.filter((problem) => !(problem.endsWith(': 503') && isMachineSlow()));

  test('concurrent sign-ins succeed, and the health checks of compose.yaml too', async () => {
    const signedIn = await Promise.all(usernames.map((username) => signIn(username)));
    usernames.forEach((username, index) => void users.set(username, signedIn[index] as BrowserUser));
    const codes = (['site-1', 'site-2', 'mock-provider'] as const).map(deployment.checkHealth);
    expect(codes).toEqual([0, 0, 0]);
  });

  test('many sign-ins in progress with long addresses fit into the limits of nginx', async () => {
    const user = new BrowserUser(undefined, deployment.send);
    const start = `${deployment.url}/auth/login?returnTo=/notes?${'x'.repeat(240)}`;
    let location: string | null = null;
    for (let count = 0; count < 12; count += 1) {
      location = (await user.get(start, { 'sec-fetch-site': 'same-origin' })).headers.get('location');
    }
    const { status, url } = await user.visit(location as string, fieldsOf('clinician-1'));
    expect([status, url.pathname]).toEqual([200, '/notes']);
  });

  test(
    'a rotation of the secret, with restarts by SIGTERM, signs no user out and fails no sign-in',
    async () => {
      const problems = await duringLoad(async (isServed) => {
        for (const secrets of ROTATION) {
          for (const [index, site] of deployment.sites.entries()) {
            expect(await site.end('SIGTERM')).toBe(0);
            await deployment.startSite(index, { SESSION_SECRET: secrets });
          }
          // Seals the tokens of each user again, and signs the session cookie.
          for (const user of users.values()) await user.post(`${deployment.url}/account/refresh`);
          await isServed();
          await signIn('clinician-1');
        }
      });
      expect(withoutSlowness(problems)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test('SIGKILL of a site process signs no user out', async () => {
    const problems = await duringLoad(async (isServed) => {
      await deployment.sites[0]?.end('SIGKILL');
      await isServed();
      await deployment.startSite(0);
    });
    expect(withoutSlowness(problems)).toEqual([]);
  });

  test('the logs of nginx contain no authorization code while no process responds', async () => {
    const { sites, nginx, url } = deployment;
    for (const site of sites) await site.end('SIGTERM');
    const size = nginx.outputSize;
    const user = users.get('clinician-1') as BrowserUser;
    expect((await user.get(`${url}/auth/callback?code=authorization-code-1`)).status).toBe(502);
    expect((await user.get(`${url}/notes?page=page-1`)).status).toBe(502);
    expect(nginx.output(size)).toContain('page-1');
    expect(nginx.output(size)).not.toContain('authorization-code-1');
  });
});
