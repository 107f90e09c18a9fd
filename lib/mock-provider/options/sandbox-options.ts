import type { MockProviderOptions } from './options.js';

const OF_THE_PROVIDER = [
  'port',
  'host',
  'https',
  'publicURL',
  'shareScriptPort',
  'control',
  'allowInProduction',
] as const;

/** Options of {@link MockProvider.sandbox}. What is left out is as the provider was started with it. */
export type SandboxOptions = Omit<MockProviderOptions, (typeof OF_THE_PROVIDER)[number]>;

/** @returns the options that a sandbox begins with. Throws a sentence for what belongs to the whole provider. */
export function sandboxOptions(provider: MockProviderOptions, given: SandboxOptions): MockProviderOptions {
  for (const name of OF_THE_PROVIDER) {
    if ((given as MockProviderOptions)[name] === undefined) continue;
    throw new TypeError(
      `sandbox() takes no ${name}: a sandbox stands below its provider's address and shares that. Give it to startMockProvider().`,
    );
  }
  const {
    port: _,
    host: __,
    https: ___,
    publicURL: ____,
    shareScriptPort: _____,
    control: ______,
    ...behaviour
  } = provider;
  return {
    ...behaviour,
    ...given,
    lifetimes: { ...provider.lifetimes, ...given.lifetimes },
    rateLimit: { ...provider.rateLimit, ...given.rateLimit },
  };
}
