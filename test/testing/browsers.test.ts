import { describe, expect, test } from '@jest/globals';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest/index.js';
import { provider } from '../helpers/provider.js';
import { authorizationRequest, site } from './sites.js';

const silentLoginPath = '/auth/login?prompt=none';
const resultOf = (url: string): string =>
  new URL(url).searchParams.get('error') ?? (new URL(url).searchParams.has('code') ? 'code' : 'neither');
const silentRequest = (): string => authorizationRequest(provider, { prompt: 'none' });

describe('the browser of an agent at the provider', () => {
  test('a second sign-in of an agent shows no login or consent page', async () => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const before = provider.requests.length;
    await signIn(agent, provider, { as: 'verified', loginPath: silentLoginPath });
    const paths = provider.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => /login|consent/.test(path))).toEqual([]);
    expect((await agent.get('/')).body).toEqual({ signedIn: true });
  });

  test('another agent of the same user has its own browser', async () => {
    const app = site(provider);
    await signIn(request.agent(app), provider, { as: 'verified' });
    const other = request.agent(app);
    await signIn(other, provider, { as: 'verified', loginPath: silentLoginPath });
    expect((await other.get('/')).body).toEqual({ signedIn: false });
    expect(provider.problems.at(-1)?.error).toBe('login_required');
  });
});

describe('provider.signIn without a browser', () => {
  test('uses one browser for each clinician', async () => {
    await provider.signIn(authorizationRequest(provider), { as: 'verified' });
    expect(resultOf(await provider.signIn(silentRequest(), { as: 'verified' }))).toBe('code');
    expect(resultOf(await provider.signIn(silentRequest(), { as: 'pending' }))).toBe('login_required');
    expect(resultOf(await provider.signIn(silentRequest(), { as: 'verified', browser: {} }))).toBe('login_required');
  });

  test('reset() clears every browser', async () => {
    const browser = {};
    await provider.signIn(authorizationRequest(provider), { as: 'verified', browser });
    provider.reset();
    expect(resultOf(await provider.signIn(silentRequest(), { as: 'verified', browser }))).toBe('login_required');
  });
});
