import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { send } from '../wire.js';

let provider: MockProvider;
beforeEach(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.stop());

const isKeys = ({ path }: { path: string }) => path === '/.well-known/jwks.json';

describe('provider.requests.waitFor()', () => {
  test('gives what came already, and what is still to come', async () => {
    await send(provider, '/.well-known/jwks.json');
    expect(await provider.requests.waitFor(isKeys)).toMatchObject({ number: 1 });
    const coming = provider.requests.waitFor(({ path }) => path === '/oauth/userinfo');
    await send(provider, '/oauth/token');
    await send(provider, '/oauth/userinfo');
    expect(await coming).toMatchObject({ number: 3, status: 401 });
  });

  test('says what was seen instead when nothing came in time', async () => {
    const none = provider.requests.waitFor(isKeys, { timeout: 5 });
    await expect(none).rejects.toThrow('No request that matches came within 5 ms. None came at all.');
    for (let turn = 0; turn < 12; turn += 1) await send(provider, '/oauth/userinfo');
    const still = provider.requests.waitFor(isKeys, { timeout: '0.01 seconds' });
    await expect(still).rejects.toThrow(
      'within 0.01 seconds. 12 are recorded, the last of them:\n  3. GET /oauth/userinfo 401',
    );
  });

  test('is over at reset() and at stop(), and stays so', async () => {
    const beforeReset = provider.requests.waitFor(isKeys);
    provider.reset();
    await expect(beforeReset).rejects.toThrow('The provider was reset while waitFor() waited');
    const beforeStop = provider.requests.waitFor(isKeys);
    await provider.stop();
    await expect(beforeStop).rejects.toThrow('The provider was stopped');
    await expect(provider.requests.waitFor(isKeys)).rejects.toThrow('The provider was stopped');
  });

  test('nobody who looks away is an unhandled rejection, and no timer keeps the process', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    void provider.requests.waitFor(isKeys, { timeout: 1 });
    void provider.requests.waitFor(isKeys, { timeout: '1 hour' });
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')).toHaveLength(before);
    await provider.requests.waitFor(isKeys, { timeout: 10 }).catch(() => undefined);
    provider.reset();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('a match that throws fails who waits, and nobody else', async () => {
    const broken = provider.requests.waitFor(() => {
      throw new Error('my own mistake');
    });
    const good = provider.requests.waitFor(isKeys);
    expect((await send(provider, '/.well-known/jwks.json')).status).toBe(200);
    await expect(broken).rejects.toThrow('my own mistake');
    expect(await good).toMatchObject({ number: 1 });
  });

  test('a timeout longer than a timer can count is waited for', async () => {
    const coming = provider.requests.waitFor(isKeys, { timeout: '30 days' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await send(provider, '/.well-known/jwks.json');
    expect(await coming).toMatchObject({ number: 1 });
    expect(() => provider.requests.waitFor(() => false, { timeout: Number.POSITIVE_INFINITY })).toThrow(
      'not Infinity.',
    );
  });

  test('a timeout that cannot be read is refused in a sentence', () => {
    expect(() => provider.requests.waitFor(isKeys, { timeout: 'soon' })).toThrow(
      "The timeout of waitFor() must be a duration such as '30 minutes'",
    );
  });
});
