import { expect, test } from '@jest/globals';
import type supertest from 'supertest';
import { type ClinicianEvent, deny } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { sameOriginForm, signedInAt, siteFor } from './site.js';

/** Ends logins in every way while the service revokes no token. */
async function siteWithWaitingRevocations(flow: 'openid' | 'profile') {
  const events: ClinicianEvent[] = [];
  const denied = new Set<string>();
  const onSignIn = ({ identity: { id } }: { identity: { id: string } }) => (denied.has(id) ? deny('not here') : { id });
  const { app, clinician } = siteFor(provider, { flow, onSignIn, onEvent: (event) => void events.push(event) });
  app.post('/revoke', async (req, res) => void res.json(await clinician.grant(req).revoke()));
  const signedIn = async (as: string) => {
    return await signedInAt(app, provider, as);
  };
  provider.faults.always('unavailable', { endpoint: '/oauth/revoke' });

  const first = await signedIn('verified');
  denied.add(await userOf(first));
  await first.post('/auth/logout').set(sameOriginForm);
  // A sign-in that the site denies, and one whose ID Token is not valid.
  await signedIn('verified');
  if (flow === 'openid') {
    provider.faults.next('wrongIssuer');
    await signedIn('verified');
  }
  await (await signedIn('pending')).post('/auth/forget').set(sameOriginForm).expect(303);
  await (await signedIn('connected')).post('/revoke').expect(200);
  // A login that replaces another one, and all logins of a user.
  const again = await signedIn('minimal');
  await signIn(again, provider, { as: 'minimal' });
  await clinician.forget(await userOf(again));
  return { clinician, events, waiting: flow === 'openid' ? 7 : 6 };
}

async function userOf(agent: ReturnType<typeof supertest.agent>): Promise<string> {
  return (await agent.get('/me').expect(200)).body.user.id;
}

test.each(['openid', 'profile'] as const)(
  'close() revokes each token that waits once more, in the %s flow',
  async (flow) => {
    const { clinician, events, waiting } = await siteWithWaitingRevocations(flow);
    expect(await clinician.health()).toMatchObject({ ok: true, waitingRevocations: waiting });
    provider.faults.clear();
    await clinician.close();
    expect(events.map(({ name }) => name)).not.toContain('revocation_failed');
    expect(provider.revokeGrants({ clientID: provider.clients[flow].clientID })).toBe(0);
    expect(await clinician.health()).not.toHaveProperty('waitingRevocations');
  },
);

test('close() reports each token that the service still does not revoke, with the grant of its login', async () => {
  const { clinician, events, waiting } = await siteWithWaitingRevocations('openid');
  await clinician.close();
  const failed = events.filter(({ name }) => name === 'revocation_failed');
  expect(failed).toHaveLength(waiting);
  expect(failed.filter(({ grantID }) => grantID !== undefined)).toHaveLength(waiting - 2);
  expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['service_error']));
});
