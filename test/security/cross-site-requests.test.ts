import { beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';

const ORIGIN = 'http://127.0.0.1:3000';

async function signedIn(options: Parameters<typeof siteFor>[1] = {}) {
  const { app, clinician } = siteFor(provider, options);
  app.post('/mine', clinician.requireSameOrigin(), (_req, res) => void res.send('done'));
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  return agent;
}

describe('a request that changes state', () => {
  let agent: Awaited<ReturnType<typeof signedIn>>;
  beforeAll(async () => {
    agent = await signedIn();
  });

  test.each<[string, Record<string, string>]>([
    ['an origin that begins like this one', { Origin: 'http://127.0.0.1:3000.evil.example' }],
    ['an origin that ends like this one', { Origin: 'http://evil.example#http://127.0.0.1:3000' }],
    ['another port', { Origin: 'http://127.0.0.1:3001' }],
    ['another scheme', { Origin: 'https://127.0.0.1:3000' }],
    ['an unknown value of Sec-Fetch-Site', { 'Sec-Fetch-Site': 'same-planet' }],
    ['an empty Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
    ['a cross-site Sec-Fetch-Site and the Origin of this site', { 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN }],
    ['a null Origin', { Origin: 'null' }],
    ['neither header', {}],
    ['a Referer of this site and no Origin', { Referer: 'http://127.0.0.1:3000/' }],
    ['a Host and an Origin of another site', { Host: 'evil.example', Origin: 'http://evil.example' }],
    [
      'a forwarded host and an Origin of another site',
      { 'X-Forwarded-Host': 'evil.example', Origin: 'http://evil.example' },
    ],
    ['a method override', { 'X-HTTP-Method-Override': 'GET', 'Sec-Fetch-Site': 'cross-site' }],
  ])('with %s is refused', async (_name, headers) => {
    for (const path of ['/auth/logout', '/auth/forget', '/auth/session-check', '/mine']) {
      expect((await agent.post(path).set(headers)).status).toBe(403);
    }
    await agent.get('/me').expect(200);
  });

  test.each<Record<string, string>>([
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
    { Origin: ORIGIN },
  ])('with %p is accepted', async (headers) => {
    await agent.post('/mine').set(headers).expect(200, 'done');
    const leaving = await signedIn();
    await leaving.post('/auth/logout').set(headers).expect(200);
    await leaving.get('/me').expect(401);
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

test('no response of a route allows a page of another origin to read it', async () => {
  const agent = await signedIn();
  const from = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
  for (const path of ['/auth/login', '/auth/callback', '/auth/logout', '/auth/forget', '/auth/session-check']) {
    for (const response of [await agent.options(path).set(from), await agent.get(path).set(from)]) {
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  }
});
