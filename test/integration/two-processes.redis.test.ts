import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, request as forward, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { BrowserUser } from '../browser-user.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';

const main = fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url));
const built = existsSync(main) || process.env.CI === 'true';
const fields = { username: 'verified', password: 'clinician', decision: 'approve' };

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await probe[Symbol.asyncDispose]();
  return port;
}

/** One address before several ports, in turn: what a load balancer does. A port that does not answer is left out. */
function balancer(ports: number[]): Server {
  let turn = 0;
  return createServer((req, res) => {
    const attempt = (left: number): void => {
      turn += 1;
      const { method = 'GET', url = '/', headers } = req;
      const port = ports[turn % ports.length] as number;
      const onward = forward({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        res.writeHead(answer.statusCode as number, answer.headers);
        answer.pipe(res);
      });
      onward.on('error', () => (left > 0 && !res.headersSent ? attempt(left - 1) : res.destroy()));
      if (method === 'GET') onward.end();
      else req.pipe(onward);
    };
    attempt(ports.length);
  });
}

/** Notes every token and code that the provider, which is in this process, hands out. */
function listenToProvider(): { handedOut: Set<string>; stop(): void } {
  const handedOut = new Set<string>();
  const note = (text: string) => {
    const values = text.matchAll(/"(?:access_token|refresh_token|id_token)":"([^"]+)"|[?&](?:code|state)=([^&#\s"]+)/g);
    for (const [, token, parameter] of values) handedOut.add((token ?? parameter) as string);
  };
  const { end, writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.end = function (this: ServerResponse, ...words: unknown[]) {
    note(String(words[0] ?? ''));
    return Reflect.apply(end, this, words) as ServerResponse;
  } as typeof end;
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...words: unknown[]) {
    note(JSON.stringify(words[1] ?? {}));
    return Reflect.apply(writeHead, this, words) as ServerResponse;
  } as typeof writeHead;
  return {
    handedOut,
    stop: () => void Object.assign(ServerResponse.prototype, { end, writeHead }),
  };
}

interface World {
  provider: MockProvider;
  redis: RedisServer;
  processes: ChildProcess[];
  /** Everything that they printed. */
  printed(): string;
  appURL: string;
  /** The processes' own, past the balancer. */
  ports: number[];
  stop(): Promise<void>;
}

