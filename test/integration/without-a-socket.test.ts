import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { Visitor } from '../mock-provider/pages/visitor.js';
import { type SiteOptions, siteFor } from './site.js';
import { WAYS, type Way } from './ways-to-the-provider.js';

const ownPage = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };

describe.each(Object.entries(WAYS))('by way of %s', (_name, open) => {
  let way: Way;
  beforeAll(async () => {
    way = await open();
  });
  afterEach(() => way.provider.reset());
  afterAll(() => way.end());

  function site(options: SiteOptions = {}) {
    const { app, clinician } = siteFor(way.provider, { fetch: way.fetch, clock: way.provider.clock, ...options });
    app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
      res.json(await clinician.api(req).colleagues().page(1));
    });
    return { agent: supertest.agent(app), visitor: new Visitor(way.provider, way.fetch) };
  }

  /** The clinician's way through the real pages. @returns the site's answer to the callback. */
  async function signIn({ agent, visitor }: ReturnType<typeof site>, decision = 'approve') {
    const { headers } = await agent.get('/auth/login').expect(302);
    const there = new URL(headers.location as string);
    const consent = await visitor.signIn(await visitor.get(there.pathname + there.search), 'connected');
    const { location } = await visitor.submit(consent, { decision, approve_email: 'yes' });
    const back = new URL(location);
    const answer = await agent.get(back.pathname + back.search).set('Accept', 'text/html');
    // What failed is shown at an address without the code.
    return answer.headers.location === back.pathname ? agent.get(back.pathname).set('Accept', 'text/html') : answer;
  }

  test.each(['openid', 'profile'] as const)(
    'signing in, profile, colleagues, refresh, logout: %s flow',
    async (flow) => {
      const people = site({ flow });
      const { agent, visitor } = people;
      expect((await signIn(people)).headers.location).toBe('/');
      expect((await agent.get('/me').expect(200)).body).toMatchObject({ flow, verified: true });
      expect((await agent.get('/profile').expect(200)).body.email).toBe(way.provider.clinicians.get('connected').email);
      expect((await agent.get('/colleagues').expect(200)).body.totalEntries).toBe(1234);
      way.provider.clock.advance('2 hours');
      await agent.get('/profile').expect(200);
      expect(way.provider.requests.filter(({ form }) => form.grant_type === 'refresh_token')).toHaveLength(1);
      const { headers } = await agent.post('/auth/logout').set(ownPage).expect(303);
      await agent.get('/me').expect(401);
      if (flow === 'profile') return;
      const there = new URL(headers.location as string);
      const back = new URL((await visitor.get(there.pathname + there.search)).location);
      const page = await agent.get(back.pathname + back.search).expect(200);
      expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
      expect(way.provider.problems).toEqual([]);
    },
  );

  test('saying no', async () => {
    const page = await signIn(site(), 'deny');
    expect([page.status, page.text.includes('The user denied the request')]).toEqual([403, true]);
  });

  test('a late answer is an answer', async () => {
    way.provider.faults.next('delay', { endpoint: '/oauth/token', delay: 20 });
    expect((await signIn(site())).headers.location).toBe('/');
  });

  test.each(['reset', 'noResponse'] as const)('%s at the token endpoint: nobody is signed in', async (fault) => {
    way.provider.faults.next(fault, { endpoint: '/oauth/token' });
    const hasty: typeof fetch = (input, init) => way.fetch(input, { ...init, signal: AbortSignal.timeout(200) });
    const people = site({ fetch: fault === 'noResponse' ? hasty : way.fetch });
    expect((await signIn(people)).status).toBeGreaterThanOrEqual(500);
    await people.agent.get('/me').expect(401);
  });
});
