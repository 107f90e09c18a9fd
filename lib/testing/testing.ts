export { type SignInOptions, signIn } from './sign-in.js';
export type { SiteAgent, SiteRequest, SiteResponse } from './site-agent.js';
export { type MockProviderUse, withMockProvider } from './with-mock-provider.js';
