import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { BrowserUser, type Page } from '../helpers/browser-user.js';
import { freePort } from '../helpers/free-port.js';
import { createBalancer } from '../helpers/load-balancer.js';

const main = fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url));
const built = existsSync(main) || process.env.CI === 'true';

const OLD = 'planted-old-secret-0123456789-0123456789';
const NEW = 'planted-new-secret-0123456789-0123456789';
const STEPS: readonly [name: string, secrets: string][] = [
  ['append the new secret', `${OLD} ${NEW}`],
  ['move the new secret to the front', `${NEW} ${OLD}`],
  ['remove the old secret', NEW],
];
/** `npm run test:long -- operations` has more users. */
const isFull = process.env.OPERATIONS === 'full';
const USERS = isFull ? 8 : 3;
const USERNAMES = Array.from({ length: USERS }, (_, index) => `user-${index}`);
/** They sign in during the load. A user has at most 50 logins, so they are other users. */
const ARRIVING = USERNAMES.map((username) => `arriving-${username}`);
/** The site refreshes a token after half of its lifetime. On a slow machine a request may take as long as the other half. */
const LIFETIME_MS = 8_000;
/** How long requests to a process that receives no new ones may take. */
const DRAIN_MS = 2_000;
const MAX_TRIES = 20;
const TIMEOUT_MS = 300_000;
const RETRY_MS = 100;
/** The time between two requests of one user. */
const PAUSE_MS = isFull ? 50 : 200;

const fieldsOf = (username: string) => ({ username, password: 'clinician', decision: 'approve' });

/** Two processes of the reference site behind one address, which are replaced one by one. */
class RotatingSite {
  readonly url: string;
  readonly #port: number;
  /** The balancer reads it at each request. */
  readonly #ports: number[] = [];
  readonly #processes: ChildProcess[] = [];
  readonly #environment: NodeJS.ProcessEnv;
  #server: Server | undefined;
  /** Everything that the processes have printed to standard error. */
  errors = '';

  constructor(port: number, environment: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.#port = port;
    this.#environment = environment;
  }

  async start(secrets: string): Promise<void> {
    for (const index of [0, 1]) await this.#launch(index, secrets);
    this.#server = createBalancer(this.#ports).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Starts a process with other secrets, and ends the one before when it has no requests any more. */
  async replace(index: number, secrets: string): Promise<void> {
    const before = this.#processes[index] as ChildProcess;
    await this.#launch(index, secrets);
    await sleep(DRAIN_MS);
    before.kill('SIGTERM');
    await once(before, 'exit');
  }

  async stop(): Promise<void> {
    for (const child of this.#processes) child.kill('SIGKILL');
    this.#server?.closeAllConnections();
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #launch(index: number, secrets: string): Promise<void> {
    const port = await freePort();
    const env = { ...this.#environment, PORT: String(port), APP_URL: this.url, SESSION_SECRET: secrets };
    const child = spawn(process.execPath, [main], { env });
    child.stderr.on('data', (text) => (this.errors += text));
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text) => String(text).includes('Open') && resolve());
      child.once('exit', () => reject(new Error(`the site exited: ${this.errors}`)));
    });
    this.#processes[index] = child;
    this.#ports[index] = port;
  }
}

