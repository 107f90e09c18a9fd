/** Selects which pages of other origins may read a response: any, any with an access token, or only with the option apiCORS. */
export type CrossOrigin = 'public' | 'bearer' | 'option';

interface Options {
  readonly apiCORS: boolean;
}

const API_HEADERS =
  'ETag, Retry-After, WWW-Authenticate, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset';

/** @returns the headers for a response of such a path; never with credentials, so `*` is safe. */
export function crossOriginHeaders(allowed: CrossOrigin | undefined, { apiCORS }: Options): Record<string, string> {
  if (allowed === undefined || (allowed === 'option' && !apiCORS)) return {};
  const origin = { 'Access-Control-Allow-Origin': '*' };
  if (allowed === 'public') return origin;
  return { ...origin, 'Access-Control-Expose-Headers': allowed === 'bearer' ? 'WWW-Authenticate' : API_HEADERS };
}

/** @returns the headers for a preflight request. */
export function preflightHeaders(
  allowed: CrossOrigin | undefined,
  options: Options,
  methods: string,
): Record<string, string> {
  const headers = crossOriginHeaders(allowed, options);
  if (Object.keys(headers).length === 0) return {};
  return {
    ...headers,
    'Access-Control-Allow-Methods': methods,
    ...(allowed !== 'public' && { 'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match' }),
    'Access-Control-Max-Age': '300',
  };
}
