import type { ProviderResponse } from './response.js';

/** Selects which pages of other origins may read a response: any, or any with an access token. */
export type CrossOrigin = 'public' | 'bearer';

type Headers = ProviderResponse['headers'];

/** @returns the headers of a response, with those that pages of other origins need; never with credentials, so `*` is safe. */
export function addCrossOriginHeaders(headers: Headers, allowed: CrossOrigin): Headers {
  const exposed = allowed === 'bearer' && { 'Access-Control-Expose-Headers': 'WWW-Authenticate' };
  return { 'Access-Control-Allow-Origin': '*', ...exposed, ...headers };
}

/** @returns the headers that a response to a preflight request has in addition. */
export function preflightHeaders(allowed: CrossOrigin | undefined, methods: string): Headers {
  if (allowed === undefined) return {};
  return {
    'Access-Control-Allow-Methods': methods,
    ...(allowed === 'bearer' && { 'Access-Control-Allow-Headers': 'Authorization, Content-Type' }),
    'Access-Control-Max-Age': '300',
  };
}
