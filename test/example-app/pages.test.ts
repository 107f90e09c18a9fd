import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { type SiteSettings, siteFor } from './site.js';

const pageHeaders = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
const sameOrigin = { ...pageHeaders, 'sec-fetch-site': 'same-origin' };
const requestsTo = (path: string) => provider.requests.filter((one) => one.path === path).length;

async function signedIn(as = 'verified', settings: SiteSettings = {}) {
  const app = siteFor(provider, settings);
  const agent = request.agent(app);
  await signIn(agent, provider, { as });
  return { app, agent };
}

describe('/colleagues', () => {
  test('shows colleagues page by page', async () => {
    const { agent } = await signedIn('connected');
    const first = (await agent.get('/colleagues').set(pageHeaders).expect(200)).text;
    expect(first.match(/class="colleague"/g)).toHaveLength(30);
    expect(first).toContain('href="/colleagues?page=2"');
    expect(first).not.toContain('rel="prev"');
    expect(requestsTo('/api/v1/colleagues')).toBe(1);
    const second = (await agent.get('/colleagues?page=2').set(pageHeaders).expect(200)).text;
    expect(second).toContain('href="/colleagues?page=1"');
    expect(requestsTo('/api/v1/colleagues')).toBe(2); // never stored
    expect(second.match(/<li class="colleague">[\s\S]*/)?.[0]).not.toBe(
      first.match(/<li class="colleague">[\s\S]*/)?.[0],
    );
    expect((await agent.get('/colleagues?page=1e99').set(pageHeaders).expect(200)).text).toContain('Page 1');
  });
});

describe('the header', () => {
  const headerOf = (text: string) => /<header>[\s\S]*<\/header>/.exec(text)?.[0] ?? '';

  test('has the name of the user, a button to sign out, and one request to the service for all pages', async () => {
    const { agent } = await signedIn('connected', { scope: ['openid', 'basic'] });
    for (const path of ['/', '/notes', '/share', '/account', '/missing']) {
      const header = headerOf((await agent.get(path).set(pageHeaders)).text);
      expect(header).toContain('<bdi>Carla Osei, MD, PhD</bdi>');
      expect(header).toContain('action="/auth/logout"');
    }
    expect(requestsTo('/api/v1/users/current')).toBeLessThanOrEqual(2);
  });
});

test('/share links to a new message in the inbox of the service', async () => {
  const { agent } = await signedIn();
  const { text } = await agent.get('/share').set(pageHeaders).expect(200);
  expect(text).toContain(`href="${provider.apiURL}/inbox/conversations/new_message?url=http`);
});

describe('/account', () => {
  test('shows the state of the tokens, and no token', async () => {
    const { agent } = await signedIn();
    const { text } = await agent.get('/account').set(pageHeaders).expect(200);
    expect(text).toMatch(/valid until <time datetime="\d{4}-/);
    expect(text).toContain('the access token is refreshed when needed');
    // A token of the provider has 43 characters of base64url.
    expect(text).not.toMatch(/[\w-]{40,}/);
  });

  test.each([
    ['openid', 'Signing out also ends your session at the service.'],
    ['profile', 'Signing out does not end your session at the service'],
  ] as const)('says what a sign-out does at the service in the %s flow, and what is stored', async (flow, text) => {
    const { agent } = await signedIn('verified', { flow });
    const page = await agent.get('/account').set(pageHeaders).expect(200);
    expect(page.text).toContain(text);
    expect(page.text).toContain("stores your ID, and the service's tokens in encrypted form");
    expect(page.text).toContain('Your profile is not stored');
    expect(page.text).toContain('action="/auth/forget"');
  });

  test('refreshes the access token, and shows until when the new one is valid', async () => {
    const { agent } = await signedIn();
    const before = requestsTo('/oauth/token');
    await agent.post('/account/refresh').set(sameOrigin).expect(303).expect('location', '/account');
    expect(requestsTo('/oauth/token') - before).toBe(1);
    const page = (await agent.get('/account').set(pageHeaders).expect(200)).text;
    const [, until] =
      /role="status">The access token was refreshed\. The new one is valid until ([^<]*)\.</.exec(page) ?? [];
    expect(until).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(page).toContain(`>${until}</time>`);
    expect((await agent.get('/account').set(pageHeaders)).text).not.toContain('was refreshed');
    await agent.get('/profile').set(pageHeaders).expect(200);
  });

  test('revokes the tokens and says so, and the next page requires a new sign-in', async () => {
    const { agent } = await signedIn();
    const { headers } = await agent.post('/account/revoke').set(sameOrigin).expect(303);
    expect(requestsTo('/oauth/revoke')).toBe(1);
    const message = 'role="status">Your tokens were revoked. You are signed out.<';
    expect((await agent.get(headers.location as string).set(pageHeaders)).text).toContain(message);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get(headers.location as string).set(pageHeaders)).text).not.toContain(message);
    await agent.post('/account/revoke').set(sameOrigin).expect(303);
    await agent.get('/api/me').expect(401);
    await agent.get('/notes').set(pageHeaders).expect(302);
  });

  test('a link cannot show a message of an action', async () => {
    const { app, agent } = await signedIn();
    for (const [user, path] of [
      [agent, '/account?done=refresh'],
      [agent, '/account?notice=Forged'],
      [request(app), '/?done=revoke'],
    ] as const) {
      const { text } = await user.get(path).set(pageHeaders).expect(200);
      expect(text).not.toMatch(/role="status"|Forged/);
    }
  });

  test('every action refuses requests from another site', async () => {
    const { agent } = await signedIn();
    for (const path of ['confirm', 'refresh', 'revoke'].map((name) => `/account/${name}`)) {
      const response = await agent
        .post(path)
        .set({ ...pageHeaders, 'sec-fetch-site': 'cross-site' })
        .expect(403);
      expect(response.text).toContain('Request denied');
    }
    expect(requestsTo('/oauth/revoke')).toBe(0);
    await agent.get('/api/me').expect(200);
  });
});

describe('signing in again', () => {
  test('requires the password, returns to the account, and revokes the tokens before', async () => {
    const { agent } = await signedIn();
    const { headers } = await agent.post('/account/confirm').set(sameOrigin).expect(303);
    expect(new URL(headers.location as string).searchParams.get('prompt')).toBe('login');
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
    await agent.get(back.pathname + back.search).expect('location', '/account');
    await agent.get('/account').set(pageHeaders).expect(200);
    expect(requestsTo('/oauth/revoke')).toBe(1);
  });

  test('within five minutes is enough to download the stored data', async () => {
    const { agent } = await signedIn();
    const { body, headers } = await agent.get('/account/data').expect(200);
    expect(headers['content-disposition']).toBe('attachment; filename=rounds.json');
    expect(body).toMatchObject({ id: expect.any(String) });
    expect(JSON.stringify(body)).not.toMatch(/token/i);
  });
});
