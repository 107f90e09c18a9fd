import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PAGE_PATHS, PATHS } from '../../../lib/mock-provider/http/paths.js';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';

let provider: MockProvider;
beforeEach(async () => {
  provider = await startMockProvider({ control: true });
});
afterEach(() => provider.stop());

const paths = Object.values({ ...PATHS, ...PAGE_PATHS });
const methods = ['GET', 'POST'];

/** @returns the distinct results of a request of each method to each endpoint: a status, or that there is no response. */
async function results(): Promise<(number | string)[]> {
  const requests = paths.flatMap((path) =>
    methods.map((method) =>
      fetch(provider.issuer + path, { method, redirect: 'manual' }).then(
        ({ status }) => status,
        () => 'no response',
      ),
    ),
  );
  return [...new Set(await Promise.all(requests))];
}

describe('every endpoint', () => {
  test('with providerDown responds with 503, or another status, until clear()', async () => {
    provider.faults.always('providerDown');
    expect(await results()).toEqual([503]);
    expect(new Set(provider.requests.map(({ fault }) => fault))).toEqual(new Set(['providerDown']));
    provider.faults.clear();
    provider.faults.always('providerDown', { status: 502 });
    expect(await results()).toEqual([502]);
    provider.faults.clear();
    expect(await results()).toEqual(expect.arrayContaining([200]));
  });

  test('with providerUnreachable closes the connection, until clear()', async () => {
    provider.faults.always('providerUnreachable');
    expect(await results()).toEqual(['no response']);
    provider.faults.clear();
    expect(await results()).toEqual(expect.arrayContaining([200]));
  });

  test('has a fault whose endpoint is *', async () => {
    provider.faults.always('serverError', { endpoint: '*' });
    expect(await results()).toEqual([500]);
  });
});

test('the control API of a provider that is down ends the fault', async () => {
  const faults = `${provider.issuer}/_mock/faults`;
  const body = JSON.stringify({ name: 'providerDown', always: true });
  await fetch(faults, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(await results()).toEqual([503]);
  expect((await fetch(faults, { method: 'DELETE' })).status).toBe(200);
  expect(await results()).toEqual(expect.arrayContaining([200]));
});
