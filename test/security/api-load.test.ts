import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { Fetch } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../integration/site.js';

let provider: MockProvider;
let server: Server;
let api: ReturnType<typeof controlledFetch>;
let url: string;
beforeEach(async () => {
  provider = await startMockProvider();
  api = controlledFetch();
  const { app, clinician } = siteFor(provider, { clock: provider.clock, fetch: api.fetch });
  app.get('/limit', async (req, res) => void res.json(await clinician.api(req).rateLimit()));
  app.use(clinician.errorHandler());
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/limit`;
});
afterEach(async () => {
  api.release();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await provider.stop();
});

/** A fetch whose requests for the rate limit can wait for their response. */
function controlledFetch() {
  const held = new Set<() => void>();
  let maxHeld = 0;
  let isHolding = false;
  const fetch: Fetch = async (address, init) => {
    if (isHolding && address.endsWith('/rate_limit')) {
      await new Promise<void>((resolve) => {
        held.add(resolve);
        maxHeld = Math.max(maxHeld, held.size);
      });
    }
    return await globalThis.fetch(address, init as RequestInit);
  };
  return {
    fetch,
    hold() {
      isHolding = true;
    },
    release() {
      isHolding = false;
      for (const release of held) release();
    },
    held: () => held.size,
    maxHeld: () => maxHeld,
  };
}

/** Signs a user in. @returns the headers of the browser's requests. */
async function browserOf(username: string): Promise<{ cookie: string; accept: string }> {
  const agent = supertest.agent(server);
  await signIn(agent, provider, { as: username });
  const cookies = agent.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false });
  return { cookie: cookies.toValueString(), accept: 'application/json' };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

// test/resource-api/request-limits.test.ts has the calls of other users.
test('of many requests of one user with an expired access token, 16 are sent after one refresh, and the others refused', async () => {
  const sent = (path: string) => provider.requests.filter((request) => request.path === path).length;
  const count = 200;
  const headers = await browserOf('verified');
  provider.clock.advance('31 minutes');
  const before = sent('/oauth/token');
  api.hold();
  let [arrived, ended] = [0, 0];
  server.on('request', (_req, res) => {
    arrived += 1;
    res.on('finish', () => {
      ended += 1;
    });
  });
  const pending = Array.from({ length: count }, () => fetch(url, { headers }));
  await until(() => arrived === count && api.held() >= 16 && ended >= count - 16);
  api.release();
  const responses = await Promise.all(pending);
  expect([sent('/oauth/token') - before, api.maxHeld()]).toEqual([1, 16]);
  const refused = responses.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(count - 16);
  for (const response of refused) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ code: 'rate_limited', retryable: true });
  }
});
