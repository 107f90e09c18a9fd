/** @returns true for the names of this machine alone: localhost, 127.0.0.0/8 and [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** @returns why an address cannot be registered as a redirect URI, or undefined when it can (RFC 9700 sections 2.1 and 2.6). */
export function redirectURIFault(uri: string): string | undefined {
  const url = parse(uri);
  if (url === undefined) return 'is not an absolute address';
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name in it';
  if (/[\s\\<>"]/.test(uri)) return 'has characters that no address has';
  if (['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(url.protocol))
    return `is a ${url.protocol} address`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'is http on a public host: use https';
  return undefined;
}

/** @returns true for an address of this machine, written as a browser would write it. For the ready-made clients alone. */
export function isLoopbackURI(uri: string): boolean {
  const url = parse(uri);
  if (url === undefined || redirectURIFault(uri) !== undefined) return false;
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  return web && isLoopbackHost(url.hostname) && (url.href === uri || url.href === `${uri}/`);
}

/** @returns true when two http loopback addresses differ in nothing but the port (RFC 8252 section 7.3). */
export function differsInLoopbackPortOnly(uri: string, registered: string): boolean {
  const [asked, known] = [parse(uri), parse(registered)];
  if (asked === undefined || known === undefined || !isLoopbackURI(uri)) return false;
  if (asked.protocol !== 'http:' || known.protocol !== 'http:' || asked.hostname !== known.hostname) return false;
  return withoutPort(uri, asked) === withoutPort(registered, known);
}

function withoutPort(uri: string, url: URL): string {
  return url.port === '' ? uri : uri.replace(`:${url.port}`, '');
}

function parse(uri: string): URL | undefined {
  return URL.canParse(uri) ? new URL(uri) : undefined;
}
