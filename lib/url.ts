import { ConfigurationError } from './errors.js';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** @returns true for the machine itself: `localhost`, 127.0.0.0/8 and `[::1]`, as `URL.hostname` spells them (RFC 8252 section 7.3). */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** @returns true for https, and for http that does not leave the machine. The service spec: "All requests must use HTTPS". */
export function isSecureURL(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

/**
 * @returns the address as a URL.
 * @throws ConfigurationError `insecure_url` for anything but https (http to the machine itself excepted), and for credentials in the address.
 */
export function secureURL(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isSecureURL(url) || url.username !== '' || url.password !== '') {
    const place = url === undefined ? 'An address that is no URL' : `${url.protocol}//${url.host}`;
    throw new ConfigurationError(
      'insecure_url',
      `${place} is not asked: use https without credentials in the address. Plain http is for localhost, 127.0.0.1 and [::1] only.`,
    );
  }
  return url;
}
