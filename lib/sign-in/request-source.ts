import type { IncomingMessage } from 'node:http';

/** Reads what sent a request. A page of a sibling host (`same-site`) is a page of another site: its owner may be another one. */

/**
 * @returns whether the request is of the same origin, by `Sec-Fetch-Site`, which scripts cannot set, else by `Origin`; undefined
 * where the browser sent neither. `Origin: null` is ambiguous: a form of this site sends it under helmet's
 * `Referrer-Policy: no-referrer`, and so does a form in the sandboxed frame of another site.
 */
export function isSameOrigin({ headers }: IncomingMessage, origin: string): boolean | undefined {
  const site = headers['sec-fetch-site'];
  // 'none' is a request of the user: the address bar, a bookmark.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || headers.origin === 'null' ? undefined : headers.origin === origin;
}

/**
 * @returns true for a navigation from a page of another site. Browsers that do not send `Sec-Fetch-Site` are known by their
 * `Referer`, which the other site can leave out: then false.
 */
export function isFromOtherSite(req: IncomingMessage, origin: string): boolean {
  return !(isSameOrigin(req, origin) ?? isSameReferer(req, origin));
}

function isSameReferer({ headers: { referer } }: IncomingMessage, origin: string): boolean {
  return !referer || (URL.canParse(referer) && new URL(referer).origin === origin);
}
