import type { Rules } from '../provider-instance.js';

/** Which pages of other origins may read an answer (decision 3): any, any with an access token, or those too when an option says so. */
export type CrossOrigin = 'public' | 'bearer' | 'option';

const API_HEADERS =
  'ETag, Retry-After, WWW-Authenticate, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset';

/** @returns the headers for any answer of such a path; never with credentials, so `*` is no danger. */
export function crossOriginHeaders(allowed: CrossOrigin | undefined, { apiCORS }: Rules): Record<string, string> {
  if (allowed === undefined || (allowed === 'option' && !apiCORS)) return {};
  const origin = { 'Access-Control-Allow-Origin': '*' };
  if (allowed === 'public') return origin;
  return { ...origin, 'Access-Control-Expose-Headers': allowed === 'bearer' ? 'WWW-Authenticate' : API_HEADERS };
}

/** @returns what a preflight request is told besides. */
export function preflightHeaders(
  allowed: CrossOrigin | undefined,
  rules: Rules,
  methods: string,
): Record<string, string> {
  const headers = crossOriginHeaders(allowed, rules);
  if (Object.keys(headers).length === 0) return {};
  return {
    ...headers,
    'Access-Control-Allow-Methods': methods,
    ...(allowed !== 'public' && { 'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match' }),
    'Access-Control-Max-Age': '300',
  };
}
