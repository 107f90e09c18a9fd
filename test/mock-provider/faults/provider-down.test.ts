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
  test.each([
    ['unavailable', 503],
    ['reset', 'no response'],
  ] as const)('has %s with endpoint *, until clear()', async (name, result) => {
    provider.faults.always(name, { endpoint: '*' });
    expect(await results()).toEqual([result]);
    expect(new Set(provider.requests.map(({ fault }) => fault))).toEqual(new Set([name]));
    provider.faults.clear();
    expect(await results()).toEqual(expect.arrayContaining([200]));
  });
});

test('the control API of a provider that is down ends the fault', async () => {
  const faults = `${provider.issuer}/_mock/faults`;
  const body = JSON.stringify({ name: 'unavailable', endpoint: '*', always: true });
  await fetch(faults, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(await results()).toEqual([503]);
  expect((await fetch(faults, { method: 'DELETE' })).status).toBe(200);
  expect(await results()).toEqual(expect.arrayContaining([200]));
});
