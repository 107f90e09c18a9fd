import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { sameOriginForm, siteFor } from '../integration/site.js';

const HOUR_MS = 3_600_000;

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ lifetimes: { accessToken: '30 days' } });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** A call that waits until the test releases it. */
class Gate {
  #isClosed = false;
  #waiting: (() => void)[] = [];
  #arrived: () => void = () => undefined;

  /** Holds the calls that follow. @returns a promise that resolves when a call waits */
  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  open(): void {
    this.#isClosed = false;
    for (const call of this.#waiting.splice(0)) call();
  }

  pass(call: () => void): void {
    if (this.#isClosed) {
      this.#waiting.push(call);
      this.#arrived();
    } else call();
  }
}

/** The session store of one process. All processes have the same sessions. */
class Sessions extends session.MemoryStore {
  readonly writes = new Gate();
  readonly deletions = new Gate();
  /** The calls that are not complete. */
  pending = 0;

  #count(done?: (error?: unknown) => void): (error?: unknown) => void {
    this.pending += 1;
    return (error) => {
      this.pending -= 1;
      done?.(error);
    };
  }

  override set(id: string, data: session.SessionData, done?: (error?: unknown) => void): void {
    const counted = this.#count(done);
    const text = JSON.stringify(data);
    this.writes.pass(() => super.set(id, JSON.parse(text), counted));
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    const counted = this.#count(done);
    super.destroy(id, () => this.deletions.pass(counted));
  }
}

/** The token store of one process. All processes have the same tokens. */
class Tokens extends MemoryTokenStore {
  readonly reads = new Gate();
  readonly #shared: MemoryTokenStore;
  pending = 0;

  constructor(shared: MemoryTokenStore) {
    super();
    this.#shared = shared;
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    this.pending += 1;
    try {
      return await call();
    } finally {
      this.pending -= 1;
    }
  }

  override get(id: string) {
    return this.#run(async () => {
      await new Promise<void>((resolve) => this.reads.pass(resolve));
      return this.#shared.get(id);
    });
  }
  override put = (...args: Parameters<MemoryTokenStore['put']>) => this.#run(() => this.#shared.put(...args));
  override swap = (...args: Parameters<MemoryTokenStore['swap']>) => this.#run(() => this.#shared.swap(...args));
  override delete = (id: string) => this.#run(() => this.#shared.delete(id));
  override grantsOf = (userKey: string) => this.#run(() => this.#shared.grantsOf(userKey));
  override lock = (id: string, ttlMs: number) => this.#run(() => this.#shared.lock(id, ttlMs));
}

/** A browser that is signed in, and processes of the site that have all accepted its login. */
async function signedIn(count = 3) {
  let now = provider.clock.now();
  const sessions = {};
  const tokens = new MemoryTokenStore();
  const processes = Array.from({ length: count }, () => {
    const store = Object.assign(new Sessions(), { sessions });
    const tokenStore = new Tokens(tokens);
    const site = siteFor(provider, {
      clock: { now: () => now },
      session: { store },
      tokenStore,
      onEvent: () => undefined,
    });
    let respond: () => void = () => undefined;
    let received: () => void = () => undefined;
    let closed: Promise<unknown> = Promise.resolve();
    site.app.get('/slow', (req, res) => {
      closed = new Promise((resolve) => res.once('close', resolve));
      Object.assign(req.session, { draft: 'written late' });
      respond = () => void res.send('slow');
      received();
    });
    site.app.get('/cookie', (req, res) => void res.send(req.headers.cookie));
    site.app.post('/leave', (req, res) => req.session.destroy(() => void res.send('left')));
    /** Sends a request that changes the session. @returns the request, which the site has received, and its end */
    async function slow(request: supertest.Test) {
      const isReceived = new Promise<void>((resolve) => {
        received = resolve;
      });
      const status = request.then(
        (response) => response.status,
        () => 'aborted',
      );
      await isReceived;
      return { request, status, closed, respond: () => respond() };
    }
    return { ...site, store, tokenStore, slow };
  });
  const [first] = processes as [(typeof processes)[0]];
  const agent = supertest.agent(first.app);
  await signIn(agent, provider, { as: 'verified' });
  const { text: cookie } = await agent.get('/cookie');
  type Process = typeof first;
  const at = ({ app }: Process) => ({
    get: (path: string) => supertest(app).get(path).set('Cookie', cookie),
    post: (path: string) =>
      supertest(app)
        .post(path)
        .set({ ...sameOriginForm, Cookie: cookie }),
  });
  for (const process of processes) await at(process).get('/notes').expect(200);
  /** Waits until no process has an incomplete call of a store, also none that a response does not wait for. */
  async function settled(list = processes): Promise<void> {
    for (let quiet = 0; quiet < 20; quiet += 1) {
      await new Promise(setImmediate);
      if (list.some(({ store, tokenStore }) => store.pending + tokenStore.pending > 0)) quiet = 0;
    }
  }
  async function expectSignedOut(list = processes): Promise<void> {
    for (const process of list) {
      const [page, notes] = [await at(process).get('/'), await at(process).get('/notes')];
      expect([page.text, notes.status]).toEqual(['out', 401]);
    }
  }
  return { processes, at, agent, sessions, settled, expectSignedOut, advance: (ms: number) => (now += ms) };
}

