import type { MockProvider } from '../mock-provider/mock-provider.js';
import { hiddenFieldsOf } from './hidden-fields.js';
import { messageOf } from './redact.js';
import { RedirectFollower } from './redirect-follower.js';
import type { SiteAgent, SiteResponse } from './site-agent.js';

/** Where at the site people sign out. */
export interface SignOutOptions {
  /**
   * The site's logout route. It is asked for a page, as by a form on one of the site's own pages.
   * @default '/auth/logout'
   */
  logoutPath?: string;
  /** The page that has the form, for a site whose forms bring a token of its own: the form's hidden fields are sent along. */
  from?: string;
}

/**
 * Signs the agent out as a person does: a POST to the site's logout route from one of the site's own pages, on to the provider's
 * end of session when the site goes there, in the browser that the agent signed in with, and back.
 *
 * @param agent a supertest agent on the site under test that signed in by {@link signIn}
 * @param provider the mock provider that the site is configured with
 * @returns the site's final answer, once it redirects no further
 * @throws an error that tells every step seen, when the provider did not take the clinician back to the site
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
  const { logoutPath = '/auth/logout', from } = options;
  const walk = new RedirectFollower(agent, provider, 'sign out');
  const fields = from === undefined ? '' : await fieldsOn(walk, from, logoutPath);
  const leaving = await walk.submit(logoutPath, fields);
  if (!leaving.provider) return leaving.response;
  const back = await provider.signOut(leaving.provider.href, { browser: agent }).then(
    (url) => new URL(url),
    (error: unknown) => {
      throw walk.failure(`the provider did not send the clinician back: ${messageOf(error)}`, error);
    },
  );
  walk.knowOrigin(back);
  const end = await walk.follow(back.pathname + back.search, 'cross-site');
  if (end.provider) throw walk.failure('the site sent the clinician to the provider again after the logout');
  return end.response;
}

async function fieldsOn<R extends SiteResponse>(
  walk: RedirectFollower<R>,
  page: string,
  action: string,
): Promise<string> {
  const { response, at } = await walk.follow(page);
  const fields = hiddenFieldsOf(response.text ?? '', new URL(action, at), at);
  if (!fields) throw walk.failure(`the page ${page} has no form with method="post" and action="${action}"`);
  return fields.toString();
}
