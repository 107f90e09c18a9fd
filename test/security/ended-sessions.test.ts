import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { sameOriginForm, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ lifetimes: { accessToken: '30 days' } });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** The session store of one process. All processes have the same sessions. A deletion may wait after it was done. */
class Sessions extends session.MemoryStore {
  /** The calls that are not complete. */
  pending = 0;
  #held: Promise<void> | undefined;
  #arrived: () => void = () => undefined;

  /** @returns a promise that resolves when the next deletion waits, and a function that ends its wait */
  holdDeletion(): { isHeld: Promise<void>; release: () => void } {
    let release = () => {};
    this.#held = new Promise((resolve) => (release = resolve));
    return { isHeld: new Promise((resolve) => (this.#arrived = resolve)), release };
  }

  #count(done?: (error?: unknown) => void): (error?: unknown) => void {
    this.pending += 1;
    return (error) => {
      this.pending -= 1;
      done?.(error);
    };
  }

  override set(id: string, data: session.SessionData, done?: (error?: unknown) => void): void {
    super.set(id, data, this.#count(done));
  }

  override destroy(id: string, done?: (error?: unknown) => void): void {
    const counted = this.#count(done);
    this.#arrived();
    super.destroy(id, () => void Promise.resolve(this.#held).then(() => counted()));
  }
}

/** A browser that is signed in, and processes of the site that have all accepted its login. */
async function signedIn(count = 3) {
  let now = provider.clock.now();
  const sessions = {};
  const tokens = new MemoryTokenStore();
  const processes = Array.from({ length: count }, () => {
    const store = Object.assign(new Sessions(), { sessions });
    const site = siteFor(provider, {
      clock: { now: () => now },
      session: { store },
      tokenStore: tokens,
      onEvent: () => undefined,
    });
    let respond: () => void = () => undefined;
    let received: () => void = () => undefined;
    site.app.get('/slow', (req, res) => {
      Object.assign(req.session, { draft: 'written late' });
      respond = () => void res.send('slow');
      received();
    });
    site.app.get('/cookie', (req, res) => void res.send(req.headers.cookie));
    site.app.post('/leave', (req, res) => req.session.destroy(() => void res.send('left')));
    /** Sends a request that changes the session. @returns what ends it, when the site has received it */
    async function slow(request: supertest.Test) {
      const isReceived = new Promise<void>((resolve) => {
        received = resolve;
      });
      const status = request.then((response) => response.status);
      await isReceived;
      return { status, respond: () => respond() };
    }
    return { ...site, store, slow };
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
      if (list.some(({ store }) => store.pending > 0)) quiet = 0;
    }
  }
  async function expectSignedOut(list = processes): Promise<void> {
    for (const process of list) {
      const [page, notes] = [await at(process).get('/'), await at(process).get('/notes')];
      expect([page.text, notes.status]).toEqual(['out', 401]);
    }
  }
  return { processes, at, agent, sessions, tokens, settled, expectSignedOut, advance: (ms: number) => (now += ms) };
}

type Process = Awaited<ReturnType<typeof signedIn>>['processes'][0];

/** The ways in which a session ends at another process. */
const ENDS = ['/auth/logout', '/auth/forget', '/leave'];

/** The time until each process has looked up a login again, also at routes without a guard. */
const RECHECK_AFTER_MS = 60_000;

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

test('a session before a sign-in that is written while the sign-in replaces it does not remain', async () => {
  const { processes, at, agent, sessions, settled, expectSignedOut } = await signedIn(2);
  const [one, two] = processes as [Process, Process];
  const slow = await two.slow(at(two).get('/slow'));
  // The session before is deleted, and its tokens are not erased yet.
  const { isHeld, release } = one.store.holdDeletion();
  const again = signIn(agent, provider, { as: 'verified' });
  await isHeld;
  slow.respond();
  expect(await slow.status).toBe(200);
  await at(two).get('/notes').expect(200);
  release();
  await again;
  await settled();
  await expectSignedOut([two, one]);
  expect(Object.keys(sessions)).toHaveLength(1);
  await agent.get('/notes').expect(200);
});

test('a login is looked up by each process after 60 seconds, and not at further requests', async () => {
  const { processes, at, advance, tokens } = await signedIn(2);
  const reads = jest.spyOn(tokens, 'get');
  const visit = async () => {
    for (const process of [...processes, ...processes]) await at(process).get('/').expect(200, 'in');
  };
  advance(RECHECK_AFTER_MS - 1);
  await visit();
  expect(reads).toHaveBeenCalledTimes(0);
  advance(1);
  await visit();
  expect(reads).toHaveBeenCalledTimes(2);
});