type Process = Awaited<ReturnType<typeof signedIn>>['processes'][0];

/** The ways in which a session ends at another process. */
const ENDS = ['/auth/logout', '/auth/forget', '/leave'];

/** The time until each process has looked up a login again, also at routes without a guard. */
const RECHECK_AFTER_MS = 60_000;

test.each(ENDS)('POST %s: a record of use that is written after it signs the user in for 60 seconds', async (path) => {
  const { processes, at, sessions, settled, expectSignedOut, advance } = await signedIn();
  const [one, two] = processes as [Process, Process];
  advance(2 * HOUR_MS);
  const written = one.store.writes.close();
  const use = at(one)
    .get('/')
    .then(({ text }) => text);
  await written;
  await at(two).post(path);
  one.store.writes.open();
  expect(await use).toBe('in');
  await settled();
  advance(RECHECK_AFTER_MS);
  await expectSignedOut();
  expect(JSON.stringify(sessions)).not.toContain('clinician');
});

test.each(ENDS)(
  'POST %s: a slow request that saves its session after it signs the user in for 60 seconds',
  async (path) => {
    const { processes, at, sessions, settled, expectSignedOut, advance } = await signedIn();
    const [one, two, three] = processes as [Process, Process, Process];
    const slow = await one.slow(at(one).get('/slow'));
    await at(two).post(path);
    await settled();
    slow.respond();
    expect(await slow.status).toBe(200);
    advance(RECHECK_AFTER_MS - 1);
    expect((await at(three).get('/')).text).toBe('in');
    advance(1);
    await expectSignedOut([three, two, one]);
    await settled();
    expect(JSON.stringify(sessions)).not.toContain('clinician');
  },
);

test('a request that its client has aborted and that saves its session after the sign-out signs no user in for longer', async () => {
  const { processes, at, settled, expectSignedOut, advance } = await signedIn();
  const [one, two] = processes as [Process, Process];
  const slow = await one.slow(at(one).get('/slow'));
  slow.request.abort();
  await slow.closed;
  await at(two).post('/auth/logout');
  await settled();
  slow.respond();
  await settled();
  advance(RECHECK_AFTER_MS);
  await expectSignedOut();
});

test('a session before a sign-in that is written while the sign-in replaces it does not remain', async () => {
  const { processes, at, agent, sessions, settled, expectSignedOut } = await signedIn(2);
  const [one, two] = processes as [Process, Process];
  const slow = await two.slow(at(two).get('/slow'));
  // The session before is deleted, and its tokens are not erased yet.
  const deleted = one.store.deletions.close();
  const again = signIn(agent, provider, { as: 'verified' });
  await deleted;
  slow.respond();
  expect(await slow.status).toBe(200);
  await at(two).get('/notes').expect(200);
  one.store.deletions.open();
  await again;
  await settled();
  await expectSignedOut([two, one]);
  expect(Object.keys(sessions)).toHaveLength(1);
  await agent.get('/notes').expect(200);
});

test('a login is looked up by each process after 60 seconds, and not at further requests', async () => {
  const { processes, at, advance } = await signedIn(2);
  let reads = 0;
  for (const { tokenStore } of processes) {
    const { get } = Tokens.prototype;
    tokenStore.get = function (this: Tokens, id: string) {
      reads += 1;
      return get.call(this, id);
    };
  }
  const visit = async () => {
    for (const process of [...processes, ...processes]) await at(process).get('/').expect(200, 'in');
  };
  advance(RECHECK_AFTER_MS - 1);
  await visit();
  expect(reads).toBe(0);
  advance(1);
  await visit();
  expect(reads).toBe(2);
});
