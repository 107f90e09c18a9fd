import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { authorizationRequest, site } from './sites.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
beforeEach(() => provider.reset());
afterAll(() => provider.stop());

const silent = '/auth/login?prompt=none';
const answerOf = (url: string): string =>
  new URL(url).searchParams.get('error') ?? (new URL(url).searchParams.has('code') ? 'code' : 'nothing');
const silently = (): string => authorizationRequest(provider, { prompt: 'none' });

describe('one browser at the provider for each agent at the site', () => {
  test('single sign-on: an agent that signed in is not asked again', async () => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const before = provider.requests.length;
    await signIn(agent, provider, { as: 'verified', loginPath: silent });
    const asked = provider.requests.slice(before).map(({ path }) => path);
    expect(asked.filter((path) => /login|consent/.test(path))).toEqual([]);
    expect((await agent.get('/')).body).toEqual({ signedIn: true });
  });

  test('another agent of the same person has a browser of its own', async () => {
    const app = site(provider);
    await signIn(request.agent(app), provider, { as: 'verified' });
    const other = request.agent(app);
    await signIn(other, provider, { as: 'verified', loginPath: silent });
    expect((await other.get('/')).body).toEqual({ signedIn: false });
    expect(provider.problems.at(-1)?.error).toBe('login_required');
  });

  test('somebody else at the same agent signs the one before them out first', async () => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    await signIn(agent, provider, { as: 'pending' });
    expect((await agent.get('/notes')).body).toEqual({ verified: 'pending' });
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/notes')).body).toEqual({ verified: 'verified' });
  });

  test('the agent stands for its browser in provider.signIn, too', async () => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    expect(answerOf(await provider.signIn(silently(), { as: 'verified', browser: agent }))).toBe('code');
  });
});

describe('provider.signIn without a browser', () => {
  test('keeps one for each clinician', async () => {
    await provider.signIn(authorizationRequest(provider), { as: 'verified' });
    expect(answerOf(await provider.signIn(silently(), { as: 'verified' }))).toBe('code');
    expect(answerOf(await provider.signIn(silently(), { as: 'pending' }))).toBe('login_required');
    expect(answerOf(await provider.signIn(silently(), { as: 'verified', browser: {} }))).toBe('login_required');
  });

  test('says who there is, and what a browser can be', async () => {
    const url = authorizationRequest(provider);
    await expect(provider.signIn(url, { as: 'veryfied' })).rejects.toThrow(
      'There is no clinician "veryfied". Did you mean verified? There are: verified, pending, minimal, connected, hostile.',
    );
    const text = 'mine' as unknown as object;
    await expect(provider.signIn(url, { as: 'verified', browser: text })).rejects.toThrow(/browser must be an object/);
  });

  test('reset() empties them all', async () => {
    const browser = {};
    await provider.signIn(authorizationRequest(provider), { as: 'verified', browser });
    provider.reset();
    expect(answerOf(await provider.signIn(silently(), { as: 'verified', browser }))).toBe('login_required');
  });
});
