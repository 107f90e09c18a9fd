import type { ProviderResponse } from './response.js';

/** Selects which pages of other origins may read a response: any, any with an access token, or only with the option apiCORS. */
export type CrossOrigin = 'public' | 'bearer' | 'option';

interface Options {
  readonly apiCORS: boolean;
}

const API_HEADERS =
  'ETag, Retry-After, WWW-Authenticate, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset';

type Headers = ProviderResponse['headers'];

/** @returns the headers of a response, with those that pages of other origins need; never with credentials, so `*` is safe. */
export function addCrossOriginHeaders(headers: Headers, allowed: CrossOrigin, options: Options): Headers {
  if (!isReadable(allowed, options)) return headers;
  if (allowed === 'public') return { 'Access-Control-Allow-Origin': '*', ...headers };
  const exposed = allowed === 'bearer' ? 'WWW-Authenticate' : API_HEADERS;
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed, ...headers };
}

/** @returns the headers that a response to a preflight request has in addition. */
export function preflightHeaders(allowed: CrossOrigin | undefined, options: Options, methods: string): Headers {
  if (!isReadable(allowed, options)) return {};
  return {
    'Access-Control-Allow-Methods': methods,
    ...(allowed !== 'public' && { 'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match' }),
    'Access-Control-Max-Age': '300',
  };
}

function isReadable(allowed: CrossOrigin | undefined, { apiCORS }: Options): boolean {
  return allowed === 'option' ? apiCORS : allowed !== undefined;
}
