import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { deny, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy, withNodeEnv } from '../helpers.js';
import { navigation, type SiteOptions, siteFor } from './site.js';

const printedAt = (environment: string | undefined, run: () => unknown) =>
  withNodeEnv(environment, () => printedBy(run));

describe('a site without onEvent prints', () => {
  const denied =
    (options: SiteOptions = {}) =>
    async () => {
      // In production, a store in memory is reported.
      const tokenStore = Object.assign(new MemoryTokenStore(), { inMemory: false });
      const onSignIn = () => deny('Only for surgeons.\r\npassport-clinician [forged]: all is well \u001b[31m');
      await signIn(supertest.agent(siteFor(provider, { onSignIn, tokenStore, ...options }).app), provider, {
        as: 'verified',
      });
    };
  const DENIAL = 'A sign-in failed. Only for surgeons. passport-clinician [forged]: all is well  [31m';

  test.each(['development', 'test', undefined])(
    'with NODE_ENV=%s its denials, each in one line, and where to look',
    async (name) => {
      expect((await printedAt(name, denied())).join('').split('\n')).toEqual([
        `passport-clinician [sign_in_refused]: ${DENIAL}`,
        'See docs/reference/errors.md#sign_in_refused',
      ]);
    },
  );

  test('a denied consent and a login that has ended', async () => {
    const { app } = siteFor(provider, { scope: 'openid' });
    const agent = supertest.agent(app);
    const printed = await printedAt('development', async () => {
      await signIn(supertest.agent(app), provider, { as: 'verified', deny: true });
      await signIn(agent, provider, { as: 'verified' });
      provider.revokeGrants({ username: 'verified' });
      provider.clock.advance('2 hours');
      await agent.get('/profile').set(navigation);
    });
    expect(printed).toEqual([
      expect.stringMatching(/^passport-clinician \[access_denied\]: A sign-in failed\. /),
      expect.stringMatching(/^passport-clinician \[invalid_grant\]: A login ended without a sign-out\. /),
    ]);
  });

  test.each([
    [86_400, 'id_token_invalid', 'seconds in the future'],
    [-86_400, 'id_token_expired', 'seconds ago'],
  ])('by how much its clock differs: %s seconds', async (difference, code, text) => {
    const site = siteFor(provider, {
      clock: { now: () => Date.now() - difference * 1000 },
      tokenStore: new MemoryTokenStore(),
    });
    const printed = await printedAt('test', () => signIn(supertest.agent(site.app), provider, { as: 'verified' }));
    expect(printed).toEqual([
      expect.stringMatching(new RegExp(`\\[${code}\\].* \\d{5} ${text} by the clock of this machine`)),
    ]);
  });

  test.each([{}, { onEvent: () => undefined }])(
    'in production too an exception of its own code: %j',
    async (options) => {
      const onSignIn = () => Promise.reject(new Error('the database is down'));
      expect(await printedAt('production', denied({ ...options, onSignIn }))).toEqual([
        expect.stringMatching(/^passport-clinician \[site_error\]: .*\nError: the database is down\n {4}at /),
      ]);
    },
  );

  test('no denials in production, or where it has onEvent', async () => {
    expect(await printedAt('production', denied())).toEqual([]);
    expect(await printedAt('development', denied({ onEvent: () => undefined }))).toEqual([]);
  });
});
