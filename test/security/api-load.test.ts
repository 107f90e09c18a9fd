import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { Fetch } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../integration/site.js';

let provider: MockProvider;
let server: Server;
let api: { isDown: boolean; hold(): void; release(): void; held(): number; maxHeld(): number };
let url: string;
beforeEach(async () => {
  provider = await startMockProvider();
  const { fetch, ...control } = controlledFetch();
  api = Object.assign(control, { isDown: false });
  const { app, clinician } = siteFor(provider, { clock: provider.clock, fetch });
  function endOf(res: ServerResponse): AbortSignal {
    const ended = new AbortController();
    res.on('close', () => ended.abort(new Error('the connection has ended')));
    return ended.signal;
  }
  app.get('/limit', async (req, res) => void res.json(await clinician.api(req).rateLimit({ signal: endOf(res) })));
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

/** A fetch whose requests for the rate limit can wait for their response, or fail. */
function controlledFetch() {
  const held = new Set<() => void>();
  let maxHeld = 0;
  let isHolding = false;
  const fetch: Fetch = async (address, init) => {
    if (address.endsWith('/rate_limit')) {
      if (api.isDown) throw new Error('no connection');
      if (isHolding) await hold(init?.signal);
    }
    return await globalThis.fetch(address, init as RequestInit);
  };
  function hold(signal: AbortSignal | null | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        held.delete(release);
        settle();
      };
      const release = end(resolve);
      held.add(release);
      maxHeld = Math.max(maxHeld, held.size);
      signal?.addEventListener(
        'abort',
        end(() => reject(signal.reason)),
      );
    });
  }
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

describe('requests without a response of the resource API', () => {
  test('that two users start and abort after three seconds stop the requests of no other user', async () => {
    const [first, second, other] = [
      await browserOf('verified'),
      await browserOf('pending'),
      await browserOf('connected'),
    ];
    api.hold();
    const controller = new AbortController();
    const aborted = [first, second, first, second, first, second].map((headers) =>
      fetch(url, { headers, signal: controller.signal }).catch((error: Error) => error.name),
    );
    await until(() => api.held() === aborted.length);
    provider.clock.advance('3 seconds');
    controller.abort();
    expect(await Promise.all(aborted)).toEqual(Array(6).fill('AbortError'));
    await until(() => api.held() === 0);
    api.release();
    for (const headers of [first, second, other]) expect((await fetch(url, { headers })).status).toBe(200);
  });

  test('of two users stop the requests of no other user', async () => {
    const [first, second, other] = [
      await browserOf('verified'),
      await browserOf('pending'),
      await browserOf('connected'),
    ];
    api.isDown = true;
    const codes: string[] = [];
    for (const headers of [first, second, first, second, first, second]) {
      const { code } = (await (await fetch(url, { headers })).json()) as { code: string };
      codes.push(code);
    }
    expect(codes).toEqual([...Array(5).fill('service_unreachable'), 'api_not_responding']);
    api.isDown = false;
    expect((await fetch(url, { headers: other })).status).toBe(200);
  });
});

describe('many requests of one user at once, with an expired access token', () => {
  const sent = (path: string) => provider.requests.filter((request) => request.path === path).length;

  /** Sends requests, and holds those at the API until as many as possible are there. */
  async function sendAtOnce(count: number): Promise<Response[]> {
    const headers = await browserOf('verified');
    provider.clock.advance('31 minutes');
    const before = sent('/oauth/token');
    api.hold();
    let [arrived, refused] = [0, 0];
    server.on('request', (_req, res) => {
      arrived += 1;
      res.on('finish', () => {
        refused += 1;
      });
    });
    const responses = Array.from({ length: count }, () => fetch(url, { headers }));
    await until(() => arrived === count && api.held() >= 16 && refused >= count - 16);
    api.release();
    const all = await Promise.all(responses);
    expect(sent('/oauth/token') - before).toBe(1);
    return all;
  }

  test('16 at a time are sent, and the others are refused by name, with Retry-After', async () => {
    const responses = await sendAtOnce(200);
    expect(api.maxHeld()).toBe(16);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(200 - 16);
    for (const response of refused) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await response.json()).toMatchObject({ code: 'rate_limited', retryable: true });
    }
  });
});
