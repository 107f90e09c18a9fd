import { expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { reloadSession, type SessionRequest } from '../../lib/session/site-session.js';

const login = {
  grantID: 'g',
  clientID: 'c',
  issuer: 'https://a.example',
  flow: 'openid',
  scope: [],
  identity: { id: '1' },
};

/** @returns what a request finds in its session after `change` has changed the store and the session was reloaded. */
async function loginAfterReload(change: (store: session.MemoryStore, id: string) => void): Promise<unknown> {
  const app = express();
  const store = new session.MemoryStore();
  app.use(session({ secret: 'x', resave: false, saveUninitialized: false, store }));
  app.get('/in', (req, res) => {
    Object.assign(req.session, { clinician: login });
    res.send('in');
  });
  app.get('/', async (req, res) => {
    change(store, req.sessionID);
    const error = await reloadSession(req as unknown as SessionRequest).catch((reason: unknown) => reason);
    const code = (error as { code?: string } | undefined)?.code;
    res.json({ code, login: Object(req.session).clinician !== undefined });
  });
  const agent = supertest.agent(app);
  await agent.get('/in');
  return (await agent.get('/')).body;
}

test('a session that is no longer in the store has no login after it is reloaded', async () => {
  expect(await loginAfterReload(() => undefined)).toEqual({ login: true });
  expect(await loginAfterReload((store, id) => store.destroy(id))).toEqual({ login: false });
});

test('a store that is unavailable ends no login', async () => {
  const breakStore = (store: session.MemoryStore) => {
    store.get = (_id, done) => done(new Error('down'));
  };
  expect(await loginAfterReload(breakStore)).toEqual({ code: 'session_unavailable', login: true });
});
