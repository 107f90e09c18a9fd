import { channel, tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent, ClinicianTrace } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteOf } from './login-paths.js';
import { siteFor } from './site.js';

const OPERATIONS = ['sign-in', 'token-request', 'refresh', 'profile-request', 'guard'] as const;
const CHANNELS = OPERATIONS.map((operation) =>
  tracingChannel<object, ClinicianTrace>(`passport-clinician:${operation}`),
);
const EVENTS = channel('passport-clinician:event');

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => {
  provider.reset();
  for (const stop of subscriptions.splice(0)) stop();
});
afterAll(() => provider.stop());

const subscriptions: (() => void)[] = [];

/** Subscribes to every tracing channel. Returns the messages as they are at their publication. */
function record(): { step: string; message: ClinicianTrace }[] {
  const published: { step: string; message: ClinicianTrace }[] = [];
  for (const channels of CHANNELS) {
    const steps = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;
    const handlers = Object.fromEntries(
      steps.map((step) => [step, (message: ClinicianTrace) => void published.push({ step, message: { ...message } })]),
    ) as never;
    channels.subscribe(handlers);
    subscriptions.push(() => channels.unsubscribe(handlers));
  }
  return published;
}

describe('the tracing channels', () => {
  test.each(['openid', 'profile'] as const)(
    'have the durations of a sign-in and a refresh in the %s flow',
    async (flow) => {
      const published = record();
      const site = siteFor(provider, { flow, clock: provider.clock });
      const agent = supertest.agent(site.app);
      await signIn(agent, provider, { as: 'verified' });
      provider.clock.advance('2 hours');
      await agent.get('/profile').expect(200);
      const ended = published.filter(({ message }) => message.durationMs !== undefined);
      expect(new Set(ended.map(({ message }) => message.operation))).toEqual(new Set(OPERATIONS));
      expect(ended.filter(({ message }) => !((message.durationMs as number) >= 0))).toEqual([]);
      const kinds = published
        .filter(({ step }) => step === 'start')
        .map(({ message: { operation, kind } }) => `${operation} ${kind}`);
      expect(kinds).toEqual([
        ...['sign-in page', 'token-request authorization_code', 'profile-request undefined'],
        ...['guard requireLogin', 'profile-request undefined', 'refresh undefined', 'token-request refresh_token'],
      ]);
      const steps = published.filter(({ message }) => message.operation === 'sign-in').map(({ step }) => step);
      expect(steps).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    },
  );

  test('publish a guard that needs no I/O without a promise, and the code of its refusal', async () => {
    const published = record();
    const site = siteFor(provider);
    await supertest(site.app).get('/me').expect(401);
    expect(published.map(({ step }) => step)).toEqual(['start', 'end']);
    expect(published[1]?.message).toEqual({
      ...{ operation: 'guard', flow: 'openid', kind: 'requireLogin', code: 'sign_in_required' },
      durationMs: expect.any(Number),
    });
  });

  test('publish an error with its code and message, and without its cause', async () => {
    const published = record();
    const onSignIn = () => Promise.reject(Object.assign(new Error('planted'), { connection: 'planted' }));
    await signIn(supertest.agent(siteFor(provider, { onSignIn, onEvent: () => undefined }).app), provider, {
      as: 'verified',
    });
    const [error] = published.filter(({ step }) => step === 'error');
    expect(error?.message).toMatchObject({
      ...{ operation: 'sign-in', code: 'unknown' },
      error: { name: 'Error', message: "The site's own code threw an error.", code: 'unknown' },
    });
    expect(inspect(published, { depth: Number.POSITIVE_INFINITY })).not.toContain('planted');
  });

  test.each(['drop-in', 'Passport first'] as const)('publish a login by %s', async (path) => {
    const published = record();
    const site = siteOf(provider, path, { onEvent: () => undefined });
    await signIn(supertest.agent(site.app), provider, { as: 'verified' });
    const names = published.filter(({ step }) => step === 'asyncEnd').map(({ message }) => message.operation);
    expect(names).toEqual(expect.arrayContaining(['token-request', 'sign-in']));
  });
});

describe('the event channel', () => {
  test('has the same events as onEvent, in objects of their own', async () => {
    const [received, published]: ClinicianEvent[][] = [[], []];
    const listener = (event: unknown) => void published?.push(event as ClinicianEvent);
    EVENTS.subscribe(listener);
    subscriptions.push(() => EVENTS.unsubscribe(listener));
    const onEvent = (event: ClinicianEvent) => void received?.push(event);
    await signIn(supertest.agent(siteFor(provider, { onEvent }).app), provider, { as: 'verified' });
    expect(published?.map(({ name }) => name)).toEqual(['sign_in_started', 'signed_in']);
    expect(published).toEqual(received);
    expect(published?.filter((event, index) => event === received?.[index])).toEqual([]);
  });
});

test('a listener that never settles, or changes its event, does not delay or change a sign-in', async () => {
  const onEvent = (event: ClinicianEvent) => {
    for (const member of Object.keys(event)) delete (event as never)[member];
    return new Promise(() => undefined);
  };
  const agent = supertest.agent(siteFor(provider, { onEvent }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test('console receives every event by its level', async () => {
  const methods = (['debug', 'info', 'warn', 'error'] as const).map((level) =>
    jest.spyOn(console, level).mockImplementation(() => undefined),
  );
  try {
    const onEvent = (event: ClinicianEvent) => console[event.level](event);
    const agent = supertest.agent(siteFor(provider, { onEvent }).app);
    await signIn(agent, provider, { as: 'verified' });
    await signIn(supertest.agent(siteFor(provider, { onEvent }).app), provider, { as: 'connected', deny: true });
    const counts = methods.map((method) => method.mock.calls.length);
    expect(counts).toEqual([2, 2, 0, 0]);
  } finally {
    for (const method of methods) method.mockRestore();
  }
});
