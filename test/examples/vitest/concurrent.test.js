import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { afterAll, expect, test } from 'vitest';
import { site } from './site.js';

const provider = await startMockProvider();
afterAll(() => provider.stop());

test.concurrent('a sandbox with a fault does not sign in', async () => {
  const sandbox = provider.sandbox();
  sandbox.faults.always('serverError', { endpoint: '/oauth/token' });
  const agent = request.agent(site(sandbox));
  await signIn(agent, sandbox, { as: 'verified' });
  await agent.get('/notes').expect(401);
});

test.concurrent('a sandbox with its own clock verifies after three days', async () => {
  const sandbox = provider.sandbox();
  const agent = request.agent(site(sandbox));
  await signIn(agent, sandbox, { as: 'pending' });
  sandbox.clock.advance('4 days');
  await signIn(agent, sandbox, { as: 'pending' });
  await agent.get('/notes').expect(200);
  expect(sandbox.logins).toHaveLength(2);
});
