import { removeCookie, requestCookies } from '../cookies.js';
import type { SiteRequest } from './types.js';

/**
 * @returns the names of the cookies that brought this session. express-session keeps its `name` to itself, so they are known by
 * what they hold: `s:`, the session's id, `.`, a signature. Nobody else knows the id.
 */
function namesOf(req: SiteRequest): string[] {
  if (!req.sessionID) return [];
  const signed = `s:${req.sessionID}.`;
  return requestCookies(req).flatMap(([name, value]) => (value.startsWith(signed) ? [name] : []));
}

/** @returns what takes the session's cookie from the browser, once the session is over. Call it while there is a session. */
export function createCookieRemoval(req: SiteRequest): () => void {
  const names = namesOf(req);
  const { path = '/', domain, secure, httpOnly, sameSite, partitioned } = req.session?.cookie ?? {};
  const given = { path, domain, secure: secure === true, httpOnly, sameSite, partitioned };
  return function removeSessionCookie() {
    if (!req.res || req.res.headersSent) return;
    for (const name of names) removeCookie(req.res, name, given);
  };
}
