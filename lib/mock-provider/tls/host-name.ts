import { isIP } from 'node:net';

/** @returns the 4 or 16 bytes of an IP address, or undefined for a DNS name (RFC 5280 section 4.2.1.6). */
export function addressBytes(host: string): Buffer | undefined {
  const version = isIP(host);
  if (version === 4) return Buffer.from(host.split('.').map(Number));
  return version === 6 ? ipv6Bytes(host) : undefined;
}

/** @returns a host as the URL parser normalizes it, without brackets: lower case, punycode, a compressed IPv6 address. */
export function hostName(host: string): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return new URL(`https://${name}`).hostname.replaceAll(/[[\]]/g, '');
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser removes an embedded IPv4 address, writes lower case, and leaves at most one "::".
  const [head = '', tail] = hostName(address).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const hex = [...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join('');
  return Buffer.from(hex, 'hex');
}
