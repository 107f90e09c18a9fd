import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

// What comes of every other fault: test/faults/outcomes.ts.
describe('an ID Token that is not right signs nobody in, and says which rule it broke', () => {
  test('attack 18: a script gets a problem with the code', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    provider.faults.next('badSignature');
    const { location } = (await agent.get('/auth/login')).headers;
    const callback = new URL(await provider.signIn(location as string, { as: 'verified' }));
    const { body } = await agent.get(callback.pathname + callback.search).expect(502);
    expect(body).toMatchObject({ code: 'id_token_signature_invalid', retryable: false });
    await agent.get('/me').expect(401);
  });

  test('a person sees a page without its inside, and the next sign-in works', async () => {
    const agent = supertest.agent(siteFor(provider).app).set('Accept', 'text/html');
    provider.faults.next('badSignature');
    const page = await signIn(agent as never, provider, { as: 'verified' });
    expect(page).toMatchObject({ status: 502, text: expect.stringContaining('id_token_signature_invalid') });
    expect(page).not.toMatchObject({ text: expect.stringMatching(/kid|RS256|eyJ/) });
    await signIn(agent as never, provider, { as: 'verified' });
    expect((await agent.get('/')).text).toBe('in');
  });

  test('attack 99: the tokens that came with it are not kept', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    provider.faults.next('wrongNonce');
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/profile').expect(401);
    expect(provider.requests.some(({ path }) => path.startsWith('/api/'))).toBe(false);
  });
});

describe('what is right, is accepted', () => {
  test('attack 27, 28: signed with a new key, right after the keys were read and again right after that', async () => {
    const agent = supertest.agent(siteFor(provider, { clock: provider.clock }).app);
    await signIn(agent, provider, { as: 'verified' });
    provider.keys.rotate();
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('6 seconds');
    provider.keys.rotate();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
  });
});

test('attack 25: the keys are fetched where the metadata says, whatever the address is', async () => {
  const asked: string[] = [];
  const moved: typeof fetch = async (input, init) => {
    const url = String(input);
    asked.push(new URL(url).pathname);
    const response = await fetch(url.replace('/moved/keys', '/.well-known/jwks.json'), { ...init, redirect: 'manual' });
    if (!url.includes('/.well-known/')) return response;
    return Response.json({ ...((await response.json()) as object), jwks_uri: `${provider.issuer}/moved/keys` });
  };
  const agent = supertest.agent(siteFor(provider, { fetch: moved as never }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
  expect(asked).toContain('/moved/keys');
  expect(asked).not.toContain('/.well-known/jwks.json');
});
