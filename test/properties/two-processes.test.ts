import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import fc from 'fast-check';
import { clinicianLogin, type Fetch, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';
import { testProperty } from './property.js';

const USERS = ['verified', 'connected'] as const;
type User = (typeof USERS)[number];

/** A request of one of two browsers at one of two processes of the site. */
interface Step {
  kind: 'sign in' | 'sign out' | 'use' | 'write' | 'refresh' | 'replay' | 'time passes';
  user: User;
  browser: 0 | 1;
  process: 0 | 1;
  /** True for a request that the next one does not wait for. */
  isConcurrent: boolean;
}

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ lifetimes: { accessToken: '30 minutes' } });
});
afterAll(() => provider.stop());

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

/** Delays each call of a store by turns of the event loop. */
class Delays {
  readonly #turns: readonly number[];
  #calls = 0;
  /** The number of calls that are not complete. */
  pending = 0;

  constructor(counts: readonly number[]) {
    this.#turns = counts;
  }

  get next(): number {
    this.#calls += 1;
    return this.#turns[this.#calls % this.#turns.length] as number;
  }

  /** Runs a call after a delay, and returns its result after another one. */
  async run<T>(call: () => T | Promise<T>): Promise<T> {
    const [before, after] = [this.next, this.next];
    this.pending += 1;
    try {
      await turns(before);
      const result = await call();
      await turns(after);
      return result;
    } finally {
      this.pending -= 1;
    }
  }

  /** Waits until no call is in progress, also none that no response waits for. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 50; quiet += 1) {
      await turns(1);
      if (this.pending > 0) quiet = 0;
    }
  }
}

type Saved = Record<string, string>;

/** The session store of one process. All processes have the same sessions. */
class Sessions extends session.Store {
  readonly #saved: Saved;
  readonly #delays: Delays;

  constructor(saved: Saved, delays: Delays) {
    super();
    this.#saved = saved;
    this.#delays = delays;
  }

  #run<T>(call: () => T, done: (error: unknown, result?: T) => void = () => undefined): void {
    void this.#delays.run(call).then((result) => done(null, result));
  }

  override get(id: string, done: (error: unknown, found?: session.SessionData | null) => void): void {
    this.#run(() => (this.#saved[id] === undefined ? undefined : JSON.parse(this.#saved[id])), done);
  }
  override set(id: string, data: session.SessionData, done?: (error?: unknown) => void): void {
    const text = JSON.stringify(data);
    this.#run(() => void Object.assign(this.#saved, { [id]: text }), done);
  }
  override destroy(id: string, done?: (error?: unknown) => void): void {
    this.#run(() => void delete this.#saved[id], done);
  }
}

/** @returns the token store of one process. All processes have the same tokens. */
function delayed(tokens: MemoryTokenStore, delays: Delays): MemoryTokenStore {
  return new Proxy(tokens, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'forInstance') return name === 'forInstance' ? undefined : value;
      return (...args: unknown[]) => delays.run(() => value.apply(target, args));
    },
  });
}

/** @returns a fetch that records which refresh tokens are valid at the service. */
function recordingFetch(valid: Set<string>): Fetch {
  return async (input, init) => {
    const response = await provider.fetch(input as string, init as RequestInit);
    const { pathname } = new URL(String(input));
    const form = new URLSearchParams(String(init?.body ?? ''));
    if (response.ok && pathname === '/oauth/revoke') valid.delete(form.get('token') as string);
    if (response.ok && pathname === '/oauth/token') {
      const { refresh_token: issued } = (await response.clone().json()) as { refresh_token: string };
      valid.delete(form.get('refresh_token') as string);
      valid.add(issued);
    }
    return response as never;
  };
}

/** What a browser that has this session id has agreed to. */
interface Agreement {
  user: User;
  /** When a response to a sign-out, or to another sign-in in this session, has arrived. */
  endedAt?: number;
}

/** The time until a process looks up a login again, so that it ends although a slow request has written its session again. */
const RECHECK_AFTER_MS = 60_000;

