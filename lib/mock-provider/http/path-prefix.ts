import { PATHS } from './paths.js';
import type { ProviderResponse } from './response.js';

const DOCUMENTS = [PATHS.authorizationServer, PATHS.openidConfiguration];

/** @returns a path without the path of the provider; undefined for one that is not below it. */
export function withoutPathPrefix(prefix: string, path: string): string | undefined {
  if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
  // RFC 8414 section 3.1 inserts a well-known path before the issuer's path; OpenID Connect Discovery appends it.
  return DOCUMENTS.find((document) => path === document + prefix);
}

/** The links and forms of the provider's pages. User input is escaped, so it contains no such quote. */
const OWN_LINK = /(\s(?:href|action|src)=")\/(?!\/)/g;

/**
 * Adds the path of a provider to its own addresses in a response: the target of a redirect, and the links and forms of a
 * page. Endpoints and pages use only the paths of the service.
 */
export function addPathPrefix(prefix: string, response: ProviderResponse): ProviderResponse {
  if (prefix === '') return response;
  const { Location: location } = response.headers;
  const headers =
    typeof location === 'string' && isOwn(location)
      ? { ...response.headers, Location: prefix + location }
      : response.headers;
  const isPage = String(headers['Content-Type']).startsWith('text/html');
  const body = isPage
    ? response.body.replace(OWN_LINK, (_whole, start: string) => `${start}${prefix}/`)
    : response.body;
  return { ...response, headers, body };
}

function isOwn(location: string): boolean {
  return location.startsWith('/') && !location.startsWith('//');
}
