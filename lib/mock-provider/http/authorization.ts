/** The credentials of a client. */
export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
}

/** Names why an Authorization header has no Basic credentials. */
export type BasicError = 'other scheme' | 'no base64' | 'no colon';

/** @returns the credentials of an Authorization header as they were sent: both parts are form-url-encoded (RFC 6749 section 2.3.1). */
export function basicCredentials(header: string): BasicCredentials | BasicError {
  if (!/^basic( |$)/i.test(header)) return 'other scheme';
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined || encoded.replace(/=+$/, '').length % 4 === 1) return 'no base64';
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon < 0 ? 'no colon' : { id: decoded.slice(0, colon), secret: decoded.slice(colon + 1) };
}

/** A token; `malformed`: one that is not readable (RFC 6750 section 2.1). */
export type Bearer = { readonly token: string } | 'malformed';

/** @returns the token of an Authorization header; undefined for another scheme. */
export function bearerToken(header: string): Bearer | undefined {
  if (!/^bearer( |$)/i.test(header)) return undefined;
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header) ?? [];
  return token === undefined ? 'malformed' : { token };
}
