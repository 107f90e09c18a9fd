import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore, type TokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, sameOriginScript, siteFor } from '../integration/site.js';

/** A memory store that fails every call while `state.isDown`, and returns nothing while `state.isEmpty`. */
function failingStore() {
  const state = { isDown: false, isEmpty: false };
  const proxy = new Proxy(new MemoryTokenStore(), {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        if (state.isDown) return Promise.reject(new Error('the token store is unavailable'));
        if (state.isEmpty && name === 'get') return Promise.resolve(undefined);
        return (method as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { tokenStore: proxy as TokenStore, state };
}

test('a logout while the token store is unavailable signs out, and emits erasure_failed', async () => {
  const { tokenStore, state } = failingStore();
  const events: ClinicianEvent[] = [];
  const agent = supertest.agent(siteFor(provider, { tokenStore, onEvent: (event) => void events.push(event) }).app);
  await signIn(agent, provider, { as: 'verified' });
  state.isDown = true;
  await agent.post('/auth/logout').set(sameOriginScript).expect(200);
  expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['erasure_failed', 'signed_out']));
  state.isDown = false;
  await agent.get('/me').expect(401);
});

test('tokens that the store fails to delete are revoked at a sign-out', async () => {
  const tokenStore = new MemoryTokenStore();
  const agent = supertest.agent(siteFor(provider, { tokenStore, onEvent: () => undefined }).app);
  await signIn(agent, provider, { as: 'verified' });
  tokenStore.lock = () => Promise.reject(new Error('the token store is read-only'));
  tokenStore.delete = tokenStore.lock as never;
  await agent.post('/auth/logout').set(sameOriginScript).expect(200);
  expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toMatchObject([{ status: 200 }]);
});

test('a login whose tokens are lost immediately after the sign-in gets an error page, not a redirect loop', async () => {
  const { tokenStore, state } = failingStore();
  const signedInAt = Date.now();
  const site = siteFor(provider, { tokenStore, clock: { now: () => signedInAt }, onEvent: () => undefined });
  site.app.get('/strict', site.clinician.requireVerified({ recheckAfter: 0 }), (_req, res) => void res.send('in'));
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  state.isEmpty = true;
  const page = await agent.get('/strict').set(navigation).expect(401);
  expect(page.text).toContain('sign_in_required');
});
