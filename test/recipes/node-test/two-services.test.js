import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { siteWithTwoServices } from './two-services.js';

const [hospital, registry] = [await startMockProvider(), await startMockProvider()];
after(() => Promise.all([hospital.stop(), registry.stop()]));

test('a user signs in at both services, and out at one', async () => {
  const agent = request.agent(siteWithTwoServices(hospital, registry));
  await signIn(agent, hospital, { as: 'verified', loginPath: '/hospital/login' });
  await agent.get('/notes').expect(200);
  await agent.get('/licence').expect(401);

  await signIn(agent, registry, { as: 'verified', loginPath: '/registry/login' });
  await agent.get('/licence').expect(200);
  await agent.post('/hospital/logout').set('Sec-Fetch-Site', 'same-origin').expect(200);
  const { body } = await agent.get('/').expect(200);
  assert.deepEqual(body, [false, true]);
});
