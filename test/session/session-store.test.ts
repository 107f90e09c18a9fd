import { describe, expect, test } from '@jest/globals';
import express, { type Request, type RequestHandler } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { LoginSession } from '../../lib/session/login-session.js';
import type { SessionLogin } from '../../lib/session/logins.js';
import { SiteSessionStore, type StoredLogin } from '../../lib/session/session-store.js';
import type { SessionRequest } from '../../lib/session/site-session.js';

const INSTANCE = 'instance';
const LOGIN = { grantID: 'g', id: 'u', since: 0, scope: [] } as SessionLogin;

/** A store of one process, whose writes are counted, and what listens to them. */
function storeUnderTest() {
  const store = new session.MemoryStore();
  const writes: string[] = [];
  const { set } = store;
  store.set = (id, data, done) => {
    writes.push(id);
    set.call(store, id, data, done);
  };
  const siteStore = new SiteSessionStore(INSTANCE, store as never);
  const heard: [string, string | undefined][] = [];
  siteStore.onWrite((id, login) => heard.push([id, siteStore.writeIDOf(login)]));
  const save = (id: string, logins: Record<string, StoredLogin> | undefined) =>
    new Promise((resolve) => store.set(id, { cookie: {}, clinician: logins } as never, resolve));
  const read = (id: string) =>
    new Promise<{ clinician?: Record<string, StoredLogin>; passport?: object } | undefined>((resolve) =>
      store.get(id, (_error, found) => resolve(found as never)),
    );
  return { store, siteStore, writes, heard, save, read };
}

describe('a write of a session', () => {
  test.each([
    ['with a login', { clinician: { [INSTANCE]: { grantID: 'g', id: 'u' } } }],
    ['without a login', {}],
  ])('%s returns what the store returns: a promise, for some', async (_, content) => {
    const rejected = Promise.reject(new Error('down'));
    const store = { get: () => undefined, destroy: () => undefined, set: (..._: unknown[]) => rejected };
    new SiteSessionStore(INSTANCE, store as never);
    await expect(store.set('s', { cookie: {}, ...content } as never)).rejects.toThrow('down');
  });

  test('with a login stores an id, which the request has too, and each write has another one', async () => {
    const { siteStore, heard, save, read } = storeUnderTest();
    const login = { grantID: 'g', id: 'u' };
    await save('s', { [INSTANCE]: login });
    const first = (await read('s'))?.clinician?.[INSTANCE]?.writeID;
    expect(first).toMatch(/^[\w-]{12}$/);
    expect(siteStore.writeIDOf(login)).toBe(first);
    expect(login).not.toHaveProperty('writeID');
    await save('s', { [INSTANCE]: login });
    expect(siteStore.writeIDOf(login)).not.toBe(first);
    expect(heard).toEqual([
      ['s', first],
      ['s', siteStore.writeIDOf(login)],
    ]);
  });

  test('without a login, or with one of another instance, is unchanged and not reported', async () => {
    const { heard, save, read } = storeUnderTest();
    const other = { other: { grantID: 'o', id: 'u' } };
    await save('s', other);
    await save('empty', undefined);
    expect([(await read('s'))?.clinician, heard]).toEqual([other, []]);
  });

  test('that fails has no id, and is not reported', async () => {
    const { store, heard, siteStore, save } = storeUnderTest();
    const login = { grantID: 'g', id: 'u', writeID: 'read' };
    const failing = new session.MemoryStore();
    failing.set = (_id, _data, done) => done?.(new Error('down'));
    siteStore.observe({ sessionStore: failing as never });
    await new Promise((resolve) => failing.set('s', { clinician: { [INSTANCE]: login } } as never, resolve));
    expect([siteStore.writeIDOf(login), heard]).toEqual(['read', []]);
    siteStore.observe({ sessionStore: store as never });
    await save('s', { [INSTANCE]: login });
    expect(heard).toHaveLength(1);
  });
});