(built ? describe : describe.skip)('two processes on one Redis, under load, while the secret is rotated', () => {
  let provider: MockProvider;
  let redis: RedisServer;
  let site: RotatingSite;
  let users: BrowserUser[];
  const failures: string[] = [];
  let visits = 0;
  let signIns = 0;

  beforeAll(async () => {
    [provider, redis] = await Promise.all([
      startMockProvider({
        clinicians: [...USERNAMES, ...ARRIVING].map((username) => ({ username, verified: true })),
        lifetimes: { accessToken: LIFETIME_MS },
        rateLimit: { limit: 1_000_000, window: '1 hour' },
      }),
      startRedis(),
    ]);
    const { clientID, clientSecret } = provider.clients.openid;
    site = new RotatingSite(await freePort(), {
      PATH: process.env.PATH ?? '',
      CLINICIAN_ISSUER: provider.issuer,
      CLINICIAN_API_URL: provider.apiURL,
      CLINICIAN_CLIENT_ID: clientID,
      CLINICIAN_CLIENT_SECRET: clientSecret,
      REDIS_URL: redis.url,
    });
    await site.start(OLD);
    users = await Promise.all(USERNAMES.map((username) => signIn(username)));
  });

  afterAll(async () => {
    await site.stop();
    await provider.stop();
    await redis.dispose();
  });

  /** Visits an address. On a machine under load, Redis may not respond in time: that signs no user out. */
  async function visit(user: BrowserUser, url: string, username?: string): Promise<Page> {
    const fields = username === undefined ? {} : fieldsOf(username);
    let page = await user.visit(url, fields);
    for (let tries = 0; page.status === 503 && tries < MAX_TRIES; tries += 1) {
      await sleep(RETRY_MS);
      page = await user.visit(url, fields);
    }
    return page;
  }

  /** Opens a page as a user who fills in no form: a user who was signed out ends on another page. */
  async function open(user: BrowserUser, path: string): Promise<void> {
    visits += 1;
    const page = await visit(user, site.url + path);
    if (page.status !== 200 || page.url.href !== site.url + path) failures.push(`${path}: ${page.status} ${page.url}`);
  }

  async function signIn(username: string): Promise<BrowserUser> {
    const user = new BrowserUser(provider);
    signIns += 1;
    const page = await visit(user, `${site.url}/auth/login?returnTo=/notes`, username);
    if (page.status !== 200 || page.url.pathname !== '/notes') failures.push(`sign-in: ${page.status} ${page.url}`);
    return user;
  }

  /** Starts a sign-in. @returns a function that finishes it */
  async function pendingSignIn(username: string): Promise<() => Promise<void>> {
    const user = new BrowserUser();
    const atService = await visit(user, `${site.url}/auth/login?returnTo=/notes`);
    return async () => {
      signIns += 1;
      const page = await visit(user, atService.url.href, username);
      if (page.url.href !== `${site.url}/notes`) failures.push(`pending sign-in: ${page.status} ${page.url}`);
    };
  }

  /** Keeps all users busy until the work is done, and for one more round. */
  async function underLoad(work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const loads = users.map(async (user) => {
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        await Promise.all(['/profile', '/account', '/notes'].map((path) => open(user, path)));
        await sleep(PAUSE_MS);
      }
    });
    const arrivals = (async () => {
      while (!isDone) {
        await signIn(ARRIVING[signIns % ARRIVING.length] as string);
        await sleep(PAUSE_MS);
      }
    })();
    await work().finally(() => (isDone = true));
    await Promise.all([...loads, arrivals]);
  }

  test.each(STEPS)(
    '%s: no user is signed out, and no pending sign-in fails',
    async (_name, secrets) => {
      const pending = await Promise.all(ARRIVING.map(pendingSignIn));
      const finishTwo = () => Promise.all(pending.splice(0, 2).map((finish) => finish()));
      await underLoad(async () => {
        await site.replace(0, secrets);
        await finishTwo();
        await site.replace(1, secrets);
        await finishTwo();
      });
      await Promise.all(pending.map((finish) => finish()));
      // The tokens of each user are refreshed, as they are within 30 days in production.
      await sleep(LIFETIME_MS / 2 + 100);
      for (const user of users) await open(user, '/profile');
      expect(failures).toEqual([]);
      // In the short run: two rounds, and one more page.
      expect(visits).toBeGreaterThan((isFull ? 20 : 6) * USERS);
      expect(site.errors).not.toContain('ClinicianWarning');
    },
    TIMEOUT_MS,
  );

  test('each user has signed in once, and the tokens were refreshed in each step', () => {
    const paths = provider.requests.map(({ path }) => path);
    const refreshes = paths.filter((path) => path === '/oauth/token').length - signIns;
    expect(refreshes).toBeGreaterThanOrEqual(STEPS.length * USERNAMES.length);
    // The other process may refresh a token between its read and its use.
    expect(provider.problems.filter(({ rule }) => rule !== 'api-token-valid')).toEqual([]);
  });
});
