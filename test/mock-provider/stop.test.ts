import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { freePort } from '../helpers.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const METADATA = '/.well-known/openid-configuration';

describe('stop()', () => {
  test('can be called twice, also in parallel and by await using', async () => {
    await using provider = await startMockProvider({ port: await freePort() });
    await Promise.all([provider[Symbol.asyncDispose](), provider.stop()]);
    await expect(fetch(provider.issuer + METADATA)).rejects.toThrow('fetch failed');
    await expect(provider.fetch(provider.issuer + METADATA)).rejects.toThrow('fetch failed');
  });

  test.each([
    ['delay', { delay: '10 minutes' }],
    ['noResponse', {}],
    ['stalledResponse', {}],
  ] as const)('ends pending responses with the fault %s, over a socket and provider.fetch', async (fault, options) => {
    const provider = await startMockProvider();
    const mounted = createServer((req, res) => provider.app(req, res)).listen(0, '127.0.0.1');
    await new Promise((resolve) => mounted.once('listening', resolve));
    provider.faults.always(fault, { endpoint: METADATA, ...options });
    const read = async (response: Promise<Response>) => (await response).text();
    const elsewhere = `http://127.0.0.1:${(mounted.address() as AddressInfo).port}${METADATA}`;
    const pendingResponses = [
      fetch(provider.issuer + METADATA),
      fetch(elsewhere),
      provider.fetch(provider.issuer + METADATA),
    ].map(read);
    const outcomes = Promise.allSettled(pendingResponses);
    await new Promise<void>((resolve) => {
      const check = () => (provider.requests.length < 3 ? setImmediate(check) : resolve());
      check();
    });
    await provider.stop();
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    mounted.closeAllConnections();
    await new Promise((resolve) => mounted.close(resolve));
  });
});

/** Exits with an error unless stop() ends every pending response and every wait. */
const SCRIPT = `
  import { startMockProvider } from 'passport-clinician/mock-provider';
  const provider = await startMockProvider();
  const other = await startMockProvider();
  const path = '${METADATA}';
  provider.faults.always('delay', { endpoint: path, delay: '10 minutes' });
  other.faults.always('stalledResponse', { endpoint: path });
  const pending = [provider, provider, other, other].map((one, at) =>
    (at % 2 ? fetch : one.fetch)(one.issuer + path).then((response) => response.text()).catch(() => 'ended'));
  pending.push(provider.requests.waitFor(() => false, { timeout: 600000 }).catch(() => 'ended'));
  while (provider.requests.length + other.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([provider.stop(), other.stop()]);
  const ends = await Promise.all(pending);
  if (ends.some((end) => end !== 'ended')) throw new Error(ends.join());`;

test('after stop() a process exits, before its timers would end', async () => {
  const options = { cwd: root, env: { ...process.env, NODE_OPTIONS: '' }, timeout: 100_000 };
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT], options);
  expect(await run).toEqual({ stdout: '', stderr: '' });
});
