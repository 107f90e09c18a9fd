import type { Response } from 'express';
import { goingOnPage } from '../html/going-on-page.js';
import { type AnswerLinks, sendPage } from './answers.js';
import type { SiteRequest } from './types.js';

/**
 * Browsers send no `SameSite=Strict` cookie where another site's page led to the request, nor along the redirects that follow.
 * Left at that, a callback would miss the site's session, and the page after it would not see who has just signed in.
 */
export function lacksStrictSession(req: SiteRequest): boolean {
  const sameSite = req.session?.cookie?.sameSite;
  return req.headers['sec-fetch-site'] === 'cross-site' && (sameSite === 'strict' || sameSite === true);
}

/** Lets a page of this site ask for the same address again: that request brings the session along. */
export function askAgainFromHere(res: Response, address: string, links: AnswerLinks): void {
  res.setHeader('Refresh', `0; url=${address}`);
  sendPage(res, 200, goingOnPage({ stylesheet: links.stylesheet, next: address }));
}