class TwoProcesses {
  readonly #delays: Delays;
  readonly #saved: Saved = {};
  readonly #tokens = new MemoryTokenStore({ clock: provider.clock });
  readonly #validTokens = new Set<string>();
  readonly #sites: { origin: string; server: Server; close(): Promise<void> }[] = [];
  readonly #agreements = new Map<string, Agreement>();
  readonly #browsers = [new Map<string, string>(), new Map<string, string>()];
  readonly #mistakes: string[] = [];

  constructor(delays: readonly number[]) {
    this.#delays = new Delays(delays);
  }

  async start(): Promise<void> {
    for (const _ of [0, 1]) {
      const clinician = clinicianLogin(
        loginOptions(provider, {
          clock: provider.clock,
          fetch: recordingFetch(this.#validTokens),
          tokenStore: delayed(this.#tokens, this.#delays),
          onEvent: () => undefined,
          onSignIn: ({ identity, previousSession: { draft } }) => {
            if (draft !== undefined && draft !== identity.id) this.#mistakes.push('onSignIn has data of another user');
            return { id: identity.id };
          },
        }),
      );
      const app = express();
      const store = new Sessions(this.#saved, this.#delays);
      app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store }), clinician);
      app.get('/notes', clinician.requireVerified(), (req, res) => void res.send(req.clinician.identity?.id));
      app.get('/open', (req, res) => void res.status(req.user ? 200 : 401).json(req.user ?? null));
      app.get('/draft', clinician.requireLogin(), async (req, res) => {
        await turns(this.#delays.next);
        Object.assign(req.session, { draft: req.clinician.identity?.id, count: Math.random() });
        res.send(req.clinician.identity?.id);
      });
      app.get('/refresh', clinician.requireLogin(), async (req, res) => {
        await clinician.grant(req).refresh();
        res.send(req.clinician.identity?.id);
      });
      const server = createServer(app).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;
      this.#sites.push({ origin: `http://127.0.0.1:${port}`, server, close: () => clinician.close() });
    }
  }

  async stop(): Promise<void> {
    for (const { server } of this.#sites) {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    }
  }

  async run(steps: readonly Step[]): Promise<void> {
    // Both processes know the logins of both browsers, whose sessions contain data.
    for (const [browser, cookies] of this.#browsers.entries()) {
      await this.#signIn(0, cookies, USERS[browser] as User);
      await this.#use(0, header(cookies), '/draft');
      await this.#use(1, header(cookies), '/notes');
    }
    const requests: Promise<void>[] = [];
    const settle = async () => {
      await Promise.all(requests);
      await this.#delays.settled();
    };
    for (const step of steps) {
      // Time does not pass during a request: the lock of a refresh would expire.
      if (step.kind === 'time passes' || step.kind === 'replay') await settle();
      const request = this.#take(step);
      requests.push(request);
      await (step.isConcurrent ? turns(this.#delays.next) : request);
    }
    await settle();
    await this.#expectConsent();
    await settle();
    const loginsIn = Object.values(this.#saved).filter((text) => text.includes('grantID'));
    expect(loginsIn).toHaveLength(this.#tokens.size);
    for (const site of this.#sites) await site.close();
    await this.#delays.settled();
    // What is valid at the service can be revoked later: it is stored.
    expect(this.#validTokens.size).toBe(this.#tokens.size);
    expect(this.#mistakes).toEqual([]);
  }

  /** Each session that was ever in a browser is that of its user, at each process, and of no user a minute after its end. */
  async #expectConsent(): Promise<void> {
    provider.clock.advance(RECHECK_AFTER_MS);
    for (const id of this.#agreements.keys()) {
      for (const process of [0, 1] as const) await this.#use(process, `connect.sid=${id}`, '/open');
    }
  }

  async #take({ kind, user, browser, process }: Step): Promise<void> {
    const cookies = this.#browsers[browser] as Map<string, string>;
    if (kind === 'time passes') provider.clock.advance('2 hours');
    else if (kind === 'sign in') await this.#signIn(process, cookies, user);
    else if (kind === 'sign out') await this.#signOut(process, cookies);
    else if (kind === 'replay') await this.#replay(process);
    else await this.#use(process, header(cookies), { use: '/notes', write: '/draft', refresh: '/refresh' }[kind]);
  }

  /** Requests a page with the cookies of a browser. @returns true where the user of the session is signed in */
  async #use(process: 0 | 1, cookie: string, path: string): Promise<boolean> {
    const agreement = this.#agreements.get(sessionIn(cookie));
    const { endedAt = Number.POSITIVE_INFINITY } = agreement ?? {};
    const hadEnded = provider.clock.now() - endedAt >= RECHECK_AFTER_MS;
    const { status, text } = await this.#request(process, path, cookie);
    if (status !== 200) return false;
    if (!agreement || hadEnded) this.#mistakes.push(`${path} of process ${process} without a login`);
    else if (!text.includes(provider.clinicians.get(agreement.user).sub))
      this.#mistakes.push(`${path} of another user`);
    return true;
  }

  /** Uses the session that has ended last, a minute later. */
  async #replay(process: 0 | 1): Promise<void> {
    provider.clock.advance(RECHECK_AFTER_MS);
    const [id] = [...this.#agreements].findLast(([, { endedAt }]) => endedAt !== undefined) ?? [];
    if (id !== undefined) await this.#use(process, `connect.sid=${id}`, '/notes');
  }

  async #signOut(process: 0 | 1, cookies: Map<string, string>): Promise<void> {
    const cookie = header(cookies);
    const { status } = await this.#request(process, '/auth/logout', cookie, 'POST', cookies);
    if (status >= 400) this.#mistakes.push(`the sign-out has status ${status}`);
    const agreement = this.#agreements.get(sessionIn(cookie));
    if (agreement) agreement.endedAt = provider.clock.now();
  }

  async #signIn(process: 0 | 1, cookies: Map<string, string>, user: User): Promise<void> {
    const { headers } = await this.#request(process, '/auth/login', header(cookies), 'GET', cookies);
    const service = String(headers.get('location'));
    // A user who is signed in returns to the page at once.
    if (!service.startsWith(provider.issuer)) return;
    const { pathname, search } = new URL(await provider.signIn(service, { as: user }));
    const cookie = header(cookies);
    const result = await this.#request(process, pathname + search, cookie, 'GET', cookies);
    const id = sessionIn(result.headers.getSetCookie().join('; '));
    if (result.status >= 400 || id === '') return;
    const before = this.#agreements.get(sessionIn(cookie));
    if (before) before.endedAt = provider.clock.now();
    this.#agreements.set(id, { user });
  }

  /** @param cookies receives the cookies of the response */
  async #request(process: 0 | 1, path: string, cookie: string, method = 'GET', cookies?: Map<string, string>) {
    const sent = { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' };
    const { origin } = this.#sites[process] as { origin: string };
    const response = await fetch(origin + path, { method, headers: sent, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies?.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

const header = (cookies: Map<string, string>) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const sessionIn = (cookie: string) => /connect\.sid=([^;]+)/.exec(cookie)?.[1] ?? '';

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('sign in', 'sign out', 'use', 'use', 'write', 'write', 'refresh', 'replay', 'time passes'),
  user: fc.constantFrom(...USERS),
  browser: fc.constantFrom(0, 1),
  process: fc.constantFrom(0, 1),
  isConcurrent: fc.boolean(),
});
/** Most calls are fast, and some are slower than a whole sign-out. */
const delay = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: 5 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 400 }) },
);
const delays = fc.array(delay, { minLength: 10, maxLength: 60 });

describe('two users in two processes with one session store and one token store', () => {
  testProperty(
    'have no session after their sign-out, no data of each other, and no token that nothing can revoke',
    fc.tuple(fc.array(step, { minLength: 1, maxLength: 15 }), delays),
    async ([steps, counts]) => {
      const site = new TwoProcesses(counts);
      await site.start();
      try {
        await site.run(steps);
      } finally {
        await site.stop();
      }
    },
    { runs: 30 },
  );
});
