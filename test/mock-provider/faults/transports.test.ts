import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type FaultName, type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { basic, codeFields, codeOf, encode, jwtPart } from '../wire.js';
import { isJSON } from './effect.js';

let provider: MockProvider;
let mounted: Server;
beforeAll(async () => {
  provider = await startMockProvider();
  mounted = createServer((req, res) => provider.app(req, res));
  await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve));
});
afterEach(() => provider.reset());
afterAll(async () => {
  mounted.closeAllConnections();
  await new Promise((resolve) => mounted.close(resolve));
  await provider.stop();
});

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;
const METADATA = '/.well-known/openid-configuration';
const SHORT_MS = 50;

const TRANSPORTS: Record<string, Fetch> = {
  'over the socket': (path, init) => fetch(provider.issuer + path, init),
  'through provider.app': (path, init) =>
    fetch(`http://127.0.0.1:${(mounted.address() as AddressInfo).port}${path}`, init),
  'through provider.fetch': (path, init) => provider.fetch(provider.issuer + path, init),
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

/** @returns the status, content type and validity of the JSON, or the name of the error. */
async function outcome(fetchPath: Fetch, signal?: AbortSignal): Promise<string> {
  try {
    const response = await fetchPath(METADATA, { redirect: 'manual', ...(signal && { signal }) });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    return [
      response.status,
      type.split(';')[0],
      text.length > 1_000_000 ? 'huge' : text.length > 0 && isJSON(text),
    ].join(' ');
  } catch (error) {
    return (error as Error).name;
  }
}

describe.each(Object.entries(TRANSPORTS))('%s', (_transport, fetchPath) => {
  test.each<[FaultName, string]>([
    ['reset', 'TypeError'],
    ['noResponse', 'TimeoutError'],
    ['responseLost', 'TypeError'],
    ['truncatedResponse', 'TypeError'],
    ['stalledResponse', 'TimeoutError'],
    ['unexpectedRedirect', '307  false'],
    ['nullResponse', '200 application/json true'],
    ['serverError', '500 text/html false'],
    ['unavailable', '503 application/json true'],
    ['rateLimited', '429 application/json true'],
    ['malformedJSON', '200 application/json false'],
    ['htmlInsteadOfJSON', '200 text/html false'],
    ['wrongContentType', '200 text/plain true'],
    ['oversizedBody', '200 application/json huge'],
    ['discoveryWrongIssuer', '200 application/json true'],
  ])('%s: %s', async (fault, expected) => {
    provider.faults.next(fault, { endpoint: METADATA });
    const signal = expected === 'TimeoutError' ? abortedAfterRequest() : undefined;
    expect(await outcome(fetchPath, signal)).toBe(expected);
    expect(provider.faults.queued).toEqual([]);
    expect(await outcome(fetchPath)).toBe('200 application/json true');
  });

  test('delay: a client with a short timeout aborts', async () => {
    provider.faults.next('delay', { endpoint: METADATA, delay: '10 minutes' });
    expect(await outcome(fetchPath, abortedAfterRequest())).toBe('TimeoutError');
  });

  test('a fault of an ID Token', async () => {
    const { openid } = provider.clients;
    provider.faults.next('wrongIssuer', { client: openid.clientID });
    const response = await fetchPath('/oauth/token', {
      method: 'POST',
      headers: { authorization: basic(openid), 'content-type': 'application/x-www-form-urlencoded' },
      body: encode(codeFields(openid, await codeOf(provider, openid))),
    });
    const { id_token } = (await response.json()) as { id_token: string };
    expect(jwtPart(id_token, 'claims').iss).toBe('https://evil.example');
  });
});
