import type { ClinicianName, MockProvider } from '../mock-provider/mock-provider.js';
import { checkOptions } from '../options/option-table.js';
import { flag, type OptionTable, text, texts } from '../schema.js';
import { checkArguments } from './check-arguments.js';
import { RedirectFollower } from './redirect-follower.js';
import { simulateTLSProxy } from './simulate-tls-proxy.js';
import type { SiteAgent, SiteResponse } from './site-agent.js';

/** The options of {@link signIn}: the user, and the choice at the consent screen. */
export interface SignInOptions {
  /** The username of a clinician: a test user, such as `verified`, or one that you have added. */
  as: ClinicianName;
  /** The scopes to approve at the consent screen, where only `email` is optional. @default every requested scope */
  approve?: readonly string[] | undefined;
  /** Denies the request at the consent screen. */
  deny?: boolean | undefined;
  /** Where the sign-in starts: the login route, or a page that redirects to it. @default '/auth/login' */
  loginPath?: string | undefined;
}

const signInOptions: OptionTable<SignInOptions> = {
  as: { ...text, whenMissing: "Pass the username of a clinician: { as: 'verified' }." },
  approve: texts,
  deny: flag,
  loginPath: text,
};

/**
 * Signs a clinician in at the site under test, through the real redirects and the pages of the provider. The agent stores the
 * site's cookies, so its next requests are signed in. It also has the provider's cookies, as a browser does, so a second sign-in
 * needs no password. The site refuses another user until {@link signOut}.
 *
 * @param agent a supertest agent of the site under test: `request.agent(app)`
 * @param provider the mock provider that the site is configured with
 * @returns the site's response after the last redirect, with any status: a denial is a response too
 * @throws Error that lists every request if the site does not redirect to the provider, or the provider does not redirect back.
 * For an unknown clinician it lists the known names
 * @example
 * ```ts
 * const agent = request.agent(app);
 * await signIn(agent, provider, { as: 'verified' });
 * await agent.get('/notes').expect(200);
 * ```
 */
export async function signIn<R extends SiteResponse>(
  agent: SiteAgent<R>,
  provider: MockProvider,
  options: SignInOptions,
): Promise<R> {
  checkArguments('signIn()', agent, provider);
  const { loginPath = '/auth/login', ...consent } = checkOptions(options, signInOptions, 'signIn()');
  provider.clinicians.get(consent.as); // throws for an unknown name
  const follower = new RedirectFollower(agent, provider, 'sign in');
  const authorizeURL = await startLogin(follower, agent, loginPath);
  return await follower.continueAfter(provider.signIn(authorizeURL.href, { ...consent, browser: agent }));
}

/** @returns the authorization request that the site redirects to. */
async function startLogin<R extends SiteResponse>(
  follower: RedirectFollower<R>,
  agent: SiteAgent<R>,
  loginPath: string,
): Promise<URL> {
  const { response, url, target } = await follower.follow(loginPath, 'same-origin');
  if (!target) throw follower.noRedirect(response);
  const isOnHTTPS = target.searchParams.get('redirect_uri')?.startsWith('https:');
  if (isOnHTTPS && url.protocol === 'http:' && simulateTLSProxy(agent)) return startLogin(follower, agent, loginPath);
  return target;
}
