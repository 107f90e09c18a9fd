import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, type SiteOptions, signedInAt, siteFor } from './site.js';

// test/sign-in/identify.test.ts has each case of a sign-in, and test/session/tokens.test.ts the rate limit of a user.

const PROFILE = '/api/v1/users/current';

function site(options: SiteOptions = {}) {
  const events: ClinicianEvent[] = [];
  const { app } = siteFor(provider, { clock: provider.clock, onEvent: (event) => events.push(event), ...options });
  const failures = () => events.filter(({ name }) => name === 'request_failed').map(({ code }) => code);
  return { app, failures };
}

test('a sign-in in the openid flow succeeds without the profile, which a guard reads later', async () => {
  const seen: unknown[] = [];
  const { app, failures } = site({
    onSignIn({ identity, profile }) {
      seen.push(profile);
      return { id: identity.id };
    },
  });
  provider.faults.always('serverError', { endpoint: PROFILE });
  const agent = await signedInAt(app, provider);
  provider.faults.clear();
  const { body } = await agent.get('/me').expect(200);
  expect(body).toMatchObject({ isAuthenticated: true, verified: false, verification: 'unknown' });
  expect(body.identity).not.toHaveProperty('serviceID');
  expect([seen, failures()]).toEqual([[undefined], ['service_error']]);
  expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toEqual([]);
  provider.clock.advance('61 minutes');
  await agent.get('/notes').set(navigation).expect(200, 'notes');
  expect((await agent.get('/me')).body).toMatchObject({ verified: true, verification: 'verified' });
});

test('further sign-ins of a user without requests left send none, and succeed', async () => {
  const { app, failures } = site();
  provider.faults.next('rateLimited', { endpoint: PROFILE });
  for (let login = 0; login < 3; login += 1) await (await signedInAt(app, provider)).get('/').expect('in');
  expect(provider.requests.filter(({ path }) => path === PROFILE)).toHaveLength(1);
  expect(failures()).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
});

test('a sign-in in the profile flow fails with the time of a retry, also when its page is reloaded', async () => {
  provider.clock.freeze();
  provider.clock.set('2026-03-01T13:59:30Z');
  const agent = supertest.agent(site({ flow: 'profile' }).app).set(navigation);
  provider.faults.next('rateLimited', { endpoint: PROFILE });
  const page = await signIn(agent, provider, { as: 'verified' });
  expect([page.status, page.headers['retry-after']]).toEqual([503, '3600']);
  expect(page.text).toContain('<time data-clinician-time datetime="2026-03-01T15:00:00.000Z">15:00</time>');
  provider.clock.advance('4 minutes');
  const again = await agent.get('/auth/callback').set(navigation).expect(503);
  expect(again.headers['retry-after']).toBe('3360');
});
