import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';

// test/faults/outcomes.ts has the outcome of every other fault.
describe('an invalid ID Token signs no user in', () => {
  test('a forged signature is a problem document with its code for a script', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    provider.faults.next('badSignature');
    const { location } = (await agent.get('/auth/login')).headers;
    const callback = new URL(await provider.signIn(location as string, { as: 'verified' }));
    const { body } = await agent.get(callback.pathname + callback.search).expect(502);
    expect(body).toMatchObject({ code: 'id_token_invalid', retryable: false });
    await agent.get('/me').expect(401);
  });

  test('a forged signature is a page without technical details, and the next sign-in works', async () => {
    const agent = supertest.agent(siteFor(provider).app).set('Accept', 'text/html');
    provider.faults.next('badSignature');
    const page = await signIn(agent as never, provider, { as: 'verified' });
    expect(page).toMatchObject({ status: 502, text: expect.stringContaining('id_token_invalid') });
    expect(page).not.toMatchObject({ text: expect.stringMatching(/kid|RS256|eyJ/) });
    await signIn(agent as never, provider, { as: 'verified' });
    expect((await agent.get('/')).text).toBe('in');
  });

  test('the access token of a response with a wrong nonce is not used', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    provider.faults.next('wrongNonce');
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/profile').expect(401);
    expect(provider.requests.some(({ path }) => path.startsWith('/api/'))).toBe(false);
  });
});

describe('a valid ID Token signs in', () => {
  test('that is signed with a key newer than the cached ones, twice', async () => {
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

test('the keys are fetched from the jwks_uri of the metadata', async () => {
  const requested: string[] = [];
  const moved: typeof fetch = async (input, init) => {
    const url = String(input);
    requested.push(new URL(url).pathname);
    const response = await fetch(url.replace('/moved/keys', '/.well-known/jwks.json'), { ...init, redirect: 'manual' });
    if (!url.includes('/.well-known/')) return response;
    return Response.json({ ...((await response.json()) as object), jwks_uri: `${provider.issuer}/moved/keys` });
  };
  const agent = supertest.agent(siteFor(provider, { fetch: moved as never }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
  expect(requested).toContain('/moved/keys');
  expect(requested).not.toContain('/.well-known/jwks.json');
});
