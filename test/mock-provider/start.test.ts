import { get } from 'node:http';
import { get as getByTLS } from 'node:https';
import { describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { withNodeEnv } from '../helpers.js';

describe('startMockProvider()', () => {
  test('with NODE_ENV=production needs allowInProduction', async () => {
    for (const environment of ['production', 'production ', ' Production']) {
      await withNodeEnv(environment, async () => {
        await expect(startMockProvider()).rejects.toThrow(/allowInProduction/);
        const provider = await startMockProvider({ allowInProduction: true });
        expect((await fetch(provider.issuer)).status).toBe(404);
        await provider.stop();
      });
    }
  });

  test('with another NODE_ENV starts, with its inspector', () =>
    withNodeEnv('production-like', async () => {
      const provider = await startMockProvider();
      expect((await fetch(provider.issuer)).status).toBe(200);
      await provider.stop();
    }));
});

describe.each([false, true])('with the host localhost and https: %p', (https) => {
  const HOSTS = ['127.0.0.1', '::1', 'localhost'];
  const statusAt = (provider: MockProvider, host: string, port: string | number) =>
    new Promise((resolve) => {
      const options = { host, port, path: '/.well-known/jwks.json', ca: provider.ca, agent: false };
      const request = (https ? getByTLS : get)(options, ({ statusCode }) => resolve(statusCode));
      request.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });

  test('it listens on 127.0.0.1 and ::1, and stop() closes both', async () => {
    const provider = await startMockProvider({ host: 'localhost', https, apiPort: 0 });
    expect(provider.issuer).toMatch(https ? /^https:\/\/localhost:\d+$/ : /^http:\/\/localhost:\d+$/);
    const [port, apiPort] = [new URL(provider.issuer).port, new URL(provider.apiURL).port];
    const responses = (at: string) => Promise.all(HOSTS.map((host) => statusAt(provider, host, at)));
    expect([await responses(port), await responses(apiPort)]).toEqual([
      [200, 200, 200],
      [404, 404, 404],
    ]);
    await provider.stop();
    expect(await responses(port)).toEqual(HOSTS.map(() => 'ECONNREFUSED'));
  });

  test.each(['127.0.0.1', '::1'])('a port that is in use at %s is refused', async (host) => {
    await using other = await startMockProvider({ host });
    const port = Number(new URL(other.issuer).port);
    await expect(startMockProvider({ host: 'localhost', https, port })).rejects.toThrow(`port ${port} is in use`);
    await (await startMockProvider({ host: host === '::1' ? '127.0.0.1' : '::1', port })).stop();
  });
});
