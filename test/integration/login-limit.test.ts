import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import supertest from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { type ClinicianEvent, ClinicianStrategy, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, type SiteOptions, sealingSecret, siteFor } from './site.js';

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A fetch that holds each revocation until it is released. */
function heldRevocations() {
  const real = createFetch();
  const waiting: (() => void)[] = [];
  const fetch: Fetch = async (url, init) => {
    if (url.endsWith('/oauth/revoke')) await new Promise<void>((resolve) => waiting.push(resolve));
    return await real(url, init);
  };
  return { fetch, waiting };
}

/** A site where each user has one login, and its first login. */
async function siteWithLogin(options: SiteOptions = {}) {
  const tokenStore = new MemoryTokenStore();
  const site = siteFor(provider, { tokenStore, maxLoginsPerUser: 1, onEvent: () => undefined, ...options });
  const enter = async () => {
    const agent = supertest.agent(site.app);
    const response = await signIn(agent, provider, { as: 'verified' });
    return { agent, response };
  };
  const { agent: first } = await enter();
  const { id } = (await first.get('/me').expect(200)).body.user;
  const idsIn = () =>
    new Promise<string[]>((resolve) => site.sessions.all((_error, all) => resolve(Object.keys(all ?? {}))));
  return { ...site, tokenStore, enter, first, userID: id as string, idsIn };
}

describe('a sign-in of a user who has reached maxLoginsPerUser', () => {
  test('ends the oldest login, with its session, after the response', async () => {
    const { fetch, waiting } = heldRevocations();
    const ended: unknown[] = [];
    const onEvent = ({ name, userID, code }: ClinicianEvent) =>
      void (name === 'login_ended' && ended.push([userID, code]));
    const { enter, first, tokenStore, userID, idsIn, clinician } = await siteWithLogin({ fetch, onEvent });
    const { agent: second } = await enter();
    await second.get('/me').expect(200);
    await until(async () => waiting.length === 1);
    expect(await tokenStore.grantsOf(userID)).toHaveLength(1);
    await until(async () => (await idsIn()).length === 1);
    await first.get('/me').expect(401);
    waiting[0]?.();
    await second.get('/me').expect(200);
    await clinician.close();
    expect(ended).toEqual([[userID, 'too_many_logins']]);
  });

  test('is waited for by close(), until that login is revoked', async () => {
    const { fetch, waiting } = heldRevocations();
    const { clinician, enter } = await siteWithLogin({ fetch });
    await enter();
    await until(async () => waiting.length === 1);
    let isClosed = false;
    const closing = clinician.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    waiting[0]?.();
    await closing;
    expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toHaveLength(1);
  });

  test('ends no other login if its session cannot be saved', async () => {
    const { enter, first, sessions, tokenStore, userID } = await siteWithLogin();
    const [oldest] = await tokenStore.grantsOf(userID);
    const { set } = sessions;
    sessions.set = (_id, _session, done) => done?.(new Error('down'));
    const { response } = await enter();
    expect(response.status).toBe(503);
    sessions.set = set;
    await first.get('/me').expect(200);
    expect(await tokenStore.grantsOf(userID)).toEqual([oldest]);
  });
});

describe('a sign-in by ClinicianStrategy of a user who has reached maxLoginsPerUser', () => {
  /** A site with Passport where each user has one login. */
  function passportSite() {
    const tokenStore = new MemoryTokenStore();
    const sessions = new session.MemoryStore();
    const passport = new Passport();
    const options = { ...loginOptions(provider), tokenStore, maxLoginsPerUser: 1 };
    type Done = (error: null, user: object) => void;
    const verify = (_access: string, _refresh: string, { id }: { id: string }, done: Done) => done(null, { id });
    passport.use(new ClinicianStrategy(options, verify));
    passport.serializeUser((user, done) => done(null, user));
    const app = express();
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions }));
    const grantIDs: string[] = [];
    app.get('/auth/login', passport.authenticate('clinician'));
    app.get('/auth/callback', passport.authenticate('clinician'), (req, res) => {
      grantIDs.push((req.authInfo as { grantID: string }).grantID);
      res.send('signed in');
    });
    app.use(((_error, _req, res, _next) => void res.status(503).send('failed')) as express.ErrorRequestHandler);
    const enter = () => signIn(supertest.agent(app), provider, { as: 'verified' });
    const stored = () => tokenStore.grantsOf(provider.clinicians.get('verified').sub);
    return { sessions, grantIDs, enter, stored };
  }

  test('ends the oldest login after the response', async () => {
    const { grantIDs, enter, stored } = passportSite();
    for (let login = 0; login < 2; login += 1) await enter();
    await until(async () => (await stored()).length === 1);
    expect(await stored()).toEqual([grantIDs[1]]);
  });

  test('ends no other login if Passport cannot save the session', async () => {
    const { sessions, grantIDs, enter, stored } = passportSite();
    await enter();
    sessions.set = (_id, _session, done) => done?.(new Error('down'));
    expect((await enter()).status).toBe(503);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(await stored()).toContain(grantIDs[0]);
  });
});
