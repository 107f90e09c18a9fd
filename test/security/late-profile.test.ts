import { expect, test } from '@jest/globals';
import { provider } from '../helpers/provider.js';
import { heldFetch, signedInAt, siteFor } from '../integration/site.js';

test('a user who is forgotten while a guard reads the profile does not pass the guard', async () => {
  let isHeld = false;
  const { fetch, arrived, release } = heldFetch((url) => isHeld && url.endsWith('/users/current'));
  let now = Date.now();
  const { app, clinician } = siteFor(provider, { fetch, clock: { now: () => now }, onEvent: () => undefined });
  const agent = await signedInAt(app, provider);
  await agent.get('/notes').expect(200);
  const { id } = (await agent.get('/me')).body.user;
  isHeld = true;
  now += 5 * 60 * 1000 + 1;
  const guarded = agent.get('/notes').then(({ status, body }) => [status, body.code]);
  await arrived;
  await clinician.forget(id);
  release();
  expect(await guarded).toEqual([401, 'grant_ended']);
});
