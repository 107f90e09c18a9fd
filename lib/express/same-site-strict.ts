import type { Response } from 'express';
import { continuePage } from '../html/pages.js';
import type { SiteRequest } from '../session/types.js';
import { wireQuery } from '../sign-in/login.js';
import { PAGE_POLICY, type PageLinks, sendPage } from './error-responses.js';
import { wantsHTML } from './wants-html.js';

/** Marks a request that has been asked for again, so that it is not once more. */
const MARKER = 'asked_again';
const FRAMED_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'");

/**
 * Browsers send no `SameSite=Strict` cookie where another site's page led to the request, nor along the redirects that follow.
 * Left at that, a callback would miss the site's session, and the page after it would not see who has just signed in.
 * Older browsers do not say where they come from: with them, every person's callback goes round, once.
 */
export function lacksStrictCookie(req: SiteRequest): boolean {
  const sameSite = req.session?.cookie?.sameSite;
  if (sameSite !== 'strict' && sameSite !== true) return false;
  if (wireQuery(req).has(MARKER)) return false;
  const site = req.headers['sec-fetch-site'];
  return site === undefined ? wantsHTML(req) : site === 'cross-site';
}

/** Lets a page of this site ask for the same address again: that request brings the session along. */
export function reloadFromOwnPage(req: SiteRequest, res: Response, path: string, links: PageLinks): void {
  const query = wireQuery(req);
  query.set(MARKER, '1');
  const next = `${path}?${query}`;
  res.setHeader('Refresh', `0; url=${next}`);
  // The session check goes by here in a frame of this site's own page.
  const isFrame = req.headers['sec-fetch-dest'] === 'iframe';
  sendPage(
    res,
    200,
    continuePage({ stylesheet: links.stylesheet, siteName: links.siteName, next }),
    isFrame ? FRAMED_POLICY : PAGE_POLICY,
  );
}
