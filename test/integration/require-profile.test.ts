import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { ClinicianEvent, ClinicianProfile } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { shortenSiteTimeout } from '../helpers.js';
import { navigation, type SiteOptions, signedInAt, siteFor } from './site.js';

const PROFILE_PATH = '/api/v1/users/current';
const profileRequests = () => provider.requests.filter(({ path }) => path === PROFILE_PATH);
const restore = () => {
  jest.restoreAllMocks();
  provider.clinicians.update('verified', { specialty: 'Cardiology' });
};
beforeAll(restore);
afterEach(restore);

const cardiology = (profile: ClinicianProfile) => profile.specialty === 'Cardiology';

async function siteWith(
  condition: (profile: ClinicianProfile) => boolean | Promise<boolean>,
  { as, message, ...options }: SiteOptions & { message?: string; as?: string } = {},
) {
  const events: ClinicianEvent[] = [];
  let now = provider.clock.now();
  const clock = { now: () => now };
  const site = siteFor(provider, { clock, onEvent: (event) => events.push(event), ...options });
  const guard = site.clinician.requireProfile(condition, message === undefined ? {} : { message });
  site.app.get('/cardiology', guard, (_req, res) => void res.send('for cardiologists'));
  const agent = await signedInAt(site.app, provider, as);
  return { ...site, agent, events, advance: (ms: number) => (now += ms) };
}

test.each(['openid', 'profile'] as const)(
  'a user whose profile does not meet the condition is refused with the message: %s flow',
  async (flow) => {
    const message = 'This page is for cardiologists.';
    const { agent } = await siteWith(cardiology, { flow, message, as: 'minimal' });
    expect((await agent.get('/cardiology').set(navigation).expect(403)).text).toContain(message);
    const { body } = await agent.get('/cardiology').expect(403);
    expect(body).toMatchObject({ code: 'profile_refused', detail: message });
  },
);

test.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', () => Promise.reject(new Error('the database is down'))],
  ['does not decide within 30 seconds', () => new Promise<never>(() => undefined)],
])('a condition that %s lets no user through, and is reported', async (_, condition) => {
  const { agent, events } = await siteWith(condition);
  shortenSiteTimeout();
  const { body } = await agent.get('/cardiology').expect(500);
  expect(body.code).toBe('site_error');
  expect(events).toContainEqual(expect.objectContaining({ name: 'request_failed', code: 'site_error' }));
});

test('the profile of a user who meets the condition is read again after recheckAfter, and with If-None-Match', async () => {
  const { agent, advance } = await siteWith(cardiology);
  await agent.get('/cardiology').expect(200, 'for cardiologists');
  const before = profileRequests().length;
  await agent.get('/cardiology').expect(200);
  expect(profileRequests()).toHaveLength(before);
  advance(5 * 60 * 1000);
  await agent.get('/cardiology').expect(200);
  expect(profileRequests()).toHaveLength(before + 1);
  expect(profileRequests().at(-1)?.status).toBe(304);
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

test('two guards with other conditions do not share their results; a promise of false refuses', async () => {
  const { agent, app, clinician } = await siteWith(cardiology);
  app.get(
    '/dermatology',
    clinician.requireProfile(async ({ specialty }) => specialty === 'Dermatology'),
  );
  await agent.get('/cardiology').expect(200);
  await agent.get('/dermatology').expect(403);
});

test('without the service no user is let through whose profile is not known', async () => {
  const { agent } = await siteWith(cardiology);
  provider.faults.always('serverError', { endpoint: PROFILE_PATH });
  await agent.get('/cardiology').expect(503);
});