async function startWorld(): Promise<World> {
  const [provider, redis] = await Promise.all([startMockProvider(), startRedis()]);
  const [address, ...ports] = await Promise.all([freePort(), freePort(), freePort()]);
  const appURL = `http://127.0.0.1:${address}`;
  const { clientID, clientSecret } = provider.clients.profile;
  let printed = '';
  const processes = ports.map((port) =>
    spawn(process.execPath, [main], {
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
        // Form A: nothing in it is dated, so that the service's time may be moved and the site's not.
        CLINICIAN_FLOW: 'profile',
        REDIS_URL: redis.url,
      },
    }),
  );
  await Promise.all(
    processes.map(async (child) => {
      child.stderr.on('data', (text) => (printed += text));
      for await (const text of child.stdout) {
        printed += text;
        if (String(text).includes('Open')) return;
      }
      throw new Error(`it ended: ${printed}`);
    }),
  );
  const server = balancer(ports).listen(address, '127.0.0.1');
  await once(server, 'listening');
  return {
    provider,
    redis,
    processes,
    printed: () => printed,
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

(built ? describe : describe.skip)('two processes of the reference site on one Redis, behind one address', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  }, 30_000);
  afterEach(() => world.stop());

  const refreshes = () => world.provider.requests.filter(({ path }) => path === '/oauth/token').length - 1;

  async function signedIn(person: BrowserUser = new BrowserUser(world.provider)): Promise<BrowserUser> {
    const page = await person.visit(`${world.appURL}/auth/login?returnTo=/notes`, fields);
    expect([page.status, page.url.pathname]).toEqual([200, '/notes']);
    return person;
  }

  test('200 requests at once, when the tokens have expired, make exactly one refresh', async () => {
    const person = await signedIn();
    world.provider.clock.advance('2 hours');
    const pages = await Promise.all(Array.from({ length: 200 }, () => person.visit(`${world.appURL}/profile`, fields)));
    expect(new Set(pages.map(({ status, url }) => `${status} ${url.pathname}`))).toEqual(new Set(['200 /profile']));
    expect(refreshes()).toBe(1);
  }, 60_000);

  test('Redis stops: 503; it starts again: everything goes on, and nobody was signed out', async () => {
    const person = await signedIn();
    await world.redis.stop();
    for (const path of ['/notes', '/profile', '/api/me']) {
      expect((await person.visit(world.appURL + path, fields)).status).toBe(503);
    }
    await world.redis.start();
    let page = await person.visit(`${world.appURL}/notes`, fields);
    for (let tries = 0; page.status === 503 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      page = await person.visit(`${world.appURL}/notes`, fields);
    }
    expect([page.status, page.url.pathname]).toEqual([200, '/notes']);
    expect(refreshes()).toBe(0);
  }, 60_000);

  test('one process is killed: the other goes on, with the session and the tokens', async () => {
    const person = await signedIn();
    world.processes[0]?.kill('SIGKILL');
    world.provider.clock.advance('2 hours');
    const page = await person.visit(`${world.appURL}/profile`, fields);
    expect([page.status, page.url.pathname]).toEqual([200, '/profile']);
    expect(refreshes()).toBe(1);
  }, 60_000);

  /** Kills the process that refreshes; lets the life of its lock pass. @returns what the other one answers. */
  async function killedWhileRefreshing(person: BrowserUser, fault: 'noResponse' | 'delay') {
    const { provider, redis, ports, appURL, processes } = world;
    provider.clock.advance('2 hours');
    const now = provider.clock.now();
    provider.faults.next(fault, fault === 'delay' ? { delay: '5 seconds' } : {});
    const lost = person.visit(`http://127.0.0.1:${ports[0]}/profile`, fields).catch(() => 'gone');
    await provider.requests.waitFor(({ path, at }) => path === '/oauth/token' && at >= now);
    expect(await redis.dump()).toContain('rounds:tokens:lock:');
    processes[0]?.kill('SIGKILL');
    expect(await lost).toBe('gone');
    const waiting = person.visit(`${appURL}/profile`, fields);
    await redis.advance(30_000);
    return await waiting;
  }

  test('the process that refreshes is killed: the other takes over when the life of its lock ends', async () => {
    const page = await killedWhileRefreshing(await signedIn(), 'noResponse');
    expect([page.status, page.url.pathname]).toEqual([200, '/profile']);
    expect(refreshes()).toBe(2);
  }, 60_000);

  test('attack 192: the service had rotated already: the person signs in again and comes back to where they were', async () => {
    const person = await signedIn();
    const page = await killedWhileRefreshing(person, 'delay');
    expect(page.status).toBe(401);
    expect(page.text).toContain('Please sign in once more');
    expect(page.text).toContain('href="/auth/login?returnTo=%2Fprofile"');
    const guarded = await supertest(world.appURL).get('/notes').set(person.navigation);
    expect([guarded.status, guarded.headers.location]).toEqual([302, '/auth/login?returnTo=%2Fnotes']);
    const back = await person.visit(`${world.appURL}/auth/login?returnTo=%2Fprofile`, fields);
    expect([back.status, back.url.pathname]).toEqual([200, '/profile']);
  }, 60_000);

  test('forget me reaches the other process: nothing is left in Redis, and the guard there notices', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    expect(await world.redis.dump()).toContain('rounds:tokens:grant:');
    const page = await here.post(`${world.appURL}/auth/forget`);
    expect(page.status).toBe(204);
    expect(await world.redis.dump()).not.toContain('rounds:tokens:grant:');
    expect((await there.visit(`${world.appURL}/profile`, {})).status).toBe(401);
    expect((await there.visit(`${world.appURL}/notes`, {})).status).toBe(401);
  }, 60_000);

  test('attack 198: nothing in Redis, or in what they print, is a token, a code or a secret', async () => {
    const { handedOut, stop } = listenToProvider();
    try {
      const person = await signedIn(new BrowserUser()); // by the wire, so that all of it is overheard
      await person.visit(`${world.appURL}/account`, fields);
      const afterSignIn = await world.redis.dump();
      world.provider.clock.advance('2 hours');
      await person.visit(`${world.appURL}/profile`, fields);
      const seen = afterSignIn + (await world.redis.dump()) + world.printed();
      expect(world.printed()).toContain('clinician:refreshed');
      expect(afterSignIn).toContain('rounds:tokens:grant:');
      // Two access tokens, two refresh tokens, one code and one state.
      expect(handedOut.size).toBeGreaterThanOrEqual(6);
      for (const secret of [world.provider.clients.profile.clientSecret, 'planted-session-secret'])
        handedOut.add(secret);
      const decoded = seen.replace(/[\w-]{40,}/g, (text) => Buffer.from(text, 'base64url').toString('latin1'));
      expect([...handedOut].filter((secret) => seen.includes(secret) || decoded.includes(secret))).toEqual([]);
      expect(seen).not.toMatch(/access_token|refresh_token|code_verifier|Bearer /i);
    } finally {
      stop();
    }
  }, 60_000);
});
