import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { send } from '../wire.js';

let provider: MockProvider;
beforeEach(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.stop());

const LONG = { timeout: '1 minute' };
const isKeys = ({ path }: { path: string }) => path === '/.well-known/jwks.json';

describe('provider.requests.waitFor()', () => {
  test('resolves with a recorded request, and with a later one', async () => {
    await send(provider, '/.well-known/jwks.json');
    expect(await provider.requests.waitFor(isKeys)).toMatchObject({ number: 1 });
    const pending = provider.requests.waitFor(({ path }) => path === '/oauth/userinfo', LONG);
    await send(provider, '/oauth/token');
    await send(provider, '/oauth/userinfo');
    expect(await pending).toMatchObject({ number: 3, status: 401 });
  });

  test('rejects after the timeout with what was awaited and the last recorded requests', async () => {
    const unmatched = provider.requests.waitFor(isKeys, { timeout: 5 });
    await expect(unmatched).rejects.toThrow(
      `No request that matches ${isKeys} arrived within 5 ms. Received instead: no request.`,
    );
    const described = provider.requests.waitFor(isKeys, { timeout: 5, description: 'request for the keys' });
    await expect(described).rejects.toThrow('No request for the keys arrived within 5 ms.');
    for (let i = 0; i < 12; i += 1) await send(provider, '/oauth/userinfo');
    const second = provider.requests.waitFor(isKeys, { timeout: '0.01 seconds' });
    await expect(second).rejects.toThrow(
      'within 0.01 seconds. Received instead: the last of 12 requests:\n  3. GET /oauth/userinfo 401',
    );
  });

  test('ends after 2 seconds, also with fake timers and a frozen clock of the provider', async () => {
    jest.useFakeTimers();
    provider.clock.freeze();
    const start = process.hrtime.bigint();
    try {
      await expect(provider.requests.waitFor(isKeys)).rejects.toThrow('arrived within 2 seconds.');
    } finally {
      jest.useRealTimers();
    }
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeGreaterThan(1_900);
  });

  test('the message shortens a long match', async () => {
    const path = '/oauth/revoke';
    const isOther = (request: { path: string }) =>
      request.path !== path && !['/oauth/userinfo', '/oauth/token', '/oauth/authorize', '/oauth/logout'].includes(path)
        ? request.path === '/.well-known/openid-configuration'
        : request.path === '/.well-known/oauth-authorization-server';
    await expect(provider.requests.waitFor(isOther, { timeout: 1 })).rejects.toThrow(
      /^No request that matches \(request\) ?=>.{180,200}\.\.\. arrived within 1 ms\./,
    );
  });

  test('rejects at reset() and stop(), and after stop()', async () => {
    const beforeReset = provider.requests.waitFor(isKeys);
    provider.reset();
    await expect(beforeReset).rejects.toThrow('The provider was reset while waitFor() waited');
    const beforeStop = provider.requests.waitFor(isKeys, LONG);
    await provider.stop();
    await expect(beforeStop).rejects.toThrow('The provider was stopped');
    await expect(provider.requests.waitFor(isKeys)).rejects.toThrow('The provider was stopped');
  });

  test('an ignored promise causes no unhandled rejection, and its timer does not delay the exit of the process', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', record);
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    void provider.requests.waitFor(isKeys, { timeout: 1 });
    void provider.requests.waitFor(isKeys, { timeout: '1 hour' });
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')).toHaveLength(before);
    await provider.requests.waitFor(isKeys, { timeout: 10 }).catch(() => undefined);
    provider.reset();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', record);
    expect(unhandled).toEqual([]);
  });

  test('a match that throws rejects only its own call', async () => {
    const failing = provider.requests.waitFor(() => {
      throw new Error('match failed');
    }, LONG);
    const good = provider.requests.waitFor(isKeys, LONG);
    expect((await send(provider, '/.well-known/jwks.json')).status).toBe(200);
    await expect(failing).rejects.toThrow('match failed');
    expect(await good).toMatchObject({ number: 1 });
  });

  test('a timeout above the limit of timers still waits, and one without an end is refused', async () => {
    const pending = provider.requests.waitFor(isKeys, { timeout: '30 days' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await send(provider, '/.well-known/jwks.json');
    expect(await pending).toMatchObject({ number: 1 });
    expect(() => provider.requests.waitFor(() => false, { timeout: Number.POSITIVE_INFINITY })).toThrow(
      /^The timeout of waitFor\(\) must be a duration such as '30 minutes'.* not Infinity\.$/,
    );
  });
});
