import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type ClinicianEvent, deny, type TokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type Site, sameOriginForm, siteFor } from './site.js';

/** Ends logins in every way while the service revokes no token, with restarts of the site. */
export function testRepeatedRevocations(storeName: string, open: () => Promise<TokenStore>): void {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider();
  });
  afterEach(() => provider.reset());
  afterAll(() => provider.stop());

  describe.each(['openid', 'profile'] as const)(`with ${storeName}, in the %s flow`, (flow) => {
    const events: ClinicianEvent[] = [];
    const namesOf = () => events.map(({ name }) => name);
    const denied = new Set<string>();
    let tokenStore: TokenStore;

    function start(): Site {
      const onEvent = (event: ClinicianEvent) => events.push(event);
      const onSignIn = ({ identity: { id } }: { identity: { id: string } }) =>
        denied.has(id) ? deny('not here') : { id };
      const options = { flow, tokenStore, onEvent, onSignIn, clock: provider.clock, maxLoginsPerUser: 2 };
      const site = siteFor(provider, options);
      site.app.post('/revoke', async (req, res) => void res.json(await site.clinician.grant(req).revoke()));
      return site;
    }

    /** Uses the tokens of the site, and then stops it, with all that is in progress. */
    async function restart({ clinician }: Site): Promise<Site> {
      await clinician.health();
      await clinician.close();
      return start();
    }

    test('no token is valid after an hour in which the service revokes none', async () => {
      tokenStore = await open();
      let site = start();
      provider.faults.always('revocationFails');

      const signedIn = async (as: string) => {
        const agent = supertest.agent(site.app);
        await signIn(agent, provider, { as });
        return agent;
      };
      const first = await signedIn('verified');
      denied.add(await userOf(first));
      await first.post('/auth/logout').set(sameOriginForm);
      // A sign-in that the site denies, and one whose ID Token is not valid.
      await signIn(supertest.agent(site.app), provider, { as: 'verified' });
      if (flow === 'openid') {
        provider.faults.next('wrongIssuer');
        await signIn(supertest.agent(site.app), provider, { as: 'verified' });
      }
      await (await signedIn('pending')).post('/auth/forget').set(sameOriginForm).expect(303);
      await (await signedIn('connected')).post('/revoke').expect(200);
      // A login that replaces another one, one above the limit, and all others of a user.
      await signIn(await signedIn('minimal'), provider, { as: 'minimal' });
      await signedIn('minimal');
      await site.clinician.forget(await userOf(await signedIn('minimal')));
      site = await restart(site);
      // The process finds what the one before has left.
      await restart(site);
      const waiting = flow === 'openid' ? 9 : 8;
      expect(await site.clinician.health()).toMatchObject({ ok: true, waitingRevocations: waiting });
      site = start();

      for (let minutes = 0; minutes < 60; minutes += 5) {
        provider.clock.advance('5 minutes');
        site = await restart(site);
      }
      expect(namesOf()).not.toContain('revoked_late');
      provider.faults.clear();
      provider.clock.advance('5 minutes');
      site = await restart(site);
      expect(namesOf().filter((name) => name === 'revoked_late')).toHaveLength(waiting);
      expect(provider.revokeGrants({ clientID: provider.clients[flow].clientID })).toBe(0);
      expect(await site.clinician.health()).not.toHaveProperty('waitingRevocations');
      await site.clinician.close();
    });
  });
}

async function userOf(agent: ReturnType<typeof supertest.agent>): Promise<string> {
  return (await agent.get('/me').expect(200)).body.user.id;
}