describe('remove', () => {
  test('deletes the session of the login, and no session of another login', async () => {
    const { siteStore, save, read } = storeUnderTest();
    await save('s', { [INSTANCE]: { grantID: 'g', id: 'u' } });
    await siteStore.remove('s', 'other');
    expect(await read('s')).toBeDefined();
    await siteStore.remove('s', 'g');
    await siteStore.remove('s', 'g');
    expect(await read('s')).toBeUndefined();
  });

  test('keeps the logins of other instances', async () => {
    const { siteStore, save, read } = storeUnderTest();
    const other = { grantID: 'o', id: 'u' };
    await save('s', { [INSTANCE]: { grantID: 'g', id: 'u' }, other });
    await siteStore.remove('s', 'g');
    expect((await read('s'))?.clinician).toEqual({ other });
  });

  test('rejects while no store is known', async () => {
    await expect(new SiteSessionStore(INSTANCE).remove('s', 'g')).rejects.toThrow('sessionStore is missing');
  });
});

describe('recordUse', () => {
  test('changes the time of the login that is stored now, and nothing else', async () => {
    const { siteStore, save, read } = storeUnderTest();
    await save('s', { [INSTANCE]: { grantID: 'g', id: 'u', usedAt: 1 } });
    await siteStore.recordUse('s', { grantID: 'other', usedAt: 2 });
    expect((await read('s'))?.clinician?.[INSTANCE]?.usedAt).toBe(1);
    await siteStore.recordUse('s', { grantID: 'g', usedAt: 3 });
    expect((await read('s'))?.clinician?.[INSTANCE]).toMatchObject({ id: 'u', usedAt: 3 });
    await siteStore.recordUse('gone', { grantID: 'g', usedAt: 4 });
    expect(await read('gone')).toBeUndefined();
  });
});

describe('a sign-in', () => {
  /** The ids of the sessions that one sign-in has written. @param change of the site, after the sign-in */
  async function writesOf(change: (req: Request) => unknown = () => undefined, options: session.CookieOptions = {}) {
    const { store, siteStore, writes, read } = storeUnderTest();
    const loginSession = new LoginSession(INSTANCE);
    const app = express();
    app.use(session({ secret: 'x', resave: false, saveUninitialized: false, store, cookie: options }));
    const signIn: RequestHandler = async (req, res) => {
      siteStore.observe(req as never);
      await loginSession.establish(req as unknown as SessionRequest, LOGIN, { user: { id: 'u' } });
      await change(req);
      res.send(req.sessionID);
    };
    app.get('/in', signIn);
    const { text: id, headers } = await supertest(app).get('/in');
    return { count: writes.length, session: Object(await read(id)), setCookie: headers['set-cookie']?.[0] ?? '' };
  }

  test('writes its session once, although express-session saves it again', async () => {
    for (const cookie of [{}, { maxAge: 86_400_000 }]) {
      const { count, session: stored, setCookie } = await writesOf(() => undefined, cookie);
      expect([count, stored.clinician[INSTANCE].grantID]).toEqual([1, 'g']);
      expect(setCookie).toMatch(/^connect\.sid=s%3A/);
    }
  });

  test('whose session the site saves itself writes it once', async () => {
    const { count } = await writesOf((req) => new Promise((resolve) => req.session.save(resolve)));
    expect(count).toBe(1);
  });

  test.each<[string, (req: Request) => unknown, object]>([
    ['data', (req) => Object.assign(req.session, { draft: 'new' }), { draft: 'new' }],
    ['maxAge', (req) => (req.session.cookie.maxAge = 60_000), { cookie: { path: '/' } }],
    ['sameSite', (req) => (req.session.cookie.sameSite = 'strict'), { cookie: { sameSite: 'strict' } }],
  ])('after which the site changes %s of the session writes it again', async (_, change, expected) => {
    const { count, session: stored } = await writesOf(change);
    expect(count).toBe(2);
    expect(stored).toMatchObject(expected);
  });

  test('after which the site changes the session and changes it back stores the last state', async () => {
    const save = (req: Request) => new Promise((resolve) => req.session.save(resolve));
    const { session: stored } = await writesOf(async (req) => {
      Object.assign(req.session, { draft: 'new' });
      await save(req);
      delete (req.session as { draft?: string }).draft;
    });
    expect(stored).not.toHaveProperty('draft');
  });
});
