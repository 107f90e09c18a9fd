import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Request } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { shortenSiteTimeout } from '../helpers.js';
import { type LoginPath, siteOf } from '../integration/login-paths.js';
import { signedInAt } from '../integration/site.js';
import { siteAt, strategySite } from '../integration/strategy-site.js';

/** What happens at a step: it fails, its store fails from then on, a timeout of the site sends the response, or the user leaves. */
const DISTURBANCES = ['fails', 'stays down', 'finds the response sent', 'finds the connection closed'] as const;
type Disturbance = (typeof DISTURBANCES)[number];

/** The calls of a sign-in, in order, with those that Passport adds. */
const RENEWAL = 'sessions.destroy';
const STEPS = ['onSignIn', 'tokens.get', RENEWAL, 'tokens.put', 'sessions.set'];
/** Then the login before is erased. If that fails, the sign-in does not. */
const ERASURE = 'tokens.get';
const PASSPORT_STEPS = STEPS.toSpliced(3, 0, 'sessions.set');
const CALLS: Partial<Record<LoginPath, string[]>> = {
  'drop-in': STEPS,
  'Passport first': PASSPORT_STEPS,
};

const NO_RESPONSE = { status: 599 };

/** A site that calls `step` before each of them, with the data that a user has in the session. */
function siteWith(path: LoginPath, step: (name: string) => void) {
  const tokenStore = new MemoryTokenStore();
  const store = new session.MemoryStore();
  const calls = { tokens: tokenStore, sessions: store } as unknown as Record<string, Record<string, unknown>>;
  for (const name of ['tokens.get', 'tokens.put', 'sessions.destroy', 'sessions.set']) {
    const [owner = '', method = ''] = name.split('.');
    const original = calls[owner]?.[method] as (...args: unknown[]) => unknown;
    Object.assign(calls[owner] as object, {
      [method](...args: unknown[]) {
        try {
          step(name);
        } catch (error) {
          const done = args.at(-1);
          return typeof done === 'function' ? void done(error) : Promise.reject(error);
        }
        return original.apply(this, args);
      },
    });
  }
  const names: string[] = [];
  const site = siteOf(provider, path, {
    ...{ tokenStore, session: { store }, onEvent: ({ name }) => void names.push(name) },
    onSignIn({ identity, previousSession, carryOver }) {
      step('onSignIn');
      carryOver({ cart: previousSession.cart });
      return { id: identity.id };
    },
  });
  site.app.post('/cart', (req, res) => void res.json(Object.assign(req.session, { cart: 7 })));
  site.app.get('/cart', (req, res) => void res.json(Object(req.session).cart ?? null));
  return { ...site, tokenStore, names };
}

/** Signs in as the same user again, with a disturbance at one of the calls. */
async function signInAgain(path: LoginPath, disturbed: number, disturbance: Disturbance) {
  const calls: string[] = [];
  let response: ServerResponse | undefined;
  let request: Partial<Request> = {};
  const site = siteWith(path, (name) => {
    if (!response) return;
    const down = disturbance === 'stays down' && calls[disturbed]?.split('.')[0];
    calls.push(name);
    if (calls.length - 1 !== disturbed && !(down && name.startsWith(down))) return;
    if (disturbance === 'finds the response sent') response.writeHead(503).end('timeout');
    else if (disturbance === 'finds the connection closed') response.destroy();
    else throw new Error('the call has failed');
  });
  let isObserved = false;
  const agent = supertest.agent((req: IncomingMessage, res: ServerResponse) => {
    response = isObserved && req.url?.startsWith('/auth/callback') ? res : undefined;
    if (response) request = req as Request;
    site.app(req as never, res as never);
  });
  await signIn(agent, provider, { as: 'verified' });
  await agent.post('/cart').expect(200);
  site.names.length = 0;
  isObserved = true;
  const signedIn = signIn(agent, provider, { as: 'verified' });
  const { status } = await (disturbance === 'finds the connection closed'
    ? signedIn.catch(() => NO_RESPONSE)
    : signedIn);
  // The sign-in continues after a response that a timeout has sent.
  const hasFailed = () => site.names.includes('sign_in_failed') || site.errors.length > 0;
  for (let turn = 0; disturbed >= 0 && turn < 10_000 && !hasFailed(); turn += 1) await new Promise(setImmediate);
  isObserved = false;
  return { ...site, agent, calls, status, request };
}

