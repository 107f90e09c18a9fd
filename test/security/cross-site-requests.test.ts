import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';

async function signedIn(options: Parameters<typeof siteFor>[1] = {}) {
  const { app, clinician } = siteFor(provider, options);
  app.get('/token', (req, res) => void res.send(clinician.csrfToken(req)));
  app.post('/mine', clinician.requireSameOrigin(), (_req, res) => void res.send('done'));
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  return agent;
}

describe('a request that changes state', () => {
  test.each<[string, Record<string, string>]>([
    ['an origin that begins like this one', { Origin: 'http://127.0.0.1:3000.evil.example' }],
    ['an origin that ends like this one', { Origin: 'http://evil.example#http://127.0.0.1:3000' }],
    ['another port', { Origin: 'http://127.0.0.1:3001' }],
    ['another scheme', { Origin: 'https://127.0.0.1:3000' }],
    ['an unknown value of Sec-Fetch-Site', { 'Sec-Fetch-Site': 'same-planet' }],
    ['an empty Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
    ['a Referer of this site and no Origin', { Referer: 'http://127.0.0.1:3000/' }],
    ['a Host and an Origin of another site', { Host: 'evil.example', Origin: 'http://evil.example' }],
    [
      'a forwarded host and an Origin of another site',
      { 'X-Forwarded-Host': 'evil.example', Origin: 'http://evil.example' },
    ],
    ['a method override', { 'X-HTTP-Method-Override': 'GET', 'Sec-Fetch-Site': 'cross-site' }],
  ])('with %s is refused', async (_name, headers) => {
    const agent = await signedIn();
    for (const path of ['/auth/logout', '/auth/forget', '/auth/session-check', '/mine']) {
      expect((await agent.post(path).set(headers)).status).toBe(403);
    }
    await agent.get('/me').expect(200);
  });

  test('with a valid CSRF token in its URL or in a cookie is refused', async () => {
    const agent = await signedIn();
    const token = (await agent.get('/token')).text;
    await agent.post(`/mine?_csrf=${token}&x-csrf-token=${token}`).set('Origin', 'null').expect(403);
    await agent
      .post('/mine')
      .set({ Origin: 'null', Cookie: `_csrf=${token}; x-csrf-token=${token}` })
      .expect(403);
    await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': token }).expect(200);
  });

  test('with the CSRF token of an earlier login of the same user is refused', async () => {
    const agent = await signedIn();
    const token = (await agent.get('/token')).text;
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/mine').set({ Origin: 'null', 'X-CSRF-Token': token }).expect(403);
  });
});

test('a refused request to a route of the drop-in is an event', async () => {
  const events: ClinicianEvent[] = [];
  const agent = await signedIn({ onEvent: (event) => events.push(event) });
  for (const path of ['/auth/logout', '/auth/forget', '/auth/session-check']) {
    events.length = 0;
    await agent.post(path).set('Sec-Fetch-Site', 'cross-site').expect(403);
    expect(events).toMatchObject([{ name: 'request_failed', code: 'cross_site_request' }]);
  }
});

test('CSRF tokens differ from each other, and contain no id of the session or the login', async () => {
  const agent = await signedIn();
  const tokens = [(await agent.get('/token')).text, (await agent.get('/token')).text];
  expect(new Set(tokens).size).toBe(2);
  const cookie = agent.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false }).toValueString();
  const sessionID = /connect\.sid=s%3A([\w-]+)/.exec(cookie)?.[1] as string;
  expect(sessionID.length).toBeGreaterThan(20);
  for (const token of tokens) {
    expect(token + Buffer.from(token, 'base64url').toString('latin1')).not.toContain(sessionID);
    expect(token.length).toBeGreaterThan(50);
  }
});

test('no response of a route allows a page of another origin to read it', async () => {
  const agent = await signedIn();
  const from = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
  for (const path of ['/auth/login', '/auth/callback', '/auth/logout', '/auth/forget', '/auth/session-check']) {
    for (const response of [await agent.options(path).set(from), await agent.get(path).set(from)]) {
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  }
});
