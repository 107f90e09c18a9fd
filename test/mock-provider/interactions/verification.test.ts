import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { heading, linkTo, profileFlowPath, textOf, Visitor } from '../visitor.js';
import { ANN, create } from './registrant.js';

describe('the verification page', () => {
  let slow: MockProvider;
  beforeAll(async () => {
    slow = await startMockProvider({ verification: 'queued', lifetimes: { session: '10 days' } });
  });
  afterEach(() => slow.reset());
  afterAll(() => slow.stop());

  test('is shown to a new user, who continues unverified and is verified after three days', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    expect(heading(waiting)).toBe('We are checking your details');
    expect(textOf(waiting)).toContain('A manual check takes at most three days');
    const consent = await visitor.submit(waiting, {});
    expect(heading(consent)).toBe('127.0.0.1:5001 asks for your approval');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('2 days');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('1 day');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(true);
  });

  test('shows that the user is verified and continues', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    slow.clinicians.update('ann.lee@clinic.example', { verified: true });
    expect(heading(await visitor.get('/oauth/verification'))).toBe('You are verified');
    expect(heading(await visitor.get(linkTo(waiting, 'Reload')))).toBe('127.0.0.1:5001 asks for your approval');
  });

  test('is shown to a waiting user with type=verify, not with type=login', async () => {
    const verify = new Visitor(provider);
    const landing = await verify.get(profileFlowPath(provider, { type: 'verify' }));
    const waiting = await verify.signIn(landing, 'pending');
    expect(heading(waiting)).toBe('We are checking your details');
    expect(heading(await verify.submit(waiting, {}))).toBe('127.0.0.1:5001 asks for your approval');
    const login = new Visitor(provider);
    const consent = await login.signIn(await login.get(profileFlowPath(provider)), 'pending');
    expect(heading(consent)).toBe('127.0.0.1:5001 asks for your approval');
  });

  test('is not shown with prompt=none', async () => {
    const url = (more: Record<string, string>) => provider.issuer + profileFlowPath(provider, more);
    await provider.signIn(url({}), { as: 'pending' });
    expect(await provider.signIn(url({ prompt: 'none', type: 'verify' }), { as: 'pending' })).toMatch(/[?&]code=/);
  });

  test('requires a sign-in and returns', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.follow(await visitor.get('/oauth/verification'));
    expect(heading(login)).toBe('Sign in');
    expect(heading(await visitor.signIn(login, 'pending'))).toBe('We are checking your details');
  });
});
