import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { DeniedError, deny } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

test('a user with a property called denied is signed in', async () => {
  const agent = supertest.agent(siteFor(provider, { onSignIn: () => ({ id: 1, denied: false }) }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test.each([
  ['deny()', () => deny('Surgeons only')],
  ['a thrown DeniedError', () => Promise.reject(new DeniedError('sign_in_refused', 'Surgeons only'))],
])('%s denies the sign-in with its reason', async (_name, onSignIn) => {
  const page = await signIn(supertest.agent(siteFor(provider, { onSignIn }).app), provider, { as: 'verified' });
  expect(page).toMatchObject({ status: 403, text: expect.stringContaining('Surgeons only') });
});

test('an id that is an object is refused: it would be the same string for every user', async () => {
  const site = siteFor(provider, { onSignIn: () => ({ id: { oid: 1 } }), onEvent: () => undefined });
  const page = await signIn(supertest.agent(site.app), provider, { as: 'verified' });
  expect(page).toMatchObject({ status: 500, text: expect.stringContaining('user_id_invalid') });
});
