import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type SiteOptions, signedInAt, siteFor } from './site.js';

const HOUR_MS = 3_600_000;

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ lifetimes: { accessToken: '30 days' } });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

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

// test/session/logins.test.ts has the options.
describe('a login', () => {
  test.each([
    ['that is not used for 24 hours', 1, 24.01],
    ['that is used, after 7 days', 7, 0.72],
  ])('%s ends by default', async (_, days, hours) => {
    const { agent, advance, use } = await signedIn({});
    for (let day = 1; day <= days; day += 1) {
      advance(23.9);
      await use();
    }
    advance(hours);
    await agent.get('/me').expect(401);
    await agent.get('/').expect(200, 'out');
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
