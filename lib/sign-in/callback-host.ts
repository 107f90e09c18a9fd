import { isLoopbackHost } from '../http/url.js';
import type { Visit } from '../session/visit.js';

/** Marks a request that was redirected to the host of `callbackURL`, so that it is redirected only once. */
const MARKER = 'from_other_host';

/**
 * Finds logins that start at another name of this machine than that in `callbackURL`, for example `localhost` instead of `127.0.0.1`:
 * the callback would not receive their cookies.
 * @param path the path and query of the request in the browser
 * @returns the URL on the host of `callbackURL` to redirect to first; undefined for any other request
 */
export function otherLoopbackURL({ req, query, visits }: Visit, path: string): string | undefined {
  const { origin, hostname: expected } = new URL(visits.site.callbackURL);
  // In HTTP/2, `:authority` is in place of `Host` (RFC 9113 section 8.3.1).
  const host = `http://${req.headers[':authority'] ?? req.headers.host}`;
  // A proxy may have replaced the host: its request is redirected once at most.
  if (req.method !== 'GET' || req.headers['x-forwarded-host'] || query.has(MARKER)) return undefined;
  if (!isLoopbackHost(expected) || !URL.canParse(host) || !path.startsWith('/')) return undefined;
  const { hostname } = new URL(host);
  if (hostname === expected || !isLoopbackHost(hostname)) return undefined;
  const url = new URL(origin + path);
  // A page that has opened a window is on another origin, so the window cannot return to it.
  url.searchParams.delete('display');
  url.searchParams.set(MARKER, '1');
  return url.href;
}
