import { digest } from './digest.js';

/** A response, before it is written to a socket or returned by `provider.fetch`. */
export interface ProviderResponse {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: string;
  /** `reset` and `hang` replace the response; `cut` and `stall` end it in the middle of the body. */
  connectionFault?: 'reset' | 'cut' | 'stall' | 'hang';
  /** The names of the faults that closed the connection. */
  fault?: string | undefined;
  /** Milliseconds before the response is sent. */
  delay?: number;
  /** The client and the parameters of a redirect to it. */
  clientRedirect?: ClientRedirect;
  /** The members of the JSON body of the token endpoint. */
  members?: Readonly<Record<string, unknown>>;
}

/** The parameters of a redirect to a client; undefined omits one, a list repeats it. */
export type RedirectParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A redirect to a URI that a client registered. */
export interface ClientRedirect {
  readonly clientID: string;
  readonly uri: string;
  readonly mode: 'query' | 'fragment';
  readonly parameters: RedirectParameters;
}

/** @returns the part of a body that is sent before the connection is cut or stalls. */
export function firstHalf(body: string): string {
  return body.slice(0, body.length / 2);
}

/** The headers of every response of the token endpoint (service spec: token response; RFC 6749 section 5.1). */
export const TOKEN_HEADERS = {
  'Content-Type': 'application/json;charset=UTF-8',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
} as const;

/** Creates a response of the token endpoint. It also has the members, so that they are read without parsing the body. */
export function tokenEndpointResponse(
  status: number,
  members: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): ProviderResponse {
  return { status, headers: { ...TOKEN_HEADERS, ...headers }, body: JSON.stringify(members), members };
}

export function jsonResponse(status: number, value: unknown, headers: Record<string, string> = {}): ProviderResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function emptyResponse(status: number, headers: ProviderResponse['headers'] = {}): ProviderResponse {
  return { status, headers, body: '' };
}

/** Redirects: 302 after GET, 303 after POST, never 307, so that no form is sent again. */
export function redirectResponse(method: string, location: string, cookies: string[] = []): ProviderResponse {
  return emptyResponse(method === 'POST' ? 303 : 302, {
    Location: location,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    ...(cookies.length > 0 && { 'Set-Cookie': cookies }),
  });
}

/** Redirects to a client. The response also has the parameters, so that they are read without parsing `Location`. */
export function clientRedirectResponse(method: string, redirect: ClientRedirect, cookies: string[]): ProviderResponse {
  return { clientRedirect: redirect, ...redirectResponse(method, clientRedirectURL(redirect), cookies) };
}

/** @returns the URI with the parameters appended; the rest of it is unchanged. */
export function clientRedirectURL({ uri, mode, parameters }: ClientRedirect): string {
  let separator = mode === 'fragment' ? '#' : uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  let url = uri;
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of typeof values === 'string' ? [values] : (values ?? [])) {
      url += `${separator}${name}=${encodeURIComponent(value)}`;
      separator = '&';
    }
  }
  return url;
}

/** A body and its strong ETag. */
export interface Representation {
  readonly body: string;
  readonly etag: string;
}

export function representation(body: string): Representation {
  return { body, etag: `"${digest(body)}"` };
}

/** @returns the body, or 304 when If-None-Match has its ETag (RFC 9110 section 13.1.2). */
export function conditionalResponse(
  { body, etag }: Representation,
  headers: ProviderResponse['headers'],
  ifNoneMatch: string | undefined,
): ProviderResponse {
  const all = { ...headers, ETag: etag };
  return matchesETag(ifNoneMatch, etag) ? emptyResponse(304, all) : { status: 200, headers: all, body };
}

/** @returns true when If-None-Match has this ETag, by weak comparison (RFC 9110 section 13.1.2). */
function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** @returns the response, without a Content-Type if its body is empty: a client that parses by the type would reject it. */
export function withoutEmptyType(response: ProviderResponse): ProviderResponse {
  if (response.body !== '') return response;
  const { 'Content-Type': _, ...headers } = response.headers;
  return { ...response, headers };
}
