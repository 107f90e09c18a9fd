import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin, MemoryTokenStore, type StoredGrant } from '../../lib/index.js';
import { instanceID } from '../../lib/token-vault/token-store.js';

/** What a site has stored for a user who is signed in, and for an attempt in progress. Recorded with an earlier version. */
interface StoredData {
  recordedAt: number;
  userID: string;
  records: Record<string, StoredGrant>;
  sessionID: string;
  session: object;
  attempt: { cookie: string; state: string };
}

const SECRET = 'planted-secret-of-the-recorded-data-0123456789';
const OPTIONS = {
  issuer: 'http://127.0.0.1:45999',
  clientID: 'default-openid',
  flow: 'openid',
  callbackURL: 'http://127.0.0.1:3000/auth/callback',
} as const;

/** The site that has stored the data, with the current version. The service is unavailable. */
async function siteWith(data: StoredData) {
  const clock = { now: () => data.recordedAt + 1000 };
  const tokenStore = new MemoryTokenStore({ clock });
  for (const [id, record] of Object.entries(data.records)) await tokenStore.put(id, record);
  const store = new session.MemoryStore();
  await new Promise((resolve) => store.set(data.sessionID, data.session as session.SessionData, resolve));
  const clinician = clinicianLogin({
    ...OPTIONS,
    apiURL: OPTIONS.issuer,
    clientSecret: 'planted-client-secret',
    scope: 'openid basic',
    secret: SECRET,
    tokenStore,
    clock,
    onEvent: () => undefined,
    fetch: () => Promise.reject(new Error('the service is unavailable')),
  });
  const app = express();
  app.use(session({ secret: SECRET, resave: false, saveUninitialized: false, store }));
  app.use(clinician);
  app.get('/me', clinician.requireLogin(), async (req, res) => {
    const { identity, scope } = req.clinician;
    res.json({ user: req.user, identity, scope, tokens: await clinician.grant(req).state() });
  });
  const signature = createHmac('sha256', SECRET).update(data.sessionID).digest('base64').replace(/=+$/, '');
  const sessionCookie = `connect.sid=${encodeURIComponent(`s:${data.sessionID}.${signature}`)}`;
  return { request: supertest(app), sessionCookie };
}

/**
 * During a rolling upgrade, and after it, a process reads what processes of the version before have stored. A change of stored data
 * must keep these tests: new members are optional, and a cookie with another content has another name.
 */
describe('data that an earlier version has stored', () => {
  const path = new URL('stored-data/recorded.json', import.meta.url);
  const data = JSON.parse(readFileSync(path, 'utf8')) as StoredData;
  const scope = ['openid', 'basic', 'colleagues', 'email'];

  test('keeps its user signed in, with the tokens', async () => {
    const { request, sessionCookie } = await siteWith(data);
    const { body } = await request.get('/me').set('Cookie', sessionCookie).expect(200);
    const { userID } = data;
    expect(body).toMatchObject({
      user: { id: userID },
      identity: { id: userID, issuer: OPTIONS.issuer, serviceID: '31415926500' },
      scope,
      tokens: { scope, refreshable: true },
    });
  });

  test('continues a sign-in in progress', async () => {
    const { request } = await siteWith(data);
    const callback = `/auth/callback?code=code&state=${data.attempt.state}&iss=${OPTIONS.issuer}`;
    const { text } = await request.get(callback).set('Cookie', data.attempt.cookie).expect(503);
    expect(JSON.parse(text).code).toBe('service_unreachable');
    const repeated = await request.get(callback).set('Cookie', data.attempt.cookie).expect(403);
    expect(JSON.parse(repeated.text).code).toBe('transaction_missing');
  });

  test('signs no user in without the id of the user', async () => {
    const text = JSON.stringify(data.session).replace(/\\"id\\":\\"[^"]*\\",/, '');
    const { request, sessionCookie } = await siteWith({ ...data, session: JSON.parse(text) as object });
    const { body } = await request.get('/me').set('Cookie', sessionCookie).expect(401);
    expect(body.code).toBe('sign_in_required');
  });

  test('is of the same instance', () => {
    expect(Object.keys((data.session as { clinician: object }).clinician)).toEqual([instanceID(OPTIONS)]);
  });
});
