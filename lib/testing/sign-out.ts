import type { MockProvider } from '../mock-provider/mock-provider.js';
import { checkOptions } from '../options/option-table.js';
import { type OptionTable, text } from '../schema.js';
import { checkArguments } from './check-arguments.js';
import { RedirectFollower } from './redirect-follower.js';
import type { SiteAgent, SiteResponse } from './site-agent.js';

/** The options of {@link signOut}. */
export interface SignOutOptions {
  /** The logout route of the site, which gets a form submission. @default '/auth/logout' */
  logoutPath?: string | undefined;
}

const signOutOptions: OptionTable<SignOutOptions> = { logoutPath: text };

/**
 * Signs the agent out. It posts to the site's logout route as one of the site's own pages does, then follows the redirects to the
 * provider's logout endpoint and back.
 *
 * @param agent a supertest agent of the site under test that {@link signIn} has signed in
 * @param provider the mock provider that the site is configured with
 * @returns the site's response after the last redirect
 * @throws Error that lists every request if the provider does not redirect back to the site
 * @example
 * ```ts
 * await signOut(agent, provider);
 * await agent.get('/notes').expect(401);
 * ```
 */
export async function signOut<R extends SiteResponse>(
  agent: SiteAgent<R>,
  provider: MockProvider,
  options: SignOutOptions = {},
): Promise<R> {
  checkArguments('signOut()', agent, provider);
  const { logoutPath = '/auth/logout' } = checkOptions(options, signOutOptions, 'signOut()');
  const follower = new RedirectFollower(agent, provider, 'sign out');
  const { response, target } = await follower.follow(logoutPath, 'same-origin', 'POST');
  if (!target) return response;
  return await follower.continueAfter(provider.signOut(target.href, { browser: agent }));
}
