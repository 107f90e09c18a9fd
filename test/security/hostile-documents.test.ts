import { describe, expect, jest, test } from '@jest/globals';
import type { Fetch } from '../../lib/index.js';
import { json } from '../authorization-server/hostile-authorization-server.js';
import type { SiteOptions } from '../integration/site.js';
import { hostileTest, PATHS } from './hostile-service.js';

// test/http/json.test.ts has each form of a malformed document.
const hostile = hostileTest();
const { service } = hostile;

type DocumentName = keyof typeof PATHS;
const DOCUMENTS: [name: DocumentName, maxSize: number][] = [
  ['metadata', 100_000],
  ['jwks', 250_000],
  ['token', 100_000],
  ['profile', 100_000],
  ['colleagues', 500_000],
  ['rateLimit', 100_000],
];

/** Requests a document. @returns the code of the error, or `done` */
async function request(name: DocumentName, options: SiteOptions = {}): Promise<string> {
  const { code, agent } = await hostile.signIn(hostile.site({ profileRequired: name === 'profile', ...options }));
  if (name !== 'colleagues' && name !== 'rateLimit') return code;
  return (await agent.get(`/call/${name}`)).body.code as string;
}

/** A fetch that adds spaces to a document. */
function paddingFetch(name: DocumentName, size: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init as RequestInit);
    if (new URL(url).pathname !== PATHS[name]) return response;
    return new Response((await response.text()).padEnd(size), response);
  };
}

describe.each(DOCUMENTS)('the document %s', (name, maxSize) => {
  test.each([
    ['no JSON object', '[]'],
    ['JSON with a member twice', '{"id":1,"id":2}'],
  ])('that is %s is refused', async (_, body) => {
    service.behaviour.endpoints[PATHS[name]] = (_request, response) => json(response, 200, body);
    expect(await request(name)).toBe('response_malformed');
  });

  test('is read up to its limit, and refused if it is longer by one byte', async () => {
    expect(await request(name, { fetch: paddingFetch(name, maxSize) })).toBe('done');
    expect(await request(name, { fetch: paddingFetch(name, maxSize + 1) })).toBe('response_malformed');
  });

  test('that does not arrive within the option timeout is not waited for', async () => {
    const timeout = 60_000;
    const timers = jest.spyOn(globalThis, 'setTimeout');
    // The time limit of the request passes when it has arrived. Other requests need as long as the machine takes.
    const expire = jest.fn(() => timers.mock.calls.findLast(([, ms]) => ms === timeout)?.[0]());
    service.behaviour.endpoints[PATHS[name]] = expire;
    try {
      expect(await request(name, { timeout })).toBe('service_unreachable');
      expect(expire).toHaveBeenCalledTimes(1);
    } finally {
      timers.mockRestore();
    }
  });
});
