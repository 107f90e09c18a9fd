import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent, Fetch, FlowName } from '../../lib/index.js';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { navigation, type Site, type SiteOptions, siteFor } from './site.js';

const PROFILE = '/api/v1/users/current';
const REVOKE = '/oauth/revoke';

let provider: MockProvider;
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await provider.stop();
});

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

/** Sends requests to the service. The token response has only scope `openid`. */
const withoutBasic: Fetch = async (url, init) => {
  const response = await provider.fetch(url, init as RequestInit);
  if (!url.endsWith('/oauth/token')) return response;
  return Response.json({ ...((await response.json()) as object), scope: 'openid' });
};

describe('a sign-in in the openid flow while the profile cannot be read', () => {
  test.each([
    ['serverError', 'service_error'],
    ['rateLimited', 'rate_limited'],
    ['reset', 'service_unreachable'],
    ['malformedJSON', 'response_malformed'],
    ['accessTokenRefused', 'access_token_refused'],
  ] as const)(
    'succeeds with the fault %s, and the verification is unknown until the profile is read',
    async (fault, code) => {
      const { browser, events } = await start();
      const agent = browser();
      provider.faults.always(fault, fault === 'accessTokenRefused' ? {} : { endpoint: PROFILE });
      await signIn(agent, provider, { as: 'verified' });
      provider.faults.clear();
      const { body } = await agent.get('/me').expect(200);
      expect(body).toMatchObject({ isAuthenticated: true, verified: false, verification: 'unknown' });
      expect(body.identity).not.toHaveProperty('serviceID');
      expect(codesOf(events, 'request_failed')).toEqual([code]);
      expect(requestsTo(REVOKE)).toEqual([]);

      provider.clock.advance('61 minutes');
      await agent.get('/notes').set(navigation).expect(200, 'notes');
      expect((await agent.get('/me')).body).toMatchObject({ verified: true, verification: 'verified' });
    },
  );

  test('fails where the site requires the profile, and its tokens are revoked', async () => {
    const { browser, events } = await start({ profileRequired: true });
    const agent = browser();
    provider.faults.next('serverError', { endpoint: PROFILE });
    const page = await signIn(agent, provider, { as: 'verified' });
    expect(page.status).toBe(503);
    expect(codesOf(events, 'sign_in_failed')).toEqual(['service_error']);
    expect(requestsTo(REVOKE)).toHaveLength(1);
    await agent.get('/').expect('out');
  });

  test('fails where the site requires the profile and scope basic is not granted', async () => {
    const { browser, events } = await start({ profileRequired: true, fetch: withoutBasic });
    const agent = browser();
    const page = await signIn(agent.set(navigation), provider, { as: 'verified' });
    expect(page.status).toBe(403);
    expect(page.text).toContain('Sign in again and allow this site what it needs for this page.');
    expect(page.text).toContain('<span>Sign in again</span>');
    expect(codesOf(events, 'sign_in_failed')).toEqual(['scope_missing']);
    await agent.get('/').expect('out');
  });

  test('calls onSignIn without a profile', async () => {
    const seen: unknown[] = [];
    const { browser } = await start({
      onSignIn: ({ identity, profile }) => {
        seen.push(profile);
        return { id: identity.id };
      },
    });
    provider.faults.next('serverError', { endpoint: PROFILE });
    await signIn(browser(), provider, { as: 'verified' });
    expect(seen).toEqual([undefined]);
  });
});

