import type { IncomingMessage } from 'node:http';

/**
 * @returns true when a browser vouches that the request came from this site's own pages: by `Sec-Fetch-Site`, which no
 * script can forge, else by `Origin`. A request that carries neither is not vouched for.
 */
export function isFromOwnPages(req: IncomingMessage, origin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return req.headers.origin === origin;
}
