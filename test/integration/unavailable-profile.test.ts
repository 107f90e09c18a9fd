import { afterEach, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { navigation, type Site, type SiteOptions, siteFor } from './site.js';

const PROFILE = '/api/v1/users/current';

let provider: MockProvider;
afterEach(() => provider.stop());

interface SiteUnderTest extends Site {
  events: ClinicianEvent[];
  /** A new browser. */
  browser(): ReturnType<typeof supertest.agent>;
}

async function start(options: SiteOptions = {}, providerOptions: MockProviderOptions = {}): Promise<SiteUnderTest> {
  provider = await startMockProvider(providerOptions);
  const events: ClinicianEvent[] = [];
  const { clock } = provider;
  const site = siteFor(provider, { clock, onEvent: (event) => events.push(event), ...options });
  return { ...site, events, browser: () => supertest.agent(site.app) };
}

const requestsTo = (path: string) => provider.requests.filter((request) => request.path === path);
const codesOf = (events: ClinicianEvent[], wanted: string) =>
  events.filter(({ name }) => name === wanted).map(({ code }) => code);

describe('a sign-in in the openid flow while the profile cannot be read', () => {
  test.each([
    ['serverError', 'service_error'],
    ['accessTokenRefused', 'access_token_refused'],
  ] as const)(
    'succeeds with the fault %s, without a profile, and the verification is unknown until it is read',
    async (fault, code) => {
      const seen: unknown[] = [];
      const onSignIn: SiteOptions['onSignIn'] = ({ identity, profile }) => {
        seen.push(profile);
        return { id: identity.id };
      };
      const { browser, events } = await start({ onSignIn });
      const agent = browser();
      provider.faults.always(fault, fault === 'accessTokenRefused' ? {} : { endpoint: PROFILE });
      await signIn(agent, provider, { as: 'verified' });
      provider.faults.clear();
      const { body } = await agent.get('/me').expect(200);
      expect(body).toMatchObject({ isAuthenticated: true, verified: false, verification: 'unknown' });
      expect(body.identity).not.toHaveProperty('serviceID');
      expect([seen, codesOf(events, 'request_failed')]).toEqual([[undefined], [code]]);
      expect(requestsTo('/oauth/revoke')).toEqual([]);

      provider.clock.advance('61 minutes');
      await agent.get('/notes').set(navigation).expect(200, 'notes');
      expect((await agent.get('/me')).body).toMatchObject({ verified: true, verification: 'verified' });
    },
  );
});

describe('a sign-in in the profile flow while the profile cannot be read', () => {
  test('fails with a page with Retry-After and the time of the reset, also when it is reloaded', async () => {
    const { browser } = await start({ flow: 'profile' });
    provider.clock.freeze();
    provider.clock.set('2026-03-01T13:59:30Z');
    const agent = browser().set(navigation);
    provider.faults.next('rateLimited', { endpoint: PROFILE });
    const page = await signIn(agent, provider, { as: 'verified' });
    expect(page.status).toBe(503);
    expect(page.headers['retry-after']).toBe('3600');
    expect(page.text).toContain('<time data-clinician-time datetime="2026-03-01T15:00:00.000Z">15:00</time>');
    provider.clock.advance('4 minutes');
    const again = await agent.get('/auth/callback').set(navigation).expect(503);
    expect(again.headers['retry-after']).toBe('3360');
  });
});

describe('the rate limit of a user', () => {
  test('applies to every login of the user', async () => {
    const { browser, clinician, app } = await start({ flow: 'profile' }, { rateLimit: { limit: 3 } });
    app.get(
      '/limit',
      (req, res, next) =>
        void clinician
          .api(req)
          .profile()
          .then((profile) => res.json(profile), next),
    );
    const [first, second] = [browser(), browser()];
    await signIn(first, provider, { as: 'verified' });
    await signIn(second, provider, { as: 'verified' });
    provider.clinicians.update('verified', { city: 'A' });
    await first.get('/limit').expect(200);
    const before = requestsTo(PROFILE).length;
    for (const agent of [first, second, first]) expect((await agent.get('/limit')).status).not.toBe(200);
    expect(requestsTo(PROFILE)).toHaveLength(before);
    expect(requestsTo(PROFILE).map(({ status }) => status)).not.toContain(429);
  });

  test('stops the profile read of further sign-ins in the openid flow, which succeed', async () => {
    const { browser, events } = await start({}, { rateLimit: { limit: 2 } });
    for (let login = 0; login < 5; login += 1) {
      const agent = browser();
      await signIn(agent, provider, { as: 'verified' });
      await agent.get('/').expect('in');
    }
    expect(requestsTo(PROFILE).map(({ status }) => status)).toEqual([200, 200]);
    expect(codesOf(events, 'request_failed')).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
  });

  test('is on the 503 page and in the problem document of a guard', async () => {
    const { browser } = await start({}, { rateLimit: { limit: 1 } });
    provider.clock.freeze();
    provider.clock.set('2026-03-01T13:00:00Z');
    const agent = browser();
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('6 minutes');
    const page = await agent.get('/notes').set(navigation).expect(503);
    expect(page.headers['retry-after']).toBe(String(54 * 60));
    expect(page.text).toContain('>14:00</time><span data-clinician-zone> (UTC)</span>');
    const problem = await agent.get('/notes').set('Accept', 'application/json').expect(503);
    expect(problem.headers['retry-after']).toBe(String(54 * 60));
    expect(problem.body).toMatchObject({ code: 'rate_limited', retryable: true, retryAt: '2026-03-01T14:00:00.000Z' });
    expect(requestsTo(PROFILE)).toHaveLength(1);
  });
});

test('a resource API that does not respond stops no sign-in in the openid flow and no refresh, and is not called for every page', async () => {
  let requests = 0;
  const { browser, clinician, app } = await start({
    fetch: async (url, init) => {
      if (!url.endsWith(PROFILE)) return provider.fetch(url, init as RequestInit);
      requests += 1;
      throw new Error('ECONNRESET');
    },
  });
  app.post('/refresh', async (req, res) => {
    await clinician.grant(req).refresh();
    res.send('refreshed');
  });
  for (let login = 0; login < 7; login += 1) await signIn(browser(), provider, { as: 'verified' });
  expect(requests).toBe(5);
  const agent = browser();
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/').expect('in');
  await agent.post('/refresh').expect('refreshed');
  for (let view = 0; view < 10; view += 1) {
    const { body } = await agent.get('/notes').set('Accept', 'application/json').expect(503);
    expect(body).toMatchObject({ code: 'api_not_responding', retryable: true });
  }
  expect(requests).toBe(5);
});

describe('the scope email in the profile flow, where the token response has no scope', () => {
  test.each<[string, string[] | undefined, string[]]>([
    ['is granted where the profile has an email', undefined, ['basic', 'colleagues', 'email']],
    ['is not granted where the user does not approve it', ['basic', 'colleagues'], ['basic', 'colleagues']],
  ])('%s', async (_, approve, scope) => {
    const { browser, clinician, app } = await start({ flow: 'profile' });
    app.get('/email', clinician.requireScope('email'), (_req, res) => void res.send('email'));
    const agent = browser();
    await signIn(agent, provider, { as: 'verified', ...(approve && { approve }) });
    const isGranted = scope.includes('email');
    expect((await agent.get('/me')).body.scope).toEqual(scope);
    await agent.get('/email').expect(isGranted ? 200 : 403);
    expect('email' in (await agent.get('/profile')).body).toBe(isGranted);

    // A refresh changes nothing.
    provider.clock.advance('2 hours');
    expect('email' in (await agent.get('/profile')).body).toBe(isGranted);
    await agent.get('/email').expect(isGranted ? 200 : 403);
  });
});
