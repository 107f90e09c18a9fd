import { isIP } from 'node:net';

/** @returns the bytes of an IP address, four or sixteen, or undefined for a name (RFC 5280 section 4.2.1.6). */
export function addressBytes(host: string): Buffer | undefined {
  const version = isIP(host);
  if (version === 4) return Buffer.from(host.split('.').map(Number));
  return version === 6 ? sixteenBytes(host) : undefined;
}

/** @returns a host as it stands in an address, without brackets: lower case, punycode, an IP address in its usual form. */
export function hostName(host: string): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return new URL(`https://${name}`).hostname.replaceAll(/[[\]]/g, '');
}

function sixteenBytes(address: string): Buffer {
  // As an address of the web it has no dots and no capital letters any more, and "::" at most once.
  const [head = '', tail] = hostName(address).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [before, after] = [groups(head), groups(tail)];
  const between = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const hex = [...before, ...between, ...after].map((group) => group.padStart(4, '0')).join('');
  return Buffer.from(hex, 'hex');
}