afterEach(() => void jest.restoreAllMocks());

const revocations = () => provider.requests.filter(({ path }) => path === '/oauth/revoke').length;

test.each(Object.entries(CALLS))('a sign-in makes each call once, in this order (by: %s)', async (path, expected) => {
  const { agent, calls, status, tokenStore } = await signInAgain(path as LoginPath, -1, 'fails');
  expect([status, calls.slice(0, expected.length)]).toEqual([200, expected]);
  await agent.get('/me').expect(200);
  await agent.get('/cart').expect(200, '7');
  expect([tokenStore.size, revocations()]).toEqual([1, 1]);
});

const cases = Object.entries(CALLS).flatMap(([path, calls]) =>
  DISTURBANCES.flatMap((disturbance) =>
    [...calls, ...(disturbance.startsWith('finds') ? [ERASURE] : [])].map((call, index) => ({
      ...{ path: path as LoginPath, call, index, disturbance, calls },
    })),
  ),
);

test.each(cases)('where $call $disturbance (by: $path, call $index)', async (given) => {
  const { path, index, disturbance, calls: expected } = given;
  const { agent, calls, status, names, errors, tokenStore, request } = await signInAgain(path, index, disturbance);
  expect(calls[index]).toBe(given.call);
  expect(status).toBeGreaterThanOrEqual(500);
  expect(names).not.toContain('signed_in');
  const isRenewed = index >= expected.indexOf(RENEWAL);
  const failed = names.filter((name) => name === 'sign_in_failed');
  expect(path.startsWith('drop-in') ? failed : errors).toHaveLength(1);
  // What the error handler sees.
  expect([isRenewed, request.clinician?.isAuthenticated]).not.toEqual([true, true]);
  await agent.get('/me').expect(isRenewed ? 401 : 200);
  await agent.get('/cart').expect(200, isRenewed ? 'null' : '7');
  const wasErased = isRenewed && !(disturbance === 'stays down' && given.call.startsWith('tokens'));
  expect([revocations(), tokenStore.size]).toEqual([wasErased ? 2 : 1, wasErased ? 0 : 1]);
});

test('a sign-in of the strategy whose session cannot be saved signs no user in, and revokes its tokens', async () => {
  const store = new session.MemoryStore();
  const { set } = store;
  store.set = (_id, _data, done) => done?.(new Error('the session store is unavailable'));
  const agent = supertest.agent(strategySite(provider, { session: { store } }).app);
  expect((await signIn(agent, provider, { as: 'verified' })).status).toBe(503);
  store.set = set;
  await agent.get('/').expect(200, [false, null]);
  expect(revocations()).toBe(1);
});

const SILENT_CALLS = (['drop-in', 'Passport first', 'strategy'] as const).flatMap((path) =>
  (['destroy', 'set'] as const).map((method) => ({ path, method })),
);

test.each(SILENT_CALLS)(
  'a session store whose $method never calls back ends the sign-in (by: $path)',
  async (given) => {
    const { path, method } = given;
    const store = new session.MemoryStore();
    const options = { session: { store, unset: 'destroy' }, onEvent: () => undefined } as const;
    const agent = supertest.agent(siteAt(provider, path, options).app);
    const original = store[method];
    store[method] = () => undefined;
    shortenSiteTimeout();
    const { status, text } = await signIn(agent, provider, { as: 'verified' });
    expect([status, text]).toEqual([503, expect.stringContaining('session_unavailable')]);
    expect(revocations()).toBe(1);
    Object.assign(store, { [method]: original });
    await agent.get('/me').set('Accept', 'application/json').expect(401);
  },
);

