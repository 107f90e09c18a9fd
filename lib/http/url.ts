const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** @param hostname of a URL @returns true for `localhost`, 127.0.0.0/8 and `[::1]` (RFC 8252 section 7.3). */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** @returns true for https, and for http on the loopback interface (service spec: "All requests must use HTTPS"). */
export function isSecureURL(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

/** @returns a URL that may be requested: https, or http on the loopback interface, without credentials; undefined for another one. */
export function secureURL(address: string): URL | undefined {
  try {
    const url = new URL(address);
    return isSecureURL(url) && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}

/** @returns a path in the form in which Express compares paths by default: in any case, with or without a slash at the end. */
export function foldPath(path: string): string {
  return path.toLowerCase().replace(/\/$/, '');
}

/** @returns true for a path below another one, in any case, as Express mounts. */
export function isBelow(path: string, base: string): boolean {
  return path.toLowerCase().startsWith(`${base}/`.toLowerCase());
}

/** @returns a path below `basePath`: it remains the same if it is there, otherwise `basePath` is put in front of it. */
export function belowBase(basePath: string, path: string): string {
  return isBelow(path, basePath) ? path : basePath + path;
}
