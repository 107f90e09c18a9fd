import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';

/** A mock provider for the tests of the file that imports it, reset after each test. */
export let provider: MockProvider;

beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());
