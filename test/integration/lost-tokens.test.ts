import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { printedBy, withNodeEnv } from '../helpers.js';
import { type SiteOptions, signedInAt, siteFor } from './site.js';

const idOf = (name: string) => provider.clinicians.get(name).sub;

/** A process of a site, which can share its stores with others. The clock is that of the provider. */
function processOf(options: SiteOptions = {}) {
  const events: ClinicianEvent[] = [];
  const onEvent = (event: ClinicianEvent) => events.push(event);
  const { app, clinician } = siteFor(provider, { clock: provider.clock, onEvent, ...options });
  /** @returns the events of logins that ended without a sign-out */
  const endings = () =>
    events
      .filter(({ name }) => name === 'login_ended')
      .map(({ code, level, userID }) => ({ code, level, isUser: userID === idOf('verified') }));
  return { app, clinician, events, endings };
}

type Process = ReturnType<typeof processOf>;

/** @returns a browser whose requests reach the process that `at()` has named last */
function browserAt(...processes: Process[]) {
  let current = processes[0];
  const agent = supertest.agent((req: IncomingMessage, res: ServerResponse) =>
    current?.app(req as never, res as never),
  );
  return (process: Process) => {
    current = process;
    return agent;
  };
}

describe('tokens in the memory of one process', () => {
  test('and a shared session: the other process ends the login, and the event names the cause', async () => {
    const shared = { session: { store: new session.MemoryStore() } };
    const [one, other] = [processOf(shared), processOf(shared)];
    const at = browserAt(one, other);
    await signIn(at(one), provider, { as: 'verified' });
    await at(other).get('/me').expect(401);
    await at(other).get('/me').expect(401);
    expect(other.endings()).toEqual([{ code: 'tokens_in_memory', level: 'error', isUser: true }]);
    expect(other.events.find(({ name }) => name === 'login_ended')?.message).toMatch(/Another process/);
    expect(one.endings()).toEqual([]);
  });

  test.each<[string, () => SiteOptions]>([
    ['the default store', () => ({})],
    ['a MemoryTokenStore', () => ({ tokenStore: new MemoryTokenStore() })],
  ])('in production: %s warns once', async (_name, options) => {
    await withNodeEnv('production', async () => {
      const settings = options();
      const printed = await printedBy(() => {
        siteFor(provider, settings);
        if (settings.tokenStore) siteFor(provider, settings);
      });
      expect(printed).toEqual([
        expect.stringMatching(/^passport-clinician \[memory_token_store\]: .* shared `tokenStore`/),
      ]);
    });
    expect(processOf(options()).events).toEqual([]);
  });
});

describe('a login that ends without a sign-out emits one event with its cause', () => {
  test.each(['profile', 'openid'] as const)('expired, without a refresh token (flow %s)', async (flow) => {
    const site = processOf({ flow });
    const agent = supertest.agent(site.app);
    provider.faults.next('missingRefreshToken');
    await signIn(agent, provider, { as: 'verified' });
    provider.clock.advance('1 hour');
    await Promise.all([agent.get('/profile').expect(401), agent.get('/profile').expect(401)]);
    expect(site.endings()).toMatchObject([{ code: 'refresh_token_missing', level: 'info' }]);
    expect(site.events.filter(({ name }) => name === 'refresh_failed')).toEqual([]);
  });

  test('but none for a sign-out, nor for requests that arrive after it', async () => {
    const site = processOf();
    const agent = await signedInAt(site.app, provider);
    await Promise.all([
      agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin'),
      agent.get('/profile'),
      agent.get('/profile'),
    ]);
    await site.clinician.forget(idOf('verified'));
    expect(site.endings()).toEqual([]);
  });
});
