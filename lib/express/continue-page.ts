import type { ServerResponse } from 'node:http';
import { confirmSignInPage, continuePage } from '../html/pages.js';
import type { SessionRequest } from '../session/site-session.js';
import { isSameOrigin } from '../sign-in/request-source.js';
import { type PageLinks, sendPage, wantsHTML } from './responses.js';

/** Marks a request that a page of this site has repeated. */
const MARKER = 'reloaded';

/**
 * @returns true for a request that lacks the site's `SameSite=Strict` session cookie: browsers omit it from requests that another
 * site's page led to, redirects included. The callback would then miss the session.
 * Older browsers do not identify that site: for them, every callback is repeated once.
 */
export function lacksStrictCookie(req: SessionRequest, query: URLSearchParams): boolean {
  const sameSite = req.session?.cookie?.sameSite;
  if (sameSite !== 'strict' && sameSite !== true) return false;
  const site = req.headers['sec-fetch-site'];
  return site === undefined ? wantsHTML(req) && !query.has(MARKER) : site === 'cross-site';
}

/**
 * Sends a page of this site that repeats the request of the callback, so that the browser sends the session cookie. A login that
 * another site has started needs a click there: the next requests are those of a page of this site, also the one for `returnTo`.
 * A callback that the browser itself marks as cross-site needs none, because the redirect after it has the same mark.
 * @returns false where no page is needed
 */
export function showContinuePage(
  req: SessionRequest,
  res: ServerResponse,
  query: URLSearchParams,
  { origin, path, links, fromOtherSite }: { origin: string; path: string; links: PageLinks; fromOtherSite: boolean },
): boolean {
  const isRepeated = query.has(MARKER);
  const lacksCookie = lacksStrictCookie(req, query);
  const looksOwn = !isRepeated && isSameOrigin(req, origin) === true;
  const isNeeded = fromOtherSite ? lacksCookie || looksOwn : lacksCookie && !isRepeated;
  if (!isNeeded) return false;
  const repeated = new URLSearchParams(query);
  repeated.set(MARKER, '1');
  const page = fromOtherSite ? confirmSignInPage : continuePage;
  sendPage(res, 200, page({ ...links, next: `${path}?${repeated}` }));
  return true;
}
