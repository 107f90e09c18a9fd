import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { ClinicianEvent, ClinicianProfile } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { shortenSiteTimeout } from '../helpers.js';
import { navigation, type SiteOptions, signedInAt, siteFor } from './site.js';

const PROFILE_PATH = '/api/v1/users/current';
const profileRequests = () => provider.requests.filter(({ path }) => path === PROFILE_PATH).length;
const restore = () => {
  jest.restoreAllMocks();
  provider.clinicians.update('verified', { specialty: 'Cardiology' });
  provider.clinicians.update('pending', { verified: false });
};
beforeAll(restore);
afterEach(restore);

const cardiology = (profile: ClinicianProfile) => profile.specialty === 'Cardiology';

async function siteWith(
  condition: (profile: ClinicianProfile) => boolean | Promise<boolean>,
  options: SiteOptions & { message?: string; as?: string } = {},
) {
  const { message, as = 'verified', ...siteOptions } = options;
  const events: ClinicianEvent[] = [];
  let now = provider.clock.now();
  const clock = { now: () => now };
  const site = siteFor(provider, { clock, onEvent: (event) => events.push(event), ...siteOptions });
  const guard = site.clinician.requireProfile(condition, message === undefined ? {} : { message });
  site.app.get('/cardiology', guard, (_req, res) => void res.send('for cardiologists'));
  const agent = await signedInAt(site.app, provider, as);
  return { ...site, agent, events, advance: (ms: number) => (now += ms) };
}

describe.each(['openid', 'profile'] as const)('requireProfile() in the %s flow', (flow) => {
  test('lets a user through whose profile meets the condition', async () => {
    const { agent } = await siteWith(cardiology, { flow });
    await agent.get('/cardiology').expect(200, 'for cardiologists');
  });

  test('refuses another user with a page and with a problem document', async () => {
    const message = 'This page is for cardiologists.';
    const { agent } = await siteWith(cardiology, { flow, message, as: 'minimal' });
    const { text } = await agent.get('/cardiology').set(navigation).expect(403);
    expect(text).toContain(message);
    const { body } = await agent.get('/cardiology').expect(403);
    expect(body).toMatchObject({ code: 'profile_refused', detail: message });
  });

  test('refuses a user if the condition does not decide within 30 seconds', async () => {
    const { agent } = await siteWith(() => new Promise(() => undefined), { flow });
    shortenSiteTimeout();
    const { body } = await agent.get('/cardiology').expect(500);
    expect(body.code).toBe('site_error');
  });
});

test.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', () => Promise.reject(new Error('the database is down'))],
])('a condition that %s lets no user through, and is reported', async (_, condition) => {
  const { agent, events } = await siteWith(condition);
  const { body } = await agent.get('/cardiology').expect(500);
  expect(body.code).toBe('site_error');
  expect(events).toContainEqual(expect.objectContaining({ name: 'request_failed', code: 'site_error' }));
});

test('the profile of a user who meets the condition is read again after recheckAfter, and with If-None-Match', async () => {
  const { agent, advance } = await siteWith(cardiology);
  await agent.get('/cardiology').expect(200);
  const before = profileRequests();
  await agent.get('/cardiology').expect(200);
  expect(profileRequests()).toBe(before);
  advance(5 * 60 * 1000);
  await agent.get('/cardiology').expect(200);
  expect(profileRequests()).toBe(before + 1);
  expect(provider.requests.filter(({ path }) => path === PROFILE_PATH).at(-1)?.status).toBe(304);
});

test('a change of the profile is detected: for a refused user at the next request, for another after recheckAfter', async () => {
  const { agent, advance } = await siteWith(cardiology);
  await agent.get('/cardiology').expect(200);
  provider.clinicians.update('verified', { specialty: 'Dermatology' });
  await agent.get('/cardiology').expect(200);
  advance(5 * 60 * 1000);
  await agent.get('/cardiology').expect(403);
  provider.clinicians.update('verified', { specialty: 'Cardiology' });
  await agent.get('/cardiology').expect(200);
});

test('two guards with other conditions do not share their results', async () => {
  const { agent, app, clinician } = await siteWith(cardiology);
  app.get(
    '/dermatology',
    clinician.requireProfile(({ specialty }) => specialty === 'Dermatology'),
  );
  await agent.get('/cardiology').expect(200);
  await agent.get('/dermatology').expect(403);
});

test('a condition may be asynchronous: a promise of false refuses', async () => {
  const { agent } = await siteWith(async () => false);
  await agent.get('/cardiology').expect(403);
});

test('without the service no user is let through whose profile is not known', async () => {
  const { agent } = await siteWith(cardiology);
  provider.faults.always('serverError', { endpoint: PROFILE_PATH });
  await agent.get('/cardiology').expect(503);
});
