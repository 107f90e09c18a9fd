import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

test("an onError that rejects passes its error to the site's own error handler", async () => {
  const { app } = siteFor(provider, { onError: async () => Promise.reject(new Error('the log is unavailable')) });
  const caught: unknown[] = [];
  app.use(((error, _req, res, _next) => {
    caught.push((error as Error).message);
    res.status(500).end();
  }) as ErrorRequestHandler);
  await supertest(app).get('/auth/callback?state=x').expect(500);
  expect(caught).toEqual(['the log is unavailable']);
});

test('an onEvent that rejects does not fail the sign-in', async () => {
  const onEvent = async () => Promise.reject(new Error('the log is unavailable'));
  const agent = supertest.agent(siteFor(provider, { onEvent }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});
