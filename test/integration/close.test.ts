import { describe, expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import { type ClinicianEvent, deny, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { heldFetch, navigation, type SiteOptions, sameOriginForm, signedInAt, siteFor } from './site.js';

const isRefresh = (_url: string, body: string) => body.includes('grant_type=refresh_token');
const isCodeExchange = (_url: string, body: string) => body.includes('grant_type=authorization_code');
const isRevocation = (url: string) => url.endsWith('/oauth/revoke');

async function signedInSite(options: SiteOptions = {}) {
  const store = new MemoryTokenStore({ clock: provider.clock });
  const site = siteFor(provider, { tokenStore: store, clock: provider.clock, ...options });
  const agent = await signedInAt(site.app, provider);
  const grantIDs = await store.grantsOf((await agent.get('/me')).body.user.id);
  return { ...site, agent, store, grantID: grantIDs[0] as string };
}

/** The option `timeout`. No test waits for it: it passes when the test says so. */
const TIMEOUT_MS = 60_000;
/** The time that the close adds to it. */
const STORE_TIME_MS = 2_000;

/** @returns whether a promise settles within 50 ms. */
function settles(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, 50, false))]);
}

describe('clinician.close() waits', () => {
  test('for a refresh, so that the next process finds the new tokens', async () => {
    const { fetch, arrived, release } = heldFetch(isRefresh);
    const { clinician, agent, store, sessions } = await signedInSite({ fetch });
    provider.clock.advance('2 hours');
    const profile = agent.get('/profile').then(({ status }) => status);
    await arrived;
    const closing = clinician.close();
    expect(await settles(closing)).toBe(false);
    release();
    await closing;
    expect(await profile).toBe(200);
    const next = siteFor(provider, { tokenStore: store, clock: provider.clock, session: { store: sessions } });
    const { header } = await agent.get('/');
    expect(header.location).toBeUndefined();
    const cookie = agent.jar
      .getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false })
      .toValueString();
    await supertest(next.app).get('/profile').set('Cookie', cookie).expect(200);
    expect(provider.requests.filter(({ form }) => form.grant_type === 'refresh_token')).toHaveLength(1);
  });

  test('for a code exchange, and for its tokens to be stored', async () => {
    const { fetch, arrived, release } = heldFetch(isCodeExchange);
    const store = new MemoryTokenStore();
    const { app, clinician } = siteFor(provider, { fetch, tokenStore: store });
    const signingIn = signIn(supertest.agent(app), provider, { as: 'verified' });
    await arrived;
    const closing = clinician.close();
    expect(await settles(closing)).toBe(false);
    release();
    await closing;
    await signingIn;
    expect(store.size).toBe(1);
  });

  test('for a revocation that takes longer than the sign-out', async () => {
    const { fetch, arrived, release } = heldFetch(isRevocation);
    const { clinician, agent } = await signedInSite({ fetch });
    const signedOut = agent.post('/auth/logout').set(sameOriginForm);
    const response = signedOut.then(({ status }) => status);
    await arrived;
    const closing = clinician.close();
    expect(await response).toBe(200);
    expect(await settles(closing)).toBe(false);
    release();
    await closing;
  });

  test('for nothing without work, and a second call returns the first promise', async () => {
    const { clinician } = await signedInSite();
    const first = clinician.close();
    expect(clinician.close()).toBe(first);
    await first;
    expect(clinician.close()).toBe(first);
  });

  test('for its time limit only, while a refresh does not end, and reports it', async () => {
    const names: string[] = [];
    const { fetch, arrived, release } = heldFetch(isRefresh);
    const onEvent: SiteOptions['onEvent'] = ({ name }) => names.push(name);
    const { clinician, agent } = await signedInSite({ fetch, timeout: TIMEOUT_MS, onEvent });
    provider.clock.advance('2 hours');
    const profile = agent.get('/profile').then(({ status }) => status);
    await arrived;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
    try {
      const closing = clinician.close();
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS + STORE_TIME_MS - 1);
      expect(names).not.toContain('close_incomplete');
      await jest.advanceTimersByTimeAsync(1);
      await closing;
    } finally {
      jest.useRealTimers();
    }
    expect(names.filter((name) => name === 'close_incomplete')).toHaveLength(1);
    release();
    expect(await profile).toBe(200);
  });
});

