import { describe, expect, jest, test } from '@jest/globals';
import session from 'express-session';
import passport from 'passport';
import supertest from 'supertest';
import { MemoryTokenStore, type StoredGrant, type TokenStore } from '../../lib/index.js';
import { Cookies } from '../../lib/sealing/cookies.js';
import { Sealer, Secret } from '../../lib/sealing/sealer.js';
import { signIn } from '../../lib/testing/testing.js';
import { instanceID } from '../../lib/token-vault/token-store.js';
import { provider } from '../helpers/provider.js';
import {
  loginOptions,
  navigation,
  type SiteOptions,
  sameOriginScript,
  sealingSecret,
  siteFor,
} from '../integration/site.js';

type Members = Record<string, unknown>;

const deep = JSON.parse(`${'[{"a":'.repeat(1_000)}1${'}]'.repeat(1_000)}`) as unknown;
const polluted = JSON.parse('{"__proto__":{"grantID":"g","id":"1","since":1,"scope":[]}}') as unknown;
const WRONG: readonly unknown[] = ['text', 0, true, null, ['text'], {}, deep, polluted];
const instanceOf = () => instanceID({ ...loginOptions(provider), flow: 'openid' });

/** Signs in, and changes the only session of the site. */
async function signedIn(change: (stored: Members) => Members, options: SiteOptions = {}) {
  const store = new session.MemoryStore();
  const site = siteFor(provider, { clock: provider.clock, ...options, session: { store, ...options.session } });
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  const stored = (await new Promise((resolve) => store.all?.((_, all) => resolve(all as never)))) as Record<
    string,
    Members
  >;
  const [[id, members] = ['', {}]] = Object.entries(stored);
  await new Promise((resolve) => store.set(id, change(members) as never, resolve));
  return { ...site, agent, store };
}

/** Expects that no user is signed in, that a sign-out and its requests have a response, and that a sign-in succeeds. */
async function expectSignedOut(agent: ReturnType<typeof supertest.agent>): Promise<void> {
  expect((await agent.get('/').expect(200)).text).toBe('out');
  expect((await agent.get('/me').expect(401)).body.code).toBe('sign_in_required');
  await agent.get('/auth/session-check').expect(200);
  await agent.post('/auth/session-check').set(sameOriginScript);
  await agent.post('/auth/logout').set(sameOriginScript).expect(200);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
}

describe('a session in which another program has written signs no user in, and a sign-in succeeds', () => {
  const withLogin = (change: (login: string) => unknown) => (stored: Members) => ({
    ...stored,
    clinician: { [instanceOf()]: change((stored.clinician as Record<string, string>)[instanceOf()] as string) },
  });
  const withMembers = (members: Members) =>
    withLogin((login) => JSON.stringify({ ...(JSON.parse(login) as Members), ...members }));
  const titled = (values: readonly unknown[]) =>
    values.map((value) => [JSON.stringify(value)?.slice(0, 40) ?? String(value), value] as const);

  test.each(titled(WRONG))('in place of all logins, or of the login: %s', async (_, value) => {
    for (const clinician of [value, { [instanceOf()]: value }, { [instanceOf()]: JSON.stringify(value) }]) {
      await expectSignedOut((await signedIn((stored) => ({ ...stored, clinician }))).agent);
    }
  });

  test.each(
    titled([
      ...[{ grantID: 1 }, { id: '' }, { since: '1' }, { usedAt: null }, { scope: [1] }, { user: [] }],
      ...[{ serviceID: {} }, { sessionState: 1 }, { checkDue: 'yes' }, { passportUser: 1 }, { since: 1e15 }],
    ]),
  )('with the members %s', async (_, members) => {
    await expectSignedOut((await signedIn(withMembers(members as Members))).agent);
  });

  test.each(['1e999', '-1e999', '{'])('with the time %s', async (time) => {
    const change = withLogin((login) => login.replace(/(?<="since":)\d+/, time));
    await expectSignedOut((await signedIn(change)).agent);
  });

  test('but with a member of its own, it is a login', async () => {
    const { agent } = await signedIn(withMembers({ own: true }));
    await agent.get('/me').expect(200);
  });

  test.each(titled(WRONG))("in place of Passport's user: %s", async (_, value) => {
    for (const user of [false, true]) {
      const store = new session.MemoryStore();
      const { app, clinician } = siteFor(provider, { session: { store } });
      const own = new passport.Passport();
      own.use(clinician.strategy);
      own.serializeUser((signedInUser, done) => done(null, signedInUser));
      own.deserializeUser<object>((stored, done) => done(null, stored));
      app.use(own.session(), clinician);
      app.get('/in', (req, res) => {
        Object.assign(req.session, { passport: user ? { user: value } : value });
        res.send('written');
      });
      const agent = supertest.agent(app);
      await agent.get('/in').expect(200);
      expect((await agent.get('/me')).status).toBe(401);
      await agent.get('/auth/login').set(navigation).expect(302);
      await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    }
  });
});

describe('an error of the session store can be any value: it reaches the response', () => {
  const hostile = () => Object.defineProperty(new Error('x'), 'message', { value: 1 });
  test.each<[string, () => unknown]>([
    ['text', () => 'down'],
    ['an object without a prototype', () => Object.create(null)],
    ['a message that is no text', hostile],
    ['a code that is no text', () => Object.assign(new Error('x'), { code: {}, cause: { message: 1 } })],
  ])('%s', async (_, create) => {
    for (const method of ['set', 'destroy', 'get'] as const) {
      const { agent, store } = await signedIn((stored) => stored);
      const fails = (...args: unknown[]) => void setImmediate(args.at(-1) as (error: unknown) => void, create());
      Object.assign(store, { [method]: fails });
      const login = await agent.post('/auth/logout').set(sameOriginScript);
      expect([200, 500, 503]).toContain(login.status);
      await agent.get('/me').then(({ status }) => expect([200, 401, 500, 503]).toContain(status));
    }
  });
});

