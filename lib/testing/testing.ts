export { type SignInOptions, signIn } from './sign-in.js';
export { type SignOutOptions, signOut } from './sign-out.js';
export type { SiteAgent, SiteRequest, SiteResponse } from './site-agent.js';
export { testTokenStore } from './test-token-store.js';
export { type MockProviderUse, withMockProvider } from './with-mock-provider.js';
