import type { ServerResponse } from 'node:http';
import { continuePage } from '../html/pages.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { type PageLinks, sendPage, wantsHTML } from './responses.js';

/** Marks a request that a page of this site has repeated, so that it is repeated only once. */
const MARKER = 'reloaded';

/**
 * @returns true for a request that lacks the site's `SameSite=Strict` session cookie: browsers omit it from requests that another
 * site's page led to, redirects included. The callback would then miss the session.
 * Older browsers do not identify that site: for them, every callback is repeated once.
 */
export function lacksStrictCookie(req: SessionRequest): boolean {
  const sameSite = req.session?.cookie?.sameSite;
  if (sameSite !== 'strict' && sameSite !== true) return false;
  if (queryOf(req).has(MARKER)) return false;
  const site = req.headers['sec-fetch-site'];
  return site === undefined ? wantsHTML(req) : site === 'cross-site';
}

/** Sends a page of this site that repeats the request: the browser then sends the session cookie. */
export function reloadFromOwnPage(req: SessionRequest, res: ServerResponse, path: string, links: PageLinks): void {
  const query = queryOf(req);
  query.set(MARKER, '1');
  const next = `${path}?${query}`;
  sendPage(res, 200, continuePage({ ...links, next }));
}