describe('a token store that returns wrong values', () => {
  const storeWith = (changed: Partial<Record<keyof TokenStore, unknown>>) =>
    Object.assign(new MemoryTokenStore({ clock: provider.clock }), changed) as unknown as TokenStore;

  test.each<[string, unknown, string]>([
    ...WRONG.map((value): [string, unknown, string] => [
      String(JSON.stringify(value)).slice(0, 30),
      value,
      value ? 'grant_unreadable' : 'grant_ended',
    ]),
    ['wrong members', { userKey: 1, sealed: {}, version: 'x', expiresAt: null }, 'grant_unreadable'],
    ['no number', (stored: StoredGrant) => ({ ...stored, version: Number.NaN }), 'grant_unreadable'],
    ['a getter that throws', Object.defineProperty({}, 'userKey', { get: () => JSON.parse('x') }), 'grant_unreadable'],
  ])('for a record ends the login: %s', async (_, record, code) => {
    const codes: unknown[] = [];
    const tokenStore = storeWith({});
    const { agent } = await signedIn((stored) => stored, {
      tokenStore,
      onEvent: ({ name, code: reason }) => void (name === 'login_ended' && codes.push(reason)),
    });
    const stored = tokenStore.get.bind(tokenStore);
    const get = async (id: string) => (typeof record === 'function' ? record(await stored(id)) : record);
    Object.assign(tokenStore, { get });
    provider.clock.advance('6 minutes');
    await agent.get('/me').expect(401);
    expect(codes).toEqual([code]);
  });

  test.each(['grantsOf', 'lock', 'swap', 'put', 'delete'] as const)('for %s has a response', async (method) => {
    // A lock that is none, such as null, is held by another process.
    for (const value of method === 'lock' ? WRONG.filter(Boolean) : WRONG) {
      const tokenStore = storeWith({});
      const { agent, clinician } = await signedIn((stored) => stored, { tokenStore });
      Object.assign(tokenStore, { [method]: async () => value });
      provider.clock.advance('2 hours');
      expect([200, 401, 503]).toContain((await agent.get('/profile')).status);
      await clinician.forget(provider.clinicians.get('verified').sub).catch(({ code }) => {
        expect(code).toBe('token_store_unavailable');
      });
      expect([200, 401, 503]).toContain((await agent.post('/auth/logout').set(sameOriginScript)).status);
    }
  });

  test.each(['get', 'put', 'swap', 'delete', 'grantsOf', 'lock', 'release'] as const)(
    'and never replies to %s: each request has a response',
    async (method) => {
      const tokenStore = storeWith({});
      const { agent, clinician } = await signedIn((stored) => stored, { tokenStore });
      const timer = globalThis.setTimeout;
      // Limits of 30 and 2 seconds are waited for in four parts.
      const timers = jest.spyOn(globalThis, 'setTimeout');
      timers.mockImplementation(((call: () => void, ms: number, ...args: []) =>
        timer(call, [7_500, 500].includes(ms) ? 1 : ms, ...args)) as typeof setTimeout);
      const never = () => new Promise(() => undefined);
      Object.assign(
        tokenStore,
        method === 'release' ? { lock: async () => ({ release: never }) } : { [method]: never },
      );
      provider.clock.advance('2 hours');
      expect([200, 401, 503]).toContain((await agent.get('/profile')).status);
      await clinician.forget(provider.clinicians.get('verified').sub).catch(({ code }) => {
        expect(code).toBe('token_store_unavailable');
      });
      expect((await agent.post('/auth/logout').set(sameOriginScript)).status).toBe(200);
      expect([200, 503]).toContain((await signIn(agent, provider, { as: 'verified' })).status);
      timers.mockRestore();
    },
  );

  test('for sealed tokens of another form ends the login', async () => {
    for (const content of ['x', 'null', '{}', '{"refreshAt":1,"tokens":[]}']) {
      const tokenStore = storeWith({});
      const { agent } = await signedIn((stored) => stored, { tokenStore });
      const userKey = provider.clinicians.get('verified').sub;
      const [id = ''] = await tokenStore.grantsOf(userKey);
      const sealer = new Sealer([new Secret(sealingSecret)], 'tokens');
      const sealed = sealer.seal(content, JSON.stringify([instanceOf(), id, userKey]));
      await tokenStore.put(id, { ...((await tokenStore.get(id)) as StoredGrant), sealed });
      provider.clock.advance('6 minutes');
      await agent.get('/me').expect(401);
    }
  });
});

test('a sealed cookie with another content counts as missing', async () => {
  const { origin } = new URL(loginOptions(provider).callbackURL);
  const site = { origin, routes: { basePath: '' } };
  const cookies = new Cookies({ site, instance: instanceOf(), secrets: [new Secret(sealingSecret)] });
  const { app } = siteFor(provider);
  for (const content of [...WRONG.map((value) => JSON.stringify(value)), 'no JSON', '{"createdAt":"x","scope":1}']) {
    const lines: string[] = [];
    const res = { headersSent: false, setHeader: (_: string, all: readonly string[]) => lines.push(...all) };
    if (!cookies.sealed('failed', 600).set(res as never, content)) continue;
    const cookie = lines[0]?.split(';')[0] as string;
    await supertest(app).get('/auth/callback').set(navigation).set('Cookie', cookie).expect(403);
  }
});
