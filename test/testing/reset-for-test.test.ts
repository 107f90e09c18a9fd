import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ClinicianEvent, isClinicianError } from 'passport-clinician';
import { resetForTest } from 'passport-clinician/testing';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { provider } from '../helpers/provider.js';
import { type Site, type SiteOptions, siteFor } from '../integration/site.js';
import { strategySite } from '../integration/strategy-site.js';

const PROFILE = '/api/v1/users/current';

let site: Site;
let agent: ReturnType<typeof supertest.agent>;
let events: ClinicianEvent[];

/** Signs in at a site with a frozen clock, so that nothing is checked again by itself. */
async function open(options: SiteOptions = {}): Promise<void> {
  provider.clock.freeze();
  events = [];
  site = siteFor(provider, { clock: provider.clock, onEvent: (event) => events.push(event), ...options });
  site.app.get(
    '/internists',
    site.clinician.requireProfile(({ specialty }) => specialty === 'Internal Medicine'),
    (_req, res) => res.send(),
  );
  site.app.use(site.clinician.errorHandler());
  agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
}

const requestsTo = (path: string) => provider.requests.filter((request) => request.path === path).length;
const profile = () => agent.get('/profile').set('Accept', 'application/json');
const codes = (name: ClinicianEvent['name']) => events.filter((event) => event.name === name).map(({ code }) => code);

describe('resetForTest() removes', () => {
  beforeEach(() => open());
  afterEach(() => site.clinician.close());

  test('the budget of a user: after a 429 the next request is sent', async () => {
    provider.faults.next('rateLimited');
    await profile().expect(503);
    const sent = requestsTo(PROFILE);
    expect((await profile().expect(503)).body.code).toBe('rate_limited');
    expect(requestsTo(PROFILE)).toBe(sent);
    resetForTest(site.clinician);
    await profile().expect(200);
  });

  test('the open circuit breaker of the API', async () => {
    provider.blacklist(provider.clients.openid.clientID);
    for (let call = 0; call < 5; call += 1) await profile().expect(503);
    provider.unblacklist(provider.clients.openid.clientID);
    expect((await profile().expect(503)).body.code).toBe('api_not_responding');
    resetForTest(site.clinician);
    await profile().expect(200);
  });

  test('the back-off after failed refreshes', async () => {
    provider.expireGrants({ username: 'verified', tokens: 'access' });
    provider.faults.always('unavailable');
    for (let call = 0; call < 3; call += 1) await profile().expect(503);
    provider.faults.clear();
    await profile().expect(503);
    resetForTest(site.clinician);
    await profile().expect(200);
  });

  test('the cached metadata, keys and profiles', async () => {
    const paths = ['/.well-known/openid-configuration', '/.well-known/jwks.json'];
    const before = paths.map(requestsTo);
    await signIn(agent, provider, { as: 'verified' });
    expect(paths.map(requestsTo)).toEqual(before);
    await profile().expect(200);
    expect(provider.requests.at(-1)).toMatchObject({ path: PROFILE, status: 304 });
    resetForTest(site.clinician);
    await profile().expect(200);
    expect(provider.requests.at(-1)).toMatchObject({ path: PROFILE, status: 200 });
    await signIn(agent, provider, { as: 'verified' });
    expect(paths.map(requestsTo)).toEqual(before.map((count) => count + 1));
  });

  test('the results of guards: a sign-out by revoked grants is seen at once, and reported', async () => {
    provider.revokeGrants({ username: 'verified' });
    await agent.get('/notes').expect(200);
    resetForTest(site.clinician);
    await agent.get('/notes').expect(401);
    expect(codes('login_ended')).toEqual(['invalid_grant']);
    await agent.get('/me').expect(401);
  });

  test('the results of conditions on the profile', async () => {
    await agent.get('/internists').expect(200);
    provider.clinicians.update('verified', { specialty: 'Cardiology' });
    await agent.get('/internists').expect(200);
    resetForTest(site.clinician);
    await agent.get('/internists').expect(403);
    provider.clinicians.update('verified', { specialty: 'Internal Medicine' });
  });

  test('the outages in progress, without an event: the next failure starts one again', async () => {
    provider.faults.always('providerDown');
    await profile().expect(503);
    await profile().expect(503);
    expect(codes('outage_started')).toEqual(['service_error']);
    resetForTest(site.clinician);
    await profile().expect(503);
    expect(codes('outage_started')).toEqual(['service_error', 'service_error']);
    expect(codes('outage_ended')).toEqual([]);
  });
});

describe('resetForTest()', () => {
  test('keeps the user signed in, with the tokens', async () => {
    await open();
    const requests = requestsTo('/oauth/token');
    resetForTest(site.clinician);
    await agent.get('/me').expect(200);
    await agent.get('/notes').expect(200);
    expect(requestsTo('/oauth/token')).toBe(requests);
  });

  test('is not a member of the instance', async () => {
    await open();
    const names = new Set<string>();
    for (const name in site.clinician) names.add(name);
    expect([...names, ...Object.getOwnPropertyNames(site.clinician)].filter((name) => /reset/i.test(name))).toEqual([]);
    expect(Object.getOwnPropertySymbols({ ...site.clinician })).toEqual([]);
  });

  test('resets a ClinicianStrategy, and the strategy of clinicianLogin()', async () => {
    provider.clock.freeze();
    const { app, clinician: strategy } = strategySite(provider, { clock: provider.clock });
    const browser = supertest.agent(app);
    await signIn(browser, provider, { as: 'verified' });
    await browser.get('/notes').expect(200);
    provider.revokeGrants({ username: 'verified' });
    await browser.get('/notes').expect(200);
    resetForTest(strategy);
    await browser.get('/notes').expect(401);

    await open();
    await agent.get('/notes').expect(200);
    provider.revokeGrants({ username: 'verified' });
    resetForTest(site.clinician.strategy);
    await agent.get('/notes').expect(401);
  });

  test.each([undefined, null, {}, () => undefined, 'clinician'])('refuses %p, and says what to pass', (wrong) => {
    expect(codeOf(() => resetForTest(wrong as object))).toEqual([
      'argument_invalid',
      expect.stringContaining('clinicianLogin()'),
    ]);
  });

  test('is refused with NODE_ENV=production', async () => {
    await open();
    const refused = ['test_only', expect.stringContaining('NODE_ENV')];
    for (const environment of ['production', 'Production '])
      await withNodeEnv(environment, () => expect(codeOf(() => resetForTest(site.clinician))).toEqual(refused));
  });
});

function codeOf(call: () => void): [code: string, message: string] | undefined {
  try {
    call();
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    return [error.code, error.message];
  }
  return undefined;
}
