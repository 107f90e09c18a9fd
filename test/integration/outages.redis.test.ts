import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import session from 'express-session';
import { RedisTokenStore } from 'passport-clinician/redis';
import supertest, { type Agent } from 'supertest';
import { createFetch } from '../../lib/http/http.js';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { freePort } from '../helpers/free-port.js';
import { codesPrintedBy } from '../helpers/warnings.js';
import { siteFor } from './site.js';

const REQUESTS = 20;
/** For a service or a store that does not respond. */
const SHORT_MS = 1_000;
/** Longer than a test may take. */
const LONG_MS = 150_000;

/** Returns a listener, and the lines of a log with the level info. */
function createLog() {
  const events: ClinicianEvent[] = [];
  const lines: string[] = [];
  const log = {
    debug: () => undefined,
    info: (event: ClinicianEvent) => lines.push(`info ${event.message}`),
    warn: (event: ClinicianEvent) => lines.push(`warn ${event.message}`),
    error: (event: ClinicianEvent) => lines.push(`error ${event.message}`),
  };
  const onEvent = (event: ClinicianEvent) => {
    events.push(event);
    log[event.level](event);
  };
  return { events, lines, onEvent };
}

async function flood(send: () => Promise<{ status: number }>): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: REQUESTS }, send));
  return [...new Set(responses.map(({ status }) => status))];
}

/** Repeats a request until it succeeds, and then waits for the event of the end. */
async function recover(send: () => Promise<{ status: number }>, hasEnded: () => boolean): Promise<void> {
  while ((await send()).status >= 500) await pause(20);
  while (!hasEnded()) await pause(50);
}

/** Responds with the status of an error, without a log line. */
const statusOnly: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status).end();

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('an outage of the service', () => {
  let provider: MockProvider;
  let port: number;
  const restart = () =>
    startMockProvider({ port }).then((started) => {
      provider = started;
    });
  beforeAll(async () => {
    port = (await freePort()) as number;
    await restart();
  });
  afterAll(() => provider.stop());

  test('is one event at its start and one at its end, for 20 failed sign-ins', async () => {
    const { events, lines, onEvent } = createLog();
    const { app } = siteFor(provider, { onEvent });
    await provider.stop();
    const stoppedAt = Date.now();
    expect(await flood(() => supertest(app).get('/auth/login'))).toEqual([503]);
    expect(lines).toEqual([
      `warn An outage of the service has started. ${provider.issuer} cannot be reached (ECONNREFUSED). Retry later.`,
    ]);
    const failures = events.filter(({ name }) => name === 'sign_in_failed');
    expect(failures.map(({ level, code }) => `${level} ${code}`)).toEqual(
      Array(REQUESTS).fill('debug service_unreachable'),
    );
    await restart();
    await recover(
      () => supertest(app).get('/auth/login'),
      () => lines.length > 1,
    );
    const ended = events.at(-1) as ClinicianEvent;
    expect(ended).toMatchObject({ name: 'outage_ended', level: 'warn', part: 'service', origin: provider.issuer });
    expect(ended.durationMs).toBeLessThanOrEqual(Date.now() - stoppedAt);
    expect(ended.failures).toBeGreaterThanOrEqual(1);
    expect(lines).toHaveLength(2);
  });

  test('that sends no response is one event, for 20 calls of the resource API', async () => {
    const { lines, onEvent } = createLog();
    let isSilent = false;
    // Only the requests without a response have the short time limit.
    const [send, sendShort] = [createFetch(), createFetch({ timeout: SHORT_MS })];
    const site = siteFor(provider, { onEvent, fetch: (...request) => (isSilent ? sendShort : send)(...request) });
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    lines.length = 0;
    provider.faults.always('noResponse', { endpoint: '/api/v1/users/current' });
    isSilent = true;
    site.app.use(statusOnly);
    expect(await flood(() => agent.get('/profile'))).toEqual([503]);
    expect(lines).toEqual([expect.stringMatching(/^warn An outage of the service has started\. .* did not respond/)]);
    provider.reset();
  });

  test('without onEvent is printed once, at its start', async () => {
    const { app } = siteFor(provider);
    await provider.stop();
    try {
      const codes = await codesPrintedBy(() => flood(() => supertest(app).get('/auth/login')));
      expect(codes).toEqual(['outage_started']);
    } finally {
      await restart();
    }
  });

  test('does not hide another failure', async () => {
    const { lines, onEvent } = createLog();
    const site = siteFor(provider, { onEvent, onSignIn: () => Promise.reject(new Error('the database is down')) });
    const agent = supertest.agent(site.app);
    provider.faults.always('serverError', { endpoint: '/api/v1/users/current' });
    await signIn(agent, provider, { as: 'verified' });
    expect(lines).toEqual([
      expect.stringMatching(/^warn An outage of the service has started\. .* returned the HTTP status 5/),
      "error A sign-in failed. The site's own code failed.",
    ]);
  });
});

describe('an outage of a store', () => {
  let provider: MockProvider;
  let redis: RedisServer;
  beforeAll(async () => {
    [provider, redis] = await Promise.all([startMockProvider(), startRedis()]);
  });
  afterAll(() => Promise.all([provider.stop(), redis.dispose()]));

  /** @returns a signed-in browser at a process with a short time limit. The sign-in is at another one: it may take longer. */
  async function signedIn(onEvent: (event: ClinicianEvent) => void): Promise<Agent> {
    const client = await redis.client();
    const store = new session.MemoryStore();
    const browserAt = (timeout: number) => {
      const tokenStore = new RedisTokenStore({ client, timeout });
      const { app, clinician } = siteFor(provider, { onEvent, tokenStore, session: { store } });
      app.get('/always', clinician.requireLogin({ recheckAfter: 0 }), (_req, res) => void res.send('in'));
      return supertest.agent(app);
    };
    const [before, agent] = [browserAt(LONG_MS), browserAt(SHORT_MS)];
    await signIn(before, provider, { as: 'verified' });
    agent.jar = before.jar;
    return agent;
  }

  test.each([
    ['stopped', 'cannot be reached'],
    ['suspended', 'did not reply in time'],
  ] as const)('a %s Redis is one event at its start and one at its end', async (kind, reason) => {
    const { events, lines, onEvent } = createLog();
    const agent = await signedIn(onEvent);
    lines.length = 0;
    if (kind === 'stopped') await redis.stop();
    else redis.freeze();
    expect(await flood(() => agent.get('/always'))).toEqual([503]);
    expect(lines).toEqual([`warn An outage of the token store has started. Redis ${reason}. Retry later.`]);
    if (kind === 'stopped') await redis.start();
    else redis.thaw();
    await recover(
      () => agent.get('/always'),
      () => lines.length > 1,
    );
    expect(events.at(-1)).toMatchObject({ name: 'outage_ended', part: 'token store', failures: expect.any(Number) });
    expect(lines).toHaveLength(2);
  });

  test('a session store that fails is one event', async () => {
    const { lines, onEvent } = createLog();
    const store = new session.MemoryStore();
    const site = siteFor(provider, { onEvent, scope: 'openid', session: { store } });
    store.set = (_id, _session, done) => done?.(new Error('the store is full'));
    await flood(() => signIn(supertest.agent(site.app), provider, { as: 'verified' }));
    expect(lines).toEqual([
      'warn An outage of the session store has started. The session could not be saved. Try again in a moment.',
    ]);
  });
});
