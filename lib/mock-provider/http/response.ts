import { digest } from './digest.js';

/** What an endpoint answers, before it is written to a socket or handed to a caller of `provider.fetch`. */
export interface ProviderResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
  /** Instead of answering: cut the connection, cut it or stop in the middle of the body, or leave the caller waiting. */
  connectionFault?: 'reset' | 'cut' | 'stall' | 'hang';
  /** Milliseconds to wait before answering. */
  delay?: number;
  /** The client that the browser is redirected to, with the parameters in `Location`. */
  clientRedirect?: ClientRedirect;
}

/** The parameters that are added to an address of a client; undefined leaves one out, a list repeats it. */
export type RedirectParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A redirect to an address that a client registered. */
export interface ClientRedirect {
  readonly clientID: string;
  readonly uri: string;
  readonly mode: 'query' | 'fragment';
  readonly parameters: RedirectParameters;
}

/** @returns what goes out of a body before the connection is cut or stands still. */
export function half(body: string): string {
  return body.slice(0, body.length / 2);
}

/** The three headers on every answer of the token endpoint (service spec: token response; RFC 6749 section 5.1). */
export const TOKEN_HEADERS = {
  'Content-Type': 'application/json;charset=UTF-8',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
} as const;

export function jsonResponse(status: number, value: unknown, headers: Record<string, string> = {}): ProviderResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function emptyResponse(status: number, headers: Record<string, string | string[]> = {}): ProviderResponse {
  return { status, headers, body: '' };
}

/** A redirect: 302 after GET, 303 after POST so that the form is not sent on, never 307 (decision 9). */
export function redirectResponse(method: string, location: string, cookies: string[] = []): ProviderResponse {
  return emptyResponse(method === 'POST' ? 303 : 302, {
    Location: location,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    ...(cookies.length > 0 && { 'Set-Cookie': cookies }),
  });
}

/** Redirects to a client. The parameters stay with the response, so that they can be read without parsing `Location`. */
export function clientRedirectResponse(method: string, redirect: ClientRedirect, cookies: string[]): ProviderResponse {
  return { ...redirectResponse(method, clientRedirectURL(redirect), cookies), clientRedirect: redirect };
}

/** @returns the address with the parameters; what it contains already is kept byte for byte (decision 9). */
export function clientRedirectURL({ uri, mode, parameters }: ClientRedirect): string {
  const text = Object.entries(parameters)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (text === '') return uri;
  if (mode === 'fragment') return `${uri}#${text}`;
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${text}`;
}

/** A document that does not change, serialised once with its ETag. */
export interface StaticDocument {
  readonly etag: string;
  readonly fresh: ProviderResponse;
  readonly notModified: ProviderResponse;
}

export function staticDocument(body: string, headers: Record<string, string>): StaticDocument {
  const etag = `"${digest(body)}"`;
  return {
    etag,
    fresh: { status: 200, headers: { ...headers, ETag: etag }, body },
    notModified: emptyResponse(304, { ...withoutContentType(headers), ETag: etag }),
  };
}

/** @returns the document, or 304 when the caller has it already (RFC 9110 section 13.1.2). */
export function documentResponse(document: StaticDocument, ifNoneMatch: string | undefined): ProviderResponse {
  const answer = matchesETag(ifNoneMatch, document.etag) ? document.notModified : document.fresh;
  return { ...answer, headers: { ...answer.headers } };
}

/** @returns true when an If-None-Match header names this ETag; compared weakly, as RFC 9110 section 13.1.2 says. */
export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function withoutContentType({ 'Content-Type': _, ...headers }: Record<string, string>): Record<string, string> {
  return headers;
}

/** What a resource says, and the strong ETag over it (decision 93). */
export interface Representation {
  readonly body: string;
  readonly etag: string;
}
