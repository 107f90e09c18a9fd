import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type SiteOptions, signedInAt, siteFor } from './site.js';

const HOUR_MS = 3_600_000;

let provider: MockProvider;
beforeEach(async () => {
  provider = await startMockProvider({ lifetimes: { accessToken: '30 days' } });
});
afterEach(() => provider.stop());

const storedIn = (sessions: object) => (sessions as { sessions: Record<string, string> }).sessions;
const contentsOf = (sessions: object) => Object.values(storedIn(sessions)).join();

async function signedIn(options: SiteOptions) {
  let now = provider.clock.now();
  const events: ClinicianEvent[] = [];
  const onEvent = (event: ClinicianEvent) => void events.push(event);
  const site = siteFor(provider, { clock: { now: () => now }, onEvent, ...options });
  const agent = await signedInAt(site.app, provider);
  const advance = (hours: number) => (now += hours * HOUR_MS);
  /** Uses the login, which is recorded. */
  async function use(): Promise<void> {
    await agent.get('/me').expect(200);
    expect(contentsOf(site.sessions)).toContain(`\\"usedAt\\":${now}`);
  }
  return { ...site, agent, events, advance, use };
}

describe('a login', () => {
  test.each<[name: string, options: SiteOptions, hours: number]>([
    ['24 hours by default', {}, 24],
    ['idleTimeout', { idleTimeout: 2 * HOUR_MS }, 2],
  ])('that is not used for %s ends', async (_, options, hours) => {
    const { agent, advance, use } = await signedIn(options);
    advance(hours * 0.9);
    await use();
    advance(hours * 0.9);
    await use();
    advance(hours + 0.01);
    await agent.get('/me').expect(401);
    await agent.get('/').expect(200, 'out');
  });

  test.each<[name: string, options: SiteOptions, days: number]>([
    ['7 days by default', {}, 7],
    ['absoluteTimeout', { absoluteTimeout: 48 * HOUR_MS }, 2],
  ])('that is used ends after %s', async (_, options, days) => {
    const { agent, advance, use } = await signedIn(options);
    for (let day = 1; day <= days; day += 1) {
      advance(23.9);
      await use();
    }
    advance(0.1 * days + 0.01);
    await agent.get('/me').expect(401);
  });

  test('that has expired is revoked, erased and reported once, and its session is replaced', async () => {
    const { agent, advance, events, sessions } = await signedIn({ idleTimeout: HOUR_MS });
    const [before] = Object.keys(storedIn(sessions));
    advance(1.01);
    const responses = await Promise.all([agent.get('/me'), agent.get('/me'), agent.get('/me')]);
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(events.filter(({ name }) => name === 'login_ended')).toMatchObject([
      { code: 'login_expired', level: 'info' },
    ]);
    await provider.requests.waitFor(({ path }) => path === '/oauth/revoke', { timeout: '1 minute' });
    expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toHaveLength(1);
    expect(storedIn(sessions)).not.toHaveProperty([String(before)]);
  });

  test('without limits does not end, and no request writes its session', async () => {
    const { agent, advance, sessions } = await signedIn({ idleTimeout: Infinity, absoluteTimeout: Infinity });
    const before = contentsOf(sessions);
    advance(28 * 24);
    await agent.get('/me').expect(200);
    expect(contentsOf(sessions)).toBe(before);
  });

  test('records its use before a slow request is handled, so that the data of another request remains', async () => {
    const { app, agent, advance, sessions } = await signedIn({ idleTimeout: HOUR_MS });
    let isReceived: () => void = () => undefined;
    let respond: () => void = () => undefined;
    const received = new Promise<void>((resolve) => {
      isReceived = resolve;
    });
    app.get('/slow', (_req, res) => {
      respond = () => void res.send('slow');
      isReceived();
    });
    app.post('/cart', (req, res) => void res.send(Object.assign(req.session, { cart: 'filled' })));
    advance(0.5);
    const slow = agent.get('/slow').then(({ status }) => status);
    await received;
    await agent.post('/cart').expect(200);
    respond();
    expect(await slow).toBe(200);
    expect(contentsOf(sessions)).toContain('filled');
  });
});
