import { describe, expect, test } from '@jest/globals';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';
import { send } from '../wire.js';

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

  test('rejects at reset() and stop(), and after stop()', async () => {
    const beforeReset = provider.requests.waitFor(isKeys);
    provider.reset();
    await expect(beforeReset).rejects.toThrow('The provider was reset while waitFor() waited');
    const other = await startMockProvider();
    const beforeStop = other.requests.waitFor(isKeys, LONG);
    await other.stop();
    await expect(beforeStop).rejects.toThrow('The provider has stopped');
    await expect(other.requests.waitFor(isKeys)).rejects.toThrow('The provider has stopped');
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
