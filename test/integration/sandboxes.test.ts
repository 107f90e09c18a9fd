import { afterAll, beforeAll, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { logoutURLOf, type SiteOptions, sameOriginForm, siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

async function signedIn(sandbox: MockProvider, options: SiteOptions = {}) {
  const agent = supertest.agent(siteFor(sandbox, { clock: sandbox.clock, ...options }).app);
  await signIn(agent, sandbox, { as: 'verified' });
  return agent;
}

test.each(['openid', 'profile'] as const)(
  'two sites can use two sandboxes at the same time in the %s flow',
  async (flow) => {
    const [one, two] = [provider.sandbox(), provider.sandbox()];
    one.clinicians.update('verified', { firstName: 'Changed' });
    const [first, second] = await Promise.all([signedIn(one, { flow }), signedIn(two, { flow })]);
    const names = await Promise.all([first.get('/profile').expect(200), second.get('/profile').expect(200)]);
    expect(names.map(({ body }) => body.firstName)).toEqual(['Changed', provider.clinicians.get('verified').firstName]);
    expect([one, two].map((each) => each.logins.map(({ outcome }) => outcome))).toEqual([['signed in'], ['signed in']]);
    expect([one.problems, two.problems, provider.requests]).toEqual([[], [], []]);

    one.faults.always('serverError', { endpoint: '/api/v1/users/current' });
    one.clock.advance('2 hours');
    expect((await first.get('/profile')).status).toBeGreaterThanOrEqual(500);
    await second.get('/profile').expect(200);
    expect(one.requests.some(({ form }) => form.grant_type === 'refresh_token')).toBe(true);
    expect(two.requests.some(({ form }) => form.grant_type === 'refresh_token')).toBe(false);
    expect(one.clock.now() - two.clock.now()).toBeGreaterThan(7_000_000);
  },
);

test('signing out ends the session of its own sandbox only', async () => {
  const [one, two] = [provider.sandbox(), provider.sandbox()];
  const [first, second] = await Promise.all([signedIn(one), signedIn(two)]);
  const { href: logoutURL } = await logoutURLOf(first, await first.post('/auth/logout').set(sameOriginForm));
  expect(logoutURL.startsWith(`${one.issuer}/oauth/logout?`)).toBe(true);
  const back = new URL(await one.signOut(logoutURL, { browser: first }));
  const page = await first.get(back.pathname + back.search).expect(200);
  expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
  const silent = (each: MockProvider, browser: object) =>
    each.signIn(
      `${each.issuer}/oauth/authorize?client_id=${each.clients.profile.clientID}&response_type=code&prompt=none&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback`,
      { as: 'verified', browser },
    );
  expect(new URL(await silent(one, first)).searchParams.get('error')).toBe('login_required');
  expect(new URL(await silent(two, second)).searchParams.get('error')).toBe('consent_required');
});
