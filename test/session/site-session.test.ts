import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import type { SessionLogin } from '../../lib/session/logins.js';
import { type SessionRequest, SiteSession } from '../../lib/session/site-session.js';
import { Visits } from '../../lib/session/visit.js';

const login = {
  grantID: 'g',
  clientID: 'c',
  issuer: 'https://a.example',
  flow: 'openid',
  scope: [],
  id: '1',
  since: 1,
};

const site = {
  issuer: login.issuer,
  flow: 'openid',
  origin: 'https://app.example',
  callbackURL: 'https://app.example/cb',
} as const;
const visits = new Visits(
  site,
  'instance',
  { hasEnded: () => false, known: new Map(), lastVerification: () => 'unknown', scopeOf: () => [] },
  { reportError: () => undefined },
);
const loginSession = new SiteSession('instance', { plain: () => undefined as never });

/** @returns what a request finds in its session after `change` has changed the store and the session was reloaded. */
async function loginAfterReload(change: (store: session.MemoryStore, id: string) => void): Promise<unknown> {
  const app = express();
  const store = new session.MemoryStore();
  app.use(session({ secret: 'x', resave: false, saveUninitialized: false, store }));
  app.get('/in', (req, res) => {
    loginSession.write(req as unknown as SessionRequest, login as unknown as SessionLogin);
    res.send('in');
  });
  app.get('/', async (req, res) => {
    change(store, req.sessionID);
    const error = await loginSession.reload(req as unknown as SessionRequest).catch((reason: unknown) => reason);
    const code = (error as { code?: string } | undefined)?.code;
    res.json({ code, login: visits.of(req as unknown as SessionRequest).login !== undefined });
  });
  const agent = supertest.agent(app);
  await agent.get('/in');
  return (await agent.get('/')).body;
}

test('a session that cannot be read from the store again ends no login', async () => {
  const breakStore = (store: session.MemoryStore) => {
    store.get = (_id, done) => done(new Error('down'));
  };
  expect(await loginAfterReload(() => undefined)).toEqual({ login: true });
  const failed = { code: 'session_unavailable', login: true };
  expect(await loginAfterReload(breakStore)).toEqual(failed);
  expect(await loginAfterReload((store, id) => store.destroy(id))).toEqual(failed);
});

describe('the cookie of a session that is destroyed', () => {
  /** @returns the Set-Cookie lines of a request that destroys its session, behind a proxy that terminates TLS. */
  async function clearedCookies(name: string, cookie: session.CookieOptions): Promise<string[] | undefined> {
    const app = express().set('trust proxy', 1);
    app.use(session({ secret: 'x', resave: false, saveUninitialized: true, name, cookie }));
    app.get('/in', (_req, res) => void res.send('in'));
    app.get('/out', async (req, res) => {
      await loginSession.end(req as unknown as SessionRequest);
      res.send('out');
    });
    const https = { 'X-Forwarded-Proto': 'https' };
    const set = await supertest(app).get('/in').set(https);
    const sent = String(set.headers['set-cookie']?.[0]).split(';')[0];
    const { headers } = await supertest(app)
      .get('/out')
      .set({ ...https, Cookie: `${sent}; other=s:1.2` });
    return headers['set-cookie'] as string[] | undefined;
  }

  test.each([true, 'auto'] as const)('is removed as a Secure cookie, where cookie.secure is %s', async (secure) => {
    expect(await clearedCookies('__Host-site', { secure, sameSite: 'lax' })).toEqual([
      '__Host-site=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  test('is removed with its own domain', async () => {
    expect(await clearedCookies('site', { domain: 'app.example' })).toEqual([
      'site=; Max-Age=0; Domain=app.example; Path=/; HttpOnly',
    ]);
  });
});