describe('after clinician.close()', () => {
  test('requests with a valid token get their page, and users can sign out', async () => {
    const { clinician, agent, store } = await signedInSite();
    await clinician.close();
    await agent.get('/profile').expect(200);
    await agent.get('/notes').expect(200);
    await agent.post('/auth/logout').set(sameOriginForm);
    expect(store.size).toBe(0);
  });

  test('a request with an expired token gets 503, and its login remains', async () => {
    const { clinician, agent, store } = await signedInSite();
    provider.clock.advance('2 hours');
    await clinician.close();
    const { status, body } = await agent.get('/notes');
    expect([status, body.code]).toEqual([503, 'closed']);
    expect(store.size).toBe(1);
    expect(provider.requests.filter(({ form }) => form.grant_type === 'refresh_token')).toEqual([]);
  });

  test('a callback gets 503, and its code is not used', async () => {
    const { app, clinician } = siteFor(provider);
    const agent = supertest.agent(app);
    const { headers } = await agent.get('/auth/login').set(navigation);
    const callback = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    await clinician.close();
    await agent
      .get(callback.pathname + callback.search)
      .set(navigation)
      .expect(302)
      .expect('Location', '/auth/callback');
    const response = await agent.get('/auth/callback').set(navigation).expect(503);
    expect(response.text).toContain('/auth/login');
    expect(provider.requests.filter(({ path }) => path === '/oauth/token')).toEqual([]);
  });

  test('tokens that the site keeps are not refreshed', async () => {
    const { clinician } = siteFor(provider);
    await clinician.close();
    await expect(clinician.strategy.refresh('planted-refresh-token')).rejects.toMatchObject({ code: 'closed' });
    expect(provider.requests.filter(({ path }) => path === '/oauth/token')).toEqual([]);
  });
});

/** Ends logins in every way while the service revokes no token. */
async function siteWithWaitingRevocations() {
  const events: ClinicianEvent[] = [];
  const denied = new Set<string>();
  const onSignIn = ({ identity: { id } }: { identity: { id: string } }) => (denied.has(id) ? deny('not here') : { id });
  const { app, clinician } = siteFor(provider, { onSignIn, onEvent: (event) => void events.push(event) });
  app.post('/revoke', async (req, res) => void res.json(await clinician.grant(req).revoke()));
  const signedIn = (as: string) => signedInAt(app, provider, as);
  provider.faults.always('unavailable', { endpoint: '/oauth/revoke' });

  const first = await signedIn('verified');
  denied.add(await userOf(first));
  await first.post('/auth/logout').set(sameOriginForm);
  // A sign-in that the site denies, and one whose ID Token is not valid.
  await signedIn('verified');
  provider.faults.next('wrongIssuer');
  await signedIn('verified');
  await (await signedIn('pending')).post('/auth/forget').set(sameOriginForm).expect(303);
  await (await signedIn('connected')).post('/revoke').expect(200);
  // A login that replaces another one, and all logins of a user.
  const again = await signedIn('minimal');
  await signIn(again, provider, { as: 'minimal' });
  await clinician.forget(await userOf(again));
  return { clinician, events };
}

async function userOf(agent: ReturnType<typeof supertest.agent>): Promise<string> {
  return (await agent.get('/me').expect(200)).body.user.id;
}

test('close() revokes each token that waits once more', async () => {
  const { clinician, events } = await siteWithWaitingRevocations();
  expect(await clinician.health()).toMatchObject({ ok: true, waitingRevocations: 7 });
  provider.faults.clear();
  await clinician.close();
  expect(events.map(({ name }) => name)).not.toContain('revocation_failed');
  expect(provider.revokeGrants({ clientID: provider.clients.openid.clientID })).toBe(0);
  expect(await clinician.health()).not.toHaveProperty('waitingRevocations');
});
