import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { ANN, create } from './registrant.js';
import { authorizePath, heading, linkTo, Visitor, words } from './visitor.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

describe('verification', () => {
  let slow: MockProvider;
  beforeAll(async () => {
    slow = await startMockProvider({ verification: 'queued', lifetimes: { session: '10 days' } });
  });
  afterEach(() => slow.reset());
  afterAll(() => slow.stop());

  test('in the queue the person sees where they stand, goes on unverified, and is verified after three days', async () => {
    slow.clinicians.update('pending', { verified: true });
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    expect(heading(waiting)).toBe('We are checking your details');
    expect(words(waiting)).toMatch(/You are next in the queue\. It takes at most 3 days\./);
    const consent = await visitor.submit(waiting, {});
    expect(heading(consent)).toBe('Your application asks for your approval');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('2 days');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(false);
    slow.clock.advance('1 day');
    expect(slow.clinicians.get('ann.lee@clinic.example').verified).toBe(true);
  });

  test('they can look again at any time, and hear how long it still takes and who is before them', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    expect(words(waiting)).toContain('One user is before you in the queue.'); // the persona pending
    slow.clock.advance('45.5 hours');
    expect(words(await visitor.get('/oauth/verification'))).toContain('It takes at most 1 day and 3 hours.');
    slow.clock.advance('26 hours');
    expect(words(await visitor.get('/oauth/verification'))).toContain('It takes at most 30 minutes.');
  });

  test('who is verified meanwhile reads so, and goes on', async () => {
    const visitor = new Visitor(slow);
    const waiting = await visitor.submit(await create(slow, visitor), ANN);
    slow.clinicians.update('ann.lee@clinic.example', { verified: true });
    expect(heading(await visitor.get('/oauth/verification'))).toBe('You are verified');
    expect(heading(await visitor.get(linkTo(waiting, 'Reload')))).toBe('Your application asks for your approval');
  });

  test('with type=verify somebody who waits already is told; with type=login not', async () => {
    const verify = new Visitor(provider);
    const landing = await verify.get(authorizePath(provider, { type: 'verify' }));
    const waiting = await verify.signIn(landing, 'pending');
    expect(heading(waiting)).toBe('We are checking your details');
    expect(heading(await verify.submit(waiting, {}))).toBe('Your application asks for your approval');
    const login = new Visitor(provider);
    const consent = await login.signIn(await login.get(authorizePath(provider)), 'pending');
    expect(heading(consent)).toBe('Your application asks for your approval');
  });

  test('decision 29: with prompt=none the queue is no reason to show anything', async () => {
    const url = (more: Record<string, string>) => provider.issuer + authorizePath(provider, more);
    await provider.signIn(url({}), { as: 'pending' });
    expect(await provider.signIn(url({ prompt: 'none', type: 'verify' }), { as: 'pending' })).toMatch(/[?&]code=/);
  });

  test('who is not signed in signs in first, and comes back', async () => {
    const visitor = new Visitor(provider);
    const login = await visitor.follow(await visitor.get('/oauth/verification'));
    expect(heading(login)).toBe('Sign in');
    expect(heading(await visitor.signIn(login, 'pending'))).toBe('We are checking your details');
  });

  test('a misspelled policy stops the start with a sentence', async () => {
    await expect(startMockProvider({ verification: 'slow' as 'queued' })).rejects.toThrow(
      "verification must be 'instant' or 'queued', not \"slow\".",
    );
  });
});
