import { type MockProvider, type MockProviderOptions, startMockProvider } from '../mock-provider/mock-provider.js';
import { attachTrace } from './attach-trace.js';

/** What a test does with the provider while it runs. */
export type MockProviderUse<T> = (provider: MockProvider) => T | Promise<T>;

/**
 * Starts a mock provider, hands it to a function, and stops it when the function is done, whether it succeeded or threw. An
 * error that the function threw is thrown on, with what the provider saw and refused as its `cause`: jest, vitest and node:test
 * print that below the error.
 * @returns what the function returned.
 * @example
 * ```ts
 * await withMockProvider(async (provider) => {
 *   const response = await signIn(request.agent(site(provider)), provider, { as: 'verified' });
 *   expect(response.status).toBe(200);
 * });
 * ```
 */
export async function withMockProvider<T>(use: MockProviderUse<T>): Promise<T>;
export async function withMockProvider<T>(options: MockProviderOptions, use: MockProviderUse<T>): Promise<T>;
export async function withMockProvider<T>(
  first: MockProviderOptions | MockProviderUse<T>,
  second?: MockProviderUse<T>,
): Promise<T> {
  const [options, use] = typeof first === 'function' ? [{}, first] : [first, second];
  if (typeof use !== 'function') throw new TypeError('withMockProvider needs a function that is handed the provider');
  const provider = await startMockProvider(options);
  try {
    return await use(provider);
  } catch (error) {
    attachTrace(error, provider);
    throw error;
  } finally {
    await provider.stop();
  }
}
