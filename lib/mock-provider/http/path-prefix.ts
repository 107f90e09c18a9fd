import type { ProviderResponse } from './response.js';

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
