import { beforeEach, describe, expect, test } from '@jest/globals';
import type supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { hostileTest } from '../security/hostile-service.js';
import { logoutURLOf, sameOriginForm } from './site.js';

const hostile = hostileTest();
const { service } = hostile;

/** The session at the service, which ends with the revocation of one of its tokens, as at Keycloak. */
let session: { id: string; isActive: boolean };
/** Whether the session was active at each logout request. */
let logouts: boolean[];

const REVOKE = '/oauth/revoke';
const revocations = () => service.requestsTo(REVOKE).length;

beforeEach(() => {
  session = { id: 'session 1', isActive: true };
  logouts = [];
  service.behaviour.claims = (claims) => ({ ...claims, sid: session.id });
  service.behaviour.endpoints[REVOKE] = (_, response) => {
    session.isActive = false;
    response.writeHead(200).end();
  };
  service.behaviour.endpoints['/oauth/logout'] = (_, response) => {
    logouts.push(session.isActive);
    response.writeHead(200).end('signed out');
  };
});

const eventNames: string[] = [];
function siteWithEvents(options: Parameters<typeof hostile.site>[0] = {}) {
  eventNames.length = 0;
  return hostile.site({ onEvent: ({ name }) => void eventNames.push(name), ...options });
}

describe('a sign-out at a service that ends its session when a token is revoked', () => {
  test('reaches the session, and the tokens are revoked when the browser returns', async () => {
    const tokenStore = new MemoryTokenStore();
    const { agent } = await hostile.signIn(siteWithEvents({ tokenStore }));
    const logoutURL = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    expect(logoutURL.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect(revocations()).toBe(0);
    expect(await tokenStore.grantsOf(service.subject)).toEqual([]);
    await agent.get('/me').expect(401);

    await fetch(logoutURL);
    expect(logouts).toEqual([true]);
    const state = logoutURL.searchParams.get('state');
    await agent.get(`/auth/logged-out?state=another`).expect(200);
    expect(revocations()).toBe(0);
    await agent.get(`/auth/logged-out?state=${state}`).expect(200);
    expect(service.requestsTo(REVOKE).map(({ form }) => form.get('token'))).toEqual([
      expect.stringMatching(/^planted-refresh-/),
    ]);
    expect(eventNames).toEqual(['sign_in_started', 'signed_in', 'signed_out', 'revoked']);
    await agent.get(`/auth/logged-out?state=${state}`).expect(200);
    expect(revocations()).toBe(1);
  });

  test('revokes at once when the process stops', async () => {
    const site = siteWithEvents();
    const { agent } = await hostile.signIn(site);
    await agent.post('/auth/logout').set(sameOriginForm).expect(200);
    await site.clinician.close();
    expect(revocations()).toBe(1);
  });

  test('revokes at once where there is no logout at the service', async () => {
    const { agent } = await hostile.signIn(siteWithEvents({ postLogoutRedirectURI: false }));
    await agent.post('/auth/logout').set(sameOriginForm).expect(303);
    expect(revocations()).toBe(1);

    service.behaviour.metadata = ({ end_session_endpoint, ...document }) => document;
    const other = await hostile.signIn(siteWithEvents());
    const { headers } = await other.agent.post('/auth/logout').set(sameOriginForm).expect(303);
    expect(headers.location).toBe('/auth/logged-out');
    expect(revocations()).toBe(2);
  });

  test('revokes at once where the session of the site cannot be ended', async () => {
    const site = siteWithEvents();
    const { agent } = await hostile.signIn(site);
    site.sessions.destroy = (_id, done) => done?.(new Error('down'));
    await agent.post('/auth/logout').set(sameOriginForm).expect(503);
    expect(revocations()).toBe(1);
  });

  test('revokes at once where the user is forgotten', async () => {
    const { agent } = await hostile.signIn(siteWithEvents());
    await agent.post('/auth/forget').set(sameOriginForm).expect(303);
    expect(revocations()).toBe(1);
  });

  test('of an ID Token without a session revokes at once, before the logout', async () => {
    service.behaviour.claims = (claims) => claims;
    const { agent } = await hostile.signIn(siteWithEvents());
    const logoutURL = await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
    expect(revocations()).toBe(1);
    await fetch(logoutURL);
    expect(logouts).toEqual([false]);
    expect(eventNames.slice(-2)).toEqual(['revoked', 'signed_out']);
  });
});

describe('a login that replaces one of the same session at the service', () => {
  async function signInAgain(agent: ReturnType<typeof supertest.agent>): Promise<void> {
    const { headers } = await agent.get('/auth/login').expect(302);
    await agent.get(`/auth/callback?${service.authorize(String(headers.location))}`).expect(302);
  }

  test('is not ended by a revocation: the tokens before are erased only', async () => {
    const tokenStore = new MemoryTokenStore();
    const { agent } = await hostile.signIn(siteWithEvents({ tokenStore }));
    const before = await tokenStore.grantsOf(service.subject);
    await signInAgain(agent);
    expect(revocations()).toBe(0);
    expect(session.isActive).toBe(true);
    const after = await tokenStore.grantsOf(service.subject);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    await agent.get('/me').expect(200);
  });

  test('of another session revokes the tokens before', async () => {
    const { agent } = await hostile.signIn(siteWithEvents());
    session.id = 'session 2';
    await signInAgain(agent);
    expect(revocations()).toBe(1);
  });
});

test('the tokens of a silent check are not revoked in the session of the login', async () => {
  const site = siteWithEvents();
  const { agent } = await hostile.signIn(site);
  const changeAndCheck = async () => {
    await agent.post('/auth/session-check').set({ 'Sec-Fetch-Site': 'same-origin' }).send('changed');
    const { headers } = await agent.get('/').set({ 'Sec-Fetch-Dest': 'document', Accept: 'text/html' }).expect(302);
    expect(headers.location).toContain('prompt=none');
    await agent.get(`/auth/callback?${service.authorize(String(headers.location))}`);
  };
  await changeAndCheck();
  expect(revocations()).toBe(0);
  await agent.get('/me').expect(200);
});
