import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ port: 0 });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const asPage = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
const ownPage = { ...asPage, 'sec-fetch-site': 'same-origin' };
const asked = (path: string) => provider.requests.filter((one) => one.path === path).length;

async function signedIn(as = 'verified', flow: 'openid' | 'profile' = 'openid') {
  const app = siteFor(provider, { flow });
  const agent = request.agent(app);
  await signIn(agent, provider, { as });
  return { app, agent };
}

describe('/colleagues', () => {
  test.each(['openid', 'profile'] as const)('shows them page by page, in the %s flow', async (flow) => {
    const { agent } = await signedIn('connected', flow);
    const first = (await agent.get('/colleagues').set(asPage).expect(200)).text;
    expect(first.match(/class="colleague"/g)).toHaveLength(30);
    expect(first).toContain('href="/colleagues?page=2"');
    expect(first).not.toContain('rel="prev"');
    const second = (await agent.get('/colleagues?page=2').set(asPage).expect(200)).text;
    expect(second).toContain('href="/colleagues?page=1"');
    expect(second.match(/<article class="colleague">[\s\S]*/)?.[0]).not.toBe(
      first.match(/<article class="colleague">[\s\S]*/)?.[0],
    );
  });

  test('attack 199: asks the service every time, and nothing of them stays', async () => {
    const { agent } = await signedIn('connected');
    for (let time = 1; time <= 2; time += 1) {
      const { headers } = await agent.get('/colleagues').set(asPage).expect(200);
      expect(headers['cache-control']).toBe('no-store');
      expect(asked('/api/v1/colleagues')).toBe(time);
    }
  });

  test.each(['0', '-1', 'x', '1e99', ''])('page=%s is the first page', async (page) => {
    const { agent } = await signedIn('connected');
    expect((await agent.get(`/colleagues?page=${page}`).set(asPage).expect(200)).text).toContain('Page 1');
  });

  test('where the site never asks for the scope, the page says so', async () => {
    const agent = request.agent(siteFor(provider, { scope: ['openid'] }));
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/colleagues').set(asPage)).text).toContain('takes the scope <code>colleagues</code>');
  });
});

test('/share leads to the inbox with what is shared', async () => {
  const { agent } = await signedIn();
  const { text } = await agent.get('/share').set(asPage).expect(200);
  expect(text).toContain(`href="${provider.apiURL}/inbox/conversations/new_message?url=http`);
});

describe('/account', () => {
  test('shows how the tokens stand, and none of them', async () => {
    const { agent } = await signedIn();
    const { text } = await agent.get('/account').set(asPage).expect(200);
    expect(text).toMatch(/good until <time datetime="\d{4}-/);
    expect(text).toContain('a new access token is fetched when it is needed');
    const csrf = [...text.matchAll(/name="_csrf" value="([\w-]+)"/g)];
    expect(csrf).toHaveLength(5);
  });

  test('refreshes now', async () => {
    const { agent } = await signedIn();
    const before = asked('/oauth/token');
    await agent.post('/account/refresh').set(ownPage).expect(303).expect('location', '/account');
    expect(asked('/oauth/token') - before).toBe(1);
    await agent.get('/profile').set(asPage).expect(200);
  });

  test('revokes: the next page asks for a new sign-in', async () => {
    const { agent } = await signedIn();
    await agent.post('/account/revoke').set(ownPage).expect(303);
    expect(asked('/oauth/revoke')).toBe(1);
    await agent.get('/api/me').expect(401);
    await agent.get('/notes').set(asPage).expect(302);
  });

  test('attack 199: keeps a profile only with the recorded agreement, until it is withdrawn', async () => {
    const { agent } = await signedIn();
    const words = 'Rounds may keep my profile for 30 days.';
    expect((await agent.get('/account').set(asPage)).text).toContain('Your profile is not kept');
    await agent.post('/account/keep').set(ownPage).expect(303);
    expect((await agent.get('/account').set(asPage)).text).toContain(words);
    await agent.post('/account/withdraw').set(ownPage).expect(303);
    expect((await agent.get('/account').set(asPage)).text).toContain('Your profile is not kept');
  });

  test('what was kept goes when the person is forgotten', async () => {
    const { app, agent } = await signedIn();
    await agent.post('/account/keep').set(ownPage).expect(303);
    await agent.post('/auth/forget').set(ownPage).expect(303);
    const again = request.agent(app);
    await signIn(again, provider, { as: 'verified' });
    expect((await again.get('/account').set(asPage)).text).toContain('Your profile is not kept');
  });

  test('forgets, on every device', async () => {
    const { app, agent } = await signedIn();
    const phone = request.agent(app);
    await signIn(phone, provider, { as: 'verified' });
    await agent.post('/auth/forget').set(ownPage).expect(303);
    await phone.get('/api/me').expect(401);
    expect(asked('/oauth/revoke')).toBe(2);
  });

  test('attack 139: none of it for another site', async () => {
    const { agent } = await signedIn();
    for (const path of ['/account/refresh', '/account/revoke', '/account/keep', '/auth/forget', '/auth/logout']) {
      const answer = await agent
        .post(path)
        .set({ ...asPage, 'sec-fetch-site': 'cross-site' })
        .expect(403);
      expect(answer.text).toContain('Request denied');
    }
    expect(asked('/oauth/revoke')).toBe(0);
    await agent.get('/api/me').expect(200);
  });

  test('an old browser under helmet, without Sec-Fetch-Site, is known by the token of the page', async () => {
    const { agent } = await signedIn();
    const [, _csrf = ''] = /name="_csrf" value="([\w-]+)"/.exec((await agent.get('/account').set(asPage)).text) ?? [];
    const form = { accept: 'text/html', origin: 'null', 'content-type': 'application/x-www-form-urlencoded' };
    await agent.post('/account/refresh').set(form).send('_csrf=x').expect(403);
    await agent.post('/account/refresh').set(form).send(new URLSearchParams({ _csrf }).toString()).expect(303);
  });
});
