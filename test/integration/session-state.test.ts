import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, type SiteOptions, siteFor } from './site.js';

const path = '/auth/session';
/** A script of a page of the site. */
const script = { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' };
/** A browser without Sec-Fetch-Site, whose page has helmet's `Referrer-Policy: no-referrer`. */
const oldBrowser = { Origin: 'null' };

async function site(options: SiteOptions = {}) {
  const found = siteFor(provider, { routes: { session: path }, ...options });
  return { ...found, agent: supertest.agent(found.app) };
}

describe('GET /auth/session', () => {
  test.each(['openid', 'profile'] as const)('describes the signed-in user in the %s flow', async (flow) => {
    const { agent } = await site({ flow });
    await signIn(agent, provider, { as: 'verified' });
    const { body, headers } = await agent.get(path).set(script).expect(200);
    const me = (await agent.get('/me')).body;
    const { user: _, ...state } = me;
    expect(body).toEqual({ ...state, isAuthenticated: true, verification: 'verified', csrfToken: expect.any(String) });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('describes a signed-out user', async () => {
    const { agent } = await site();
    const { body } = await agent.get(path).set(script).expect(200);
    expect(body).toEqual({
      ...{ isAuthenticated: false, flow: 'openid', scope: [], verified: false, verification: 'unknown' },
      csrfToken: expect.any(String),
    });
  });

  test('returns a token that signs the user out in a browser without Sec-Fetch-Site', async () => {
    const { agent } = await site();
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/auth/logout').set(oldBrowser).expect(403);
    const { csrfToken } = (await agent.get(path).set(script)).body as { csrfToken: string };
    await agent.post('/auth/logout').set(oldBrowser).set('X-CSRF-Token', csrfToken).expect(200);
    expect((await agent.get(path).set(script)).body.isAuthenticated).toBe(false);
  });

  test('finds out that a pending user is verified', async () => {
    const { agent } = await site();
    await signIn(agent, provider, { as: 'pending' });
    expect((await agent.get(path).set(script)).body.verification).toBe('pending');
    provider.clinicians.update('pending', { verified: true });
    const { body } = await agent.get(path).set(script);
    provider.clinicians.update('pending', { verified: false });
    expect(body.verification).toBe('verified');
  });

  test('has what was last read when the profile cannot be read', async () => {
    const { agent } = await site();
    await signIn(agent, provider, { as: 'pending' });
    provider.faults.always('serverError', { endpoint: '/api/v1/users/current' });
    const { body } = await agent.get(path).set(script).expect(200);
    expect(body).toMatchObject({ isAuthenticated: true, verification: 'pending' });
  });

  test('finds out that another process has ended the login', async () => {
    let now = provider.clock.now();
    const tokenStore = new MemoryTokenStore();
    const { agent } = await site({ clock: { now: () => now }, tokenStore });
    await signIn(agent, provider, { as: 'verified' });
    const other = clinicianLogin(loginOptions(provider, { tokenStore }));
    await other.forget((await agent.get('/me')).body.user.id);
    expect((await agent.get(path).set(script)).body.isAuthenticated).toBe(true);
    now += 5 * 60 * 1000;
    expect((await agent.get(path).set(script)).body.isAuthenticated).toBe(false);
  });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ])('refuses a page of another site: %p', async (headers) => {
    const { agent } = await site();
    await signIn(agent, provider, { as: 'verified' });
    const { body } = await agent.get(path).set(headers).expect(403);
    expect(body).toMatchObject({ code: 'cross_site_request' });
    expect(body).not.toHaveProperty('csrfToken');
  });

  test('does not exist unless the site asks for it', async () => {
    const { app } = siteFor(provider);
    await supertest(app).get(path).set(script).expect(404);
  });
});
