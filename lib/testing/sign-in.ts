import type { ClinicianName, MockProvider } from '../mock-provider/mock-provider.js';
import { messageOf } from './redact.js';
import { RedirectFollower } from './redirect-follower.js';
import { isBehindTLS, simulateTLSProxy } from './simulate-tls-proxy.js';
import type { SiteAgent, SiteResponse } from './site-agent.js';

/** Who signs in, and what they answer at the consent screen. */
export interface SignInOptions {
  /** The name of a clinician that the provider knows: `verified`, `pending`, `minimal`, `connected`, `hostile`, or one of your own. */
  as: ClinicianName;
  /** What to approve at the consent screen: the scopes to leave ticked. All that are asked for, unless said otherwise. */
  approve?: readonly string[];
  /** Press "deny" at the consent screen. */
  deny?: boolean;
  /**
   * Where at the site to begin: its login route, or any page that sends people to sign in.
   * @default '/auth/login'
   */
  loginPath?: string;
}

/**
 * Signs a clinician in at the site under test, by the real redirects: from the site to the provider, through the provider's
 * pages, filled in as a person would, and back. The agent keeps the site's cookies, so its next requests are signed in; the
 * provider's cookies are kept for the agent, too, as in one browser: who is signed in at the provider is not asked again.
 *
 * @param agent a supertest agent on the site under test: `request.agent(app)`
 * @param provider the mock provider that the site is configured with
 * @returns the site's final answer, once it redirects no further. Whatever its status: a denial is an answer, too.
 * @throws a sentence with the right names, when nobody is called so; an error that tells every step seen, when the site never sent the clinician to the provider, or never took them back
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
  const { loginPath = '/auth/login', ...person } = options;
  provider.clinicians.get(person.as); // throws for a name that nobody has, and lists those that there are
  const walk = new RedirectFollower(agent, provider, 'sign in');
  const request = await leave(walk, agent, loginPath);
  const callback = await provider.signIn(request.href, { ...person, browser: agent }).then(
    (url) => new URL(url),
    (error: unknown) => {
      throw walk.failure(`the provider did not send the clinician back: ${messageOf(error)}`, error);
    },
  );
  walk.knowOrigin(callback);
  const back = await walk.follow(callback.pathname + callback.search, 'cross-site');
  if (back.provider) throw walk.failure('the site sent the clinician to the provider again after the callback');
  return back.response;
}

/** Begins at the site. @returns the authorization request that it sends the browser to the provider with. */
async function leave<R extends SiteResponse>(
  walk: RedirectFollower<R>,
  agent: SiteAgent<R>,
  loginPath: string,
): Promise<URL> {
  const { response, at, provider } = await walk.follow(loginPath);
  if (!provider) throw walk.answeredItself(response);
  if (at.protocol === 'https:') return provider;
  const isOnHTTPS = provider.searchParams.get('redirect_uri')?.startsWith('https:') ?? false;
  if (isOnHTTPS && simulateTLSProxy(agent)) return leave(walk, agent, loginPath);
  const lost = secureCookie(response);
  if (!lost || isBehindTLS(agent)) return provider;
  throw walk.failure(
    isOnHTTPS
      ? `the site's cookie "${lost}" is Secure and the agent speaks plain http, so it would not come back. ` +
          "Use supertest's request.agent(app), or give the site under test a callbackURL on http://127.0.0.1"
      : `the site's cookie "${lost}" is Secure but its callbackURL is on plain http, so it would not come back. ` +
          'Let the site set Secure only where it is reached by https',
  );
}

/** @returns the name of a cookie that is never sent over plain http. */
function secureCookie(response: SiteResponse): string | undefined {
  const set = response.headers['set-cookie'];
  const cookies = typeof set === 'string' ? [set] : (set ?? []);
  return cookies.find((cookie) => /;\s*secure\s*(?:;|$)/i.test(cookie))?.split('=')[0];
}
