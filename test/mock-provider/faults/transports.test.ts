import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { provider } from '../../helpers/provider.js';

let mounted: Server;
beforeAll(async () => {
  mounted = createServer((req, res) => provider.app(req, res));
  await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  mounted.closeAllConnections();
  await new Promise((resolve) => mounted.close(resolve));
});

const METADATA = '/.well-known/openid-configuration';
const SHORT_MS = 50;

/** The transports other than the provider's own socket, where effects.test.ts tests each fault. */
const TRANSPORTS: Record<string, (init: RequestInit) => Promise<Response>> = {
  'through provider.app': (init) =>
    fetch(`http://127.0.0.1:${(mounted.address() as AddressInfo).port}${METADATA}`, init),
  'through provider.fetch': (init) => provider.fetch(provider.issuer + METADATA, init),
};

/** A signal that is aborted soon after the provider has received a request. */
function abortedAfterRequest(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException('no response', 'TimeoutError'));
  void provider.requests
    .waitFor(({ path }) => path === METADATA, { timeout: '1 minute' })
    .then(() => setTimeout(abort, SHORT_MS));
  return controller.signal;
}

describe.each(Object.entries(TRANSPORTS))('%s', (_transport, fetchMetadata) => {
  test.each<[FaultName, string | number]>([
    ['reset', 'TypeError'],
    ['noResponse', 'TimeoutError'],
    ['stalledResponse', 'TimeoutError'],
    ['truncatedResponse', 'TypeError'],
    ['serverError', 500],
  ])('%s: %s', async (fault, expected) => {
    const outcome = async (init: RequestInit = {}) => {
      try {
        const response = await fetchMetadata(init);
        await response.text();
        return response.status;
      } catch (error) {
        return (error as Error).name;
      }
    };
    provider.faults.next(fault, { endpoint: METADATA });
    expect(await outcome(expected === 'TimeoutError' ? { signal: abortedAfterRequest() } : {})).toBe(expected);
    expect(await outcome()).toBe(200);
  });
});
