import { argumentInvalid } from '../errors/errors.js';
import { type MockProvider, type MockProviderOptions, startMockProvider } from '../mock-provider/mock-provider.js';
import { attachTrace } from './attach-trace.js';
import { hasMethod } from './check-arguments.js';

/** A test that uses the provider. */
export type MockProviderUse<T> = (provider: MockProvider) => T | Promise<T>;

/**
 * Starts a mock provider, calls a function with it, and stops it when the function has settled. If the function throws, its error
 * gets the requests that the provider received and refused as its `cause`, because jest, vitest and node:test print causes.
 * @returns the result of the function
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
  if (typeof use !== 'function' || (typeof first === 'function' && second !== undefined)) {
    throw argumentInvalid(
      'withMockProvider() needs a function that receives the provider. Pass it as the last argument, after the options.',
    );
  }
  if (hasMethod(options, 'stop')) {
    throw argumentInvalid(
      'withMockProvider() starts its own provider. Pass its options, or none, instead of a provider that is started.',
    );
  }
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
