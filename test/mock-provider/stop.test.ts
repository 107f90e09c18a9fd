import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { freePort } from '../helpers/free-port.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const METADATA = '/.well-known/openid-configuration';

describe('stop()', () => {
  test('can be called twice, also in parallel and by await using', async () => {
    await using provider = await startMockProvider({ port: await freePort() });
    await Promise.all([provider[Symbol.asyncDispose](), provider.stop()]);
    await expect(fetch(provider.issuer + METADATA)).rejects.toThrow('fetch failed');
    await expect(provider.fetch(provider.issuer + METADATA)).rejects.toThrow('fetch failed');
  });

  test('frees the port', async () => {
    const port = await freePort();
    for (let i = 0; i < 5; i += 1) {
      const provider = await startMockProvider({ port });
      expect((await fetch(provider.issuer + METADATA)).status).toBe(200);
      await provider.stop();
    }
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

describe('after stop()', () => {
  const busy = `
    const provider = await startMockProvider();
    const other = await startMockProvider();
    const path = '${METADATA}';
    provider.faults.always('delay', { endpoint: path, delay: '10 minutes' });
    other.faults.always('stalledResponse', { endpoint: path });
    const underWay = [provider, provider, other, other].map((one, at) =>
      (at % 2 ? fetch : one.fetch)(one.issuer + path).then((response) => response.text()).catch(() => 'ended'));
    underWay.push(provider.requests.waitFor(() => false, { timeout: 600000 }).catch(() => 'ended'));
    await new Promise((resolve) => { const look = () => provider.requests.length + other.requests.length < 4 ? setTimeout(look, 5) : resolve(); look(); });
    await Promise.all([provider.stop(), other.stop()]);
    const ends = await Promise.all(underWay);
    if (ends.some((end) => end !== 'ended')) throw new Error(ends.join());`;

  /** @returns the output and the exit code of a process, which must exit before its timers would end. */
  function run(parameters: string[], cwd: string): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, parameters, {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '' },
      timeout: 100_000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  test('a process exits', async () => {
    const script = `import { startMockProvider } from 'passport-clinician/mock-provider';${busy}`;
    expect(await run(['--input-type=module', '-e', script], root)).toEqual({ code: 0, output: '' });
  });

  test('jest --detectOpenHandles reports no handle', async () => {
    const project = mkdtempSync(join(tmpdir(), 'handles-'));
    try {
      const entry = join(root, 'dist/mock-provider.cjs');
      writeFileSync(join(project, 'package.json'), '{}');
      writeFileSync(
        join(project, 'a.test.js'),
        `const { startMockProvider } = require(${JSON.stringify(entry)});\ntest('busy', async () => {${busy}\n}, 90_000);\n`,
      );
      const jest = join(root, 'node_modules/jest/bin/jest.js');
      const config = JSON.stringify({ rootDir: project, transform: {}, testEnvironment: 'node' });
      const { code, output } = await run([jest, '--detectOpenHandles', '--config', config], project);
      expect(output).toContain('1 passed, 1 total');
      expect(output).not.toMatch(/open handle|did not exit/i);
      expect(code).toBe(0);
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});
