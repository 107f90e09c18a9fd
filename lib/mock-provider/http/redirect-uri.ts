/** @returns true for localhost, 127.0.0.0/8 and [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** @returns true for a host of this machine in a URL: a loopback host, or a name below localhost (RFC 6761 section 6.3). */
export function isLocalHost(hostname: string): boolean {
  return isLoopbackHost(hostname) || /^([a-z\d]([\w-]*[a-z\d])?\.)+localhost$/.test(hostname);
}

/** @returns true for a name without a dot, such as `web`, as containers have in their network. */
function isContainerHost(hostname: string): boolean {
  return /^[a-z\d]([\w-]*[a-z\d])?$/.test(hostname) && !isLoopbackHost(hostname);
}

/**
 * @param provider the host name of the provider: if it is that of a container, URIs with http may be of containers too
 * @returns why a URI cannot be registered as a redirect URI, or undefined (RFC 9700 sections 2.1 and 2.6).
 */
export function redirectURIProblem(uri: string, provider: string): string | undefined {
  const url = parse(uri);
  if (url === undefined) return 'is not an absolute address';
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name';
  if (/[\s\\<>"]/.test(uri)) return 'has invalid characters';
  if (['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(url.protocol))
    return `is a ${url.protocol} address`;
  if (url.protocol !== 'http:' || isLocalHTTP(uri, provider)) return undefined;
  return 'is http on a host other than localhost, *.localhost, 127.0.0.1 and [::1]: use https';
}

/** @returns true for http on a host of this machine or of a container, which is written as browsers serialise it. */
export function isLocalHTTP(uri: string, provider: string): boolean {
  const url = parse(uri);
  const [, host] = /^http:\/\/([^/?#]*)/.exec(uri) ?? [];
  if (url === undefined || (host !== url.host && host !== `${url.hostname}:80`)) return false;
  return isLocalHost(url.hostname) || (isContainerHost(provider) && isContainerHost(url.hostname));
}

/** @returns true for a URI of this machine, or of a container, in the form in which browsers serialise it: for the default clients. */
export function isLocalURI(uri: string, provider: string): boolean {
  const url = parse(uri);
  if (url === undefined || redirectURIProblem(uri, provider) !== undefined) return false;
  const isLocal = url.protocol === 'https:' ? isLocalHost(url.hostname) : url.protocol === 'http:';
  return isLocal && (url.href === uri || url.href === `${uri}/`);
}

function parse(uri: string): URL | undefined {
  return URL.canParse(uri) ? new URL(uri) : undefined;
}