describe('a sign-in in the profile flow while the profile cannot be read', () => {
  test('fails, because the profile identifies the user', async () => {
    const { browser, events } = await start({ flow: 'profile' });
    const agent = browser();
    provider.faults.next('serverError', { endpoint: PROFILE });
    expect((await signIn(agent, provider, { as: 'verified' })).status).toBe(503);
    expect(codesOf(events, 'sign_in_failed')).toEqual(['service_error']);
    await agent.get('/').expect('out');
  });

  test('shows a page with Retry-After and the time of the reset, also when it is reloaded', async () => {
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
  const limited: MockProviderOptions = { rateLimit: { limit: 3 } };

  test.each<FlowName>(['openid', 'profile'])('applies to every login of the user, flow %s', async (flow) => {
    const { browser, clinician, app } = await start({ flow }, limited);
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

  test('does not affect another user', async () => {
    const { browser } = await start({}, { rateLimit: { limit: 1 } });
    const verifications: string[] = [];
    for (const as of ['verified', 'verified', 'connected']) {
      const agent = browser();
      await signIn(agent, provider, { as });
      verifications.push((await agent.get('/me')).body.verification);
    }
    expect(verifications).toEqual(['verified', 'unknown', 'verified']);
    expect(requestsTo(PROFILE).map(({ status }) => status)).toEqual([200, 200]);
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

  test('whose window has 1000 days is requested again after an hour', async () => {
    const { browser } = await start({}, { rateLimit: { limit: 1, window: '1000 days' } });
    const agent = browser();
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('6 minutes');
    for (let view = 0; view < 2; view += 1) await agent.get('/notes').set(navigation).expect(503);
    expect(requestsTo(PROFILE)).toHaveLength(1);
    provider.clock.advance('61 minutes');
    await agent.get('/notes').set(navigation).expect(503);
    expect(requestsTo(PROFILE)).toHaveLength(2);
  });
});

describe('a profile flow sign-in while the rate limit of the user is used up', () => {
  test('sends one call, whose 429 stops the calls of no other user', async () => {
    const { browser, clinician, app } = await start({ flow: 'profile' }, { rateLimit: { limit: 1 } });
    app.get(
      '/limit',
      (req, res, next) =>
        void clinician
          .api(req)
          .rateLimit()
          .then((limit) => res.json(limit), next),
    );
    const agent = browser();
    await signIn(agent, provider, { as: 'verified' });
    for (let login = 0; login < 2; login += 1) {
      expect((await signIn(browser(), provider, { as: 'verified' })).status).toBe(503);
    }
    expect(requestsTo(PROFILE).map(({ status }) => status)).toEqual([200, 429, 429]);
    await signIn(browser(), provider, { as: 'connected' });
    expect(requestsTo(PROFILE).map(({ status }) => status)).toEqual([200, 429, 429, 200]);
    expect((await agent.get('/limit').expect(200)).body).toMatchObject({ remaining: 0 });
  });
});

describe('a resource API that sends no response', () => {
  const TIMEOUT_MS = 60_000;
  afterEach(() => void jest.restoreAllMocks());

  /** Accepts connections, and never responds: each request reaches its time limit when it has arrived. */
  async function silentAPI(): Promise<{ url: string; requests: () => number }> {
    let requests = 0;
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const server = createServer(() => {
      requests += 1;
      timers.mock.calls.findLast(([, ms]) => ms === TIMEOUT_MS)?.[0]();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
  }

  test('does not stop sign-ins in the openid flow and refreshes, and is not called for every page', async () => {
    const silent = await silentAPI();
    const { browser, clinician, app } = await start({ apiURL: silent.url, timeout: TIMEOUT_MS });
    app.post('/refresh', async (req, res) => {
      await clinician.grant(req).refresh();
      res.send('refreshed');
    });
    for (let login = 0; login < 7; login += 1) await signIn(browser(), provider, { as: 'verified' });
    expect(silent.requests()).toBe(5);
    const agent = browser();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/').expect('in');
    await agent.post('/refresh').expect('refreshed');
    for (let view = 0; view < 10; view += 1) {
      const { body } = await agent.get('/notes').set('Accept', 'application/json').expect(503);
      expect(body).toMatchObject({ code: 'api_not_responding', retryable: true });
    }
    expect(silent.requests()).toBe(5);
  });
});

test('a resource API that sends no response ends profile flow sign-ins at once, with its own page', async () => {
  let requests = 0;
  const { browser } = await start({
    flow: 'profile',
    fetch: async (url, init) => {
      if (!url.endsWith(PROFILE)) return provider.fetch(url, init as RequestInit);
      requests += 1;
      throw new Error('ECONNRESET');
    },
  });
  const texts: string[] = [];
  for (let login = 0; login < 7; login += 1) {
    const page = await signIn(browser().set(navigation), provider, { as: 'verified' });
    expect(page.status).toBe(503);
    texts.push(page.text);
  }
  expect(requests).toBe(5);
  expect(texts[4]).toContain('service_unreachable');
  expect(texts[5]).toContain('api_not_responding');
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

  test.each(['', null, true, ['a@b.example'], { address: 'a@b.example' }])(
    'is not granted where the profile has the email %j',
    async (email) => {
      const fetch: Fetch = async (url, init) => {
        const response = await provider.fetch(url, init as RequestInit);
        if (!url.endsWith(PROFILE)) return response;
        return Response.json({ ...((await response.json()) as object), email });
      };
      const { browser } = await start({ flow: 'profile', fetch });
      const agent = browser();
      await signIn(agent, provider, { as: 'verified' });
      expect((await agent.get('/me')).body.scope).toEqual(['basic', 'colleagues']);
    },
  );
});
