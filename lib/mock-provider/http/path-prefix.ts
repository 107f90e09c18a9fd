import type { ProviderResponse } from './response.js';

/** The attributes of our own pages that hold addresses. What a person wrote is escaped, so it has no such quote. */
const OWN_LINK = /(\s(?:href|action|src)=")\/(?!\/)/g;

/**
 * Endpoints and pages know the paths of the service alone. Where a house stands below a path, this puts the path before the
 * addresses of its own that an answer holds: where it redirects to, and the links and forms of a page.
 */
export function addPathPrefix(prefix: string, answer: ProviderResponse): ProviderResponse {
  if (prefix === '') return answer;
  const { Location: location } = answer.headers;
  const headers =
    typeof location === 'string' && isOwn(location)
      ? { ...answer.headers, Location: prefix + location }
      : answer.headers;
  const isPage = String(headers['Content-Type']).startsWith('text/html');
  const body = isPage ? answer.body.replace(OWN_LINK, (_whole, start: string) => `${start}${prefix}/`) : answer.body;
  return { ...answer, headers, body };
}

function isOwn(location: string): boolean {
  return location.startsWith('/') && !location.startsWith('//');
}
