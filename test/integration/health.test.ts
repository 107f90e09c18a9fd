import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { clinicianLogin, MemoryTokenStore, type TokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { freePort } from '../helpers.js';
import { loginOptions, type SiteOptions } from './site.js';

const CALLS = 1_000;
const INTERVAL = '1 minute';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
// health() waits half a second for a result. Here that time passes only where a test advances it: a slow machine needs longer.
beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
  provider.clock.freeze();
});
afterEach(() => {
  jest.useRealTimers();
  provider.reset();
});
afterAll(() => provider.stop());

/** Orchestrators wait one second by default. @returns the result of health() after that time */
async function withoutResponse<T>(result: Promise<T>): Promise<T> {
  await jest.advanceTimersByTimeAsync(1_000);
  return await result;
}

const real = createFetch({});

/** Returns the drop-in, and the paths that it has requested. */
function createSite(options: SiteOptions = {}, respond: Fetch = real) {
  const requested: string[] = [];
  const fetch: Fetch = (url, init) => {
    requested.push(new URL(url).pathname);
    return respond(url, init);
  };
  const onEvent = () => undefined;
  const clinician = clinicianLogin(loginOptions(provider, { clock: provider.clock, fetch, onEvent, ...options }));
  return { clinician, requested };
}

/** Returns a store whose lock() is replaced. */
function storeWith(lock: TokenStore['lock']): TokenStore {
  return Object.assign(Object.create(new MemoryTokenStore()) as TokenStore, { lock });
}

const never = () => new Promise<never>(() => undefined);
const METADATA = '/.well-known/openid-configuration';
const KEYS = '/.well-known/jwks.json';

describe('health()', () => {
  test('checks the store, the metadata and the keys, and the service once a minute', async () => {
    const { clinician, requested } = createSite();
    const up = { state: 'up', since: provider.clock.now() };
    expect(await clinician.health()).toEqual({ ok: true, store: up, service: up, keys: up });
    expect(new Set(requested)).toEqual(new Set([METADATA, KEYS]));
    const before = requested.length;
    provider.clock.advance('59 seconds');
    expect((await clinician.health()).ok).toBe(true);
    expect(requested).toHaveLength(before);
    for (let check = 1; check <= 100; check += 1) {
      provider.clock.advance(INTERVAL);
      expect((await clinician.health()).ok).toBe(true);
    }
    expect(requested.filter((path) => path === KEYS)).toHaveLength(101);
  });

  test('sends one request for each document for 1,000 calls at once, also while the service fails', async () => {
    for (const respond of [real, () => Promise.reject(new Error('down')), never] as Fetch[]) {
      const { clinician, requested } = createSite({}, respond);
      for (let round = 0; round < 2; round += 1) {
        const results = Promise.all(Array.from({ length: CALLS }, () => clinician.health()));
        expect(await (respond === never ? withoutResponse(results) : results)).toHaveLength(CALLS);
      }
      expect(requested.length).toBeLessThanOrEqual(2);
    }
  });

  test('reports a service that is down with the code and the start, and remains ok', async () => {
    const other = await startMockProvider({ port: await freePort() });
    const { clinician } = createSite({ issuer: other.issuer, apiURL: other.apiURL });
    expect(await clinician.health()).toMatchObject({ ok: true, service: { state: 'up' } });
    await other.stop();
    provider.clock.advance(INTERVAL);
    const since = provider.clock.now();
    const down = { state: 'down', code: 'service_unreachable', since };
    expect(await clinician.health()).toMatchObject({ ok: true, service: down, keys: down });
    provider.clock.advance(INTERVAL);
    expect(await clinician.health()).toMatchObject({ ok: true, service: down });
  });

  test('reports documents that are not valid', async () => {
    const { clinician } = createSite();
    provider.faults.next('htmlInsteadOfJSON', { endpoint: METADATA });
    expect((await clinician.health()).service).toMatchObject({ state: 'down', code: 'response_malformed' });
    provider.clock.advance(INTERVAL);
    expect((await clinician.health()).service).toEqual({ state: 'up', since: provider.clock.now() });
    provider.clock.advance(INTERVAL);
    provider.faults.next('htmlInsteadOfJSON', { endpoint: KEYS });
    const { service, keys } = await clinician.health();
    expect([service.state, keys?.state, keys?.code]).toEqual(['up', 'down', 'response_malformed']);
  });

  test('does not wait for a store that does not respond, and reports its recovery', async () => {
    let lock: TokenStore['lock'] = never;
    const { clinician } = createSite({ tokenStore: storeWith((...args) => lock(...args)) });
    const down = { ok: false, store: { state: 'down', code: 'token_store_unavailable' } };
    expect(await withoutResponse(clinician.health())).toMatchObject(down);
    lock = async () => ({ release: async () => undefined });
    provider.clock.advance('5 seconds');
    expect(await withoutResponse(clinician.health())).toMatchObject(down);
    provider.clock.advance('5 seconds');
    expect(await clinician.health()).toMatchObject({ ok: true, store: { state: 'up', since: provider.clock.now() } });
  });

  test('writes to the store at most once in a second', async () => {
    let writes = 0;
    const lock = async () => {
      writes += 1;
      return undefined;
    };
    const { clinician } = createSite({ tokenStore: storeWith(lock) });
    for (let call = 0; call < 10; call += 1) await clinician.health();
    expect(writes).toBe(1);
    provider.clock.advance('1 second');
    await clinician.health();
    expect(writes).toBe(2);
  });

  test('in the profile flow reports no keys, and a service that responds as up', async () => {
    const { clinician, requested } = createSite({ flow: 'profile' });
    expect(await clinician.health()).toEqual({
      ...{ ok: true, store: { state: 'up', since: provider.clock.now() } },
      service: { state: 'up', since: provider.clock.now() },
    });
    expect(requested).toEqual([METADATA]);
    provider.faults.next('serverError', { endpoint: METADATA });
    provider.clock.advance(INTERVAL);
    expect((await clinician.health()).service).toMatchObject({ state: 'down', code: 'service_error' });
  });
});
