import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';

test('a user who is forgotten while a guard reads the profile does not pass the guard', async () => {
  const real = createFetch();
  let isHeld = false;
  let arrive = () => {};
  let release = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const fetch: Fetch = async (url, init) => {
    const response = await real(url, init);
    if (isHeld && url.endsWith('/users/current')) {
      arrive();
      await released;
    }
    return response;
  };
  let now = Date.now();
  const site = siteFor(provider, { fetch, clock: { now: () => now }, onEvent: () => undefined });
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/notes').expect(200);
  const { id } = (await agent.get('/me')).body.user;
  isHeld = true;
  now += 5 * 60 * 1000 + 1;
  const guarded = agent.get('/notes').then(({ status, body }) => [status, body.code]);
  await arrived;
  await site.clinician.forget(id);
  release();
  expect(await guarded).toEqual([401, 'grant_ended']);
});
