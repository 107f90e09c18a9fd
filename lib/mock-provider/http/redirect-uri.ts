/** @returns true for localhost, 127.0.0.0/8 and [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** @returns why a URI cannot be registered as a redirect URI, or undefined (RFC 9700 sections 2.1 and 2.6). */
export function redirectURIProblem(uri: string): string | undefined {
  const url = parse(uri);
  return url === undefined ? 'is not an absolute address' : problemOf(uri, url);
}

function problemOf(uri: string, url: URL): string | undefined {
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name';
  if (/[\s\\<>"]/.test(uri)) return 'has invalid characters';
  if (['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(url.protocol))
    return `is a ${url.protocol} address`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'is http on a public host: use https';
  return undefined;
}

/** @returns true for a loopback URI in the form in which browsers serialise it, for the default clients. */
export function isLoopbackURI(uri: string): boolean {
  const url = parse(uri);
  if (url === undefined || problemOf(uri, url) !== undefined) return false;
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  return web && isLoopbackHost(url.hostname) && (url.href === uri || url.href === `${uri}/`);
}

function parse(uri: string): URL | undefined {
  try {
    return new URL(uri);
  } catch {
    return undefined;
  }
}