test.each(['Passport first', 'strategy'] as const)(
  'a serializeUser that never calls back ends the sign-in (by: %s)',
  async (path) => {
    const serialize = jest.spyOn(Passport.prototype, 'serializeUser');
    const agent = supertest.agent(siteAt(provider, path, { onEvent: () => undefined }).app);
    await signIn(agent, provider, { as: 'verified' });
    serialize.mockImplementation(() => undefined);
    shortenSiteTimeout();
    expect((await signIn(agent, provider, { as: 'verified' })).status).toBeGreaterThanOrEqual(400);
    expect(revocations()).toBe(path === 'strategy' ? 1 : 2);
  },
);

test('a session store that never saves signs no user out', async () => {
  const store = new session.MemoryStore();
  const { app } = siteOf(provider, 'drop-in', { clock: provider.clock, session: { store } });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  provider.clock.advance('2h');
  store.set = () => undefined;
  shortenSiteTimeout();
  await agent.get('/me').expect(200);
});

test.each(['Passport first', 'strategy'] as const)(
  'a session that is renewed after the sign-in has failed has no user (by: %s)',
  async (path) => {
    const store = new session.MemoryStore();
    let destroyLate: (() => void) | undefined;
    const fetch: typeof provider.fetch = async (url, init) => {
      if (String(url).endsWith('/oauth/revoke')) {
        destroyLate?.();
        for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
      }
      return await provider.fetch(url, init);
    };
    const agent = supertest.agent(siteAt(provider, path, { fetch, session: { store }, onEvent: () => undefined }).app);
    const { destroy } = store;
    store.destroy = (...args) => {
      destroyLate = () => destroy.apply(store, args);
      store.destroy = destroy;
    };
    shortenSiteTimeout();
    expect((await signIn(agent, provider, { as: 'verified' })).status).toBe(503);
    await agent.get('/').expect(200, [false, null]);
    expect(JSON.stringify(store)).not.toContain('passport');
  },
);

test.each(['drop-in', 'strategy'] as const)(
  'a session that cannot be deleted once is not used (by: %s)',
  async (path) => {
    const store = new session.MemoryStore();
    const site = siteAt(provider, path, { session: { store }, onEvent: () => undefined });
    const agent = await signedInAt(site.app, provider);
    jest.spyOn(store, 'destroy').mockImplementationOnce((_id, done) => done?.(new Error('down')));
    const { status, text } = await signIn(agent, provider, { as: 'verified' });
    expect([status, text]).toEqual([503, expect.stringContaining('session_unavailable')]);
    expect(JSON.stringify(store)).not.toMatch(/grantID|passport/);
    await agent.get('/').expect(200, [false, null]);
  },
);

test('a browser that leaves during its callback is no failure of the site', async () => {
  const events: ClinicianEvent[] = [];
  let response: ServerResponse | undefined;
  const site = siteAt(provider, 'drop-in', {
    onEvent: (event) => void events.push(event),
    onSignIn({ identity }) {
      response?.destroy();
      return { id: identity.id };
    },
  });
  const agent = supertest.agent((req: IncomingMessage, res: ServerResponse) => {
    response = res;
    site.app(req as never, res as never);
  });
  await signIn(agent, provider, { as: 'verified' }).catch(() => undefined);
  while (events.length < 2) await new Promise(setImmediate);
  expect(events[1]).toMatchObject({ name: 'sign_in_failed', level: 'info', code: 'sign_in_required' });
  expect(revocations()).toBe(1);
});

test.each(['Passport first', 'strategy'] as const)(
  'req.logIn() after the response keeps the session before (by: %s)',
  async (path) => {
    const failures: unknown[] = [];
    let isLate = false;
    const site = siteAt(provider, path, {
      custom: (req, res, next) => (error, user) => {
        if (isLate) res.status(503).send('timeout');
        req.logIn(user as Express.User, (failure) => (isLate ? failures.push(failure) : next(error ?? failure)));
      },
    });
    const agent = await signedInAt(site.app, provider);
    isLate = true;
    expect((await signIn(agent, provider, { as: 'verified' })).status).toBe(503);
    for (let turn = 0; turn < 10_000 && failures.length === 0; turn += 1) await new Promise(setImmediate);
    expect(failures).toMatchObject([{ code: 'session_unavailable' }]);
    await agent.get('/me').expect(200);
    expect(revocations()).toBe(1);
  },
);
