import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/**
 * @returns the token of an Authorization header; undefined without the scheme Bearer; 'malformed' for a token that is not
 * readable (RFC 6750 section 2.1).
 */
export function bearerToken({ authorization }: IncomingHttpHeaders): { token: string } | 'malformed' | undefined {
  if (authorization === undefined || !/^bearer( |$)/i.test(authorization)) return undefined;
  const [, token] = BEARER.exec(authorization) ?? [];
  return token === undefined ? 'malformed' : { token };
}
