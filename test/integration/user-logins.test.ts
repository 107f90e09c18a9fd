import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { type Site, type SiteOptions, sameOriginForm, sameOriginScript, signedInAt, siteFor } from './site.js';

/** Waits for what happens after a response. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const revoked = () => provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200).length;

const idsIn = (sessions: Site['sessions']) =>
  new Promise<string[]>((resolve) => sessions.all((_error, all) => resolve(Object.keys(all ?? {}))));

async function signedInSite(options: SiteOptions = {}) {
  const store = new MemoryTokenStore();
  const events: ClinicianEvent[] = [];
  const site = siteFor(provider, { tokenStore: store, onEvent: (event) => events.push(event), ...options });
  const agentAs = (name?: string) => signedInAt(site.app, provider, name);
  const [here, there, otherUser] = [await agentAs(), await agentAs(), await agentAs('minimal')];
  const userID = (await here.get('/me')).body.user.id as string;
  return { ...site, store, events, here, there, otherUser, userID, agentAs };
}

describe('clinician.forget(userID)', () => {
  test('revokes and erases everything, and signs out every session of the user at its next request', async () => {
    const { clinician, store, sessions, here, there, otherUser, userID } = await signedInSite();
    await there.get('/notes').expect(200);
    expect(await store.grantsOf(userID)).toHaveLength(2);
    expect(await idsIn(sessions)).toHaveLength(3);
    await clinician.forget(userID);
    expect(await store.grantsOf(userID)).toEqual([]);
    expect(await idsIn(sessions)).toHaveLength(1);
    expect(revoked()).toBe(2);
    expect((await here.get('/')).text).toBe('out');
    await there.get('/notes').expect(401);
    await there.get('/me').expect(401);
    await otherUser.get('/notes').expect(200);
  });

  test('while the token store is unavailable rejects, and ends the logins of the user in this process', async () => {
    const { clinician, store, here, there, otherUser, userID } = await signedInSite();
    store.grantsOf = () => Promise.reject(new Error('down'));
    await expect(clinician.forget(userID)).rejects.toMatchObject({ code: 'token_store_unavailable', retryable: true });
    await here.get('/me').expect(401);
    await otherUser.post('/auth/forget').set(sameOriginForm).expect(503);
    for (const agent of [there, otherUser]) await agent.get('/me').expect(401);
  });
});

describe('the sessions of a forgotten user', () => {
  test('are deleted by a process that shares the session store, once it has received a request', async () => {
    const tokenStore = new MemoryTokenStore();
    const store = new session.MemoryStore();
    const events: ClinicianEvent[] = [];
    const options = { tokenStore, session: { store }, onEvent: (event: ClinicianEvent) => events.push(event) };
    const [one, other] = [siteFor(provider, options), siteFor(provider, options)];
    const agent = await signedInAt(other.app, provider);
    const { id } = (await agent.get('/me')).body.user;
    await supertest(one.app).get('/');
    await one.clinician.forget(id);
    expect(await idsIn(store)).toEqual([]);

    await signIn(agent, provider, { as: 'verified' });
    await siteFor(provider, options).clinician.forget(id);
    expect(await idsIn(store)).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({ name: 'erasure_failed', userID: id, code: 'session_erasure_failed' }),
    );
    expect(await tokenStore.grantsOf(id)).toEqual([]);
  });

  test('are deleted after a refresh of the tokens too', async () => {
    const { app, clinician, sessions, here, userID } = await signedInSite();
    app.post('/refresh', async (req, res) => void res.json(await clinician.grant(req).refresh()));
    await here.post('/refresh').expect(200);
    await clinician.forget(userID);
    expect(await idsIn(sessions)).toHaveLength(1);
  });

  test('with a session store that fails, the logins end, the tokens are revoked, and an event is emitted', async () => {
    const { clinician, sessions, store, here, there, userID, events } = await signedInSite();
    const { destroy } = sessions;
    sessions.destroy = (_id, done) => done?.(new Error('down'));
    await clinician.forget(userID);
    sessions.destroy = destroy;
    expect(await store.grantsOf(userID)).toEqual([]);
    expect(revoked()).toBe(2);
    expect(events.filter(({ code }) => code === 'session_erasure_failed')).toMatchObject([{ userID }, { userID }]);
    expect(events.at(-1)).toMatchObject({ name: 'forgotten', logins: 2 });
    for (const agent of [here, there]) await agent.get('/me').expect(401);
  });

  test('that a request saves again while the user is forgotten are deleted after its response', async () => {
    const { app, clinician, sessions, userID, agentAs } = await signedInSite();
    app.get('/slow', async (req, res) => {
      await clinician.forget(userID);
      Object.assign(req.session, { draft: 'private' });
      res.end();
    });
    const agent = await agentAs();
    await agent.get('/slow').expect(200);
    await until(async () => (await idsIn(sessions)).length === 1);
  });

  test('the token store contains no session id in plain text, and no hash of it', async () => {
    const { store, sessions, userID } = await signedInSite();
    const grants = await Promise.all((await store.grantsOf(userID)).map((grantID) => store.get(grantID)));
    const text = JSON.stringify(grants);
    const ids = await idsIn(sessions);
    expect(ids).toHaveLength(3);
    for (const id of ids) {
      expect(text).not.toContain(id);
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(text).not.toContain(createHash('sha256').update(id).digest(form));
    }
  });
});

test('POST /auth/forget from a page of the site forgets the signed-in user in every session', async () => {
  const { here, there, otherUser, store, userID } = await signedInSite();
  expect((await here.post('/auth/forget').set(sameOriginForm).expect(303)).headers.location).toBe('/auth/logged-out');
  expect(await store.grantsOf(userID)).toEqual([]);
  await here.get('/me').expect(401);
  await there.get('/me').expect(401);
  await otherUser.get('/me').expect(200);
  await here.post('/auth/forget').set('Sec-Fetch-Site', 'same-origin').expect(200);
});

test('clinician.grant(req) shows the state of the tokens without the tokens', async () => {
  const { app, clinician, here } = await signedInSite();
  app.get('/state', async (req, res) => void res.json((await clinician.grant(req).state()) ?? null));
  const { body } = await here.get('/state').expect(200);
  expect(Object.keys(body).sort()).toEqual(['expiresAt', 'refreshable', 'scope']);
  await supertest(app).get('/state').expect(401);
});

test('signOutOthers() ends the other logins of the user with their sessions and tokens, and no login of others', async () => {
  const { app, clinician, sessions, store, events, here, there, otherUser, userID } = await signedInSite();
  app.post('/sign-out-others', clinician.requireSameOrigin(), async (req, res) => {
    res.json({ count: await clinician.signOutOthers(req) });
  });
  const tablet = await signedInAt(app, provider);
  await here.post('/sign-out-others').set(sameOriginScript).expect(200, { count: 2 });
  for (const agent of [there, tablet]) await agent.get('/me').expect(401);
  await here.get('/notes').expect(200);
  await otherUser.get('/me').expect(200);
  expect(await store.grantsOf(userID)).toHaveLength(1);
  expect(revoked()).toBe(2);
  expect(events).toContainEqual(expect.objectContaining({ name: 'signed_out', userID, logins: 2 }));
  expect(await idsIn(sessions)).toHaveLength(2);
  await here.post('/sign-out-others').set(sameOriginScript).expect(200, { count: 0 });
});
