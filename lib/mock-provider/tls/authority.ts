import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { authorityExtensions, certificatePEM, serverExtensions } from './certificate.js';
import { hostName } from './host-name.js';

/** The key and the certificate of a server and the certificate of its authority, in PEM. */
interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

interface Authority {
  readonly name: string;
  readonly certificate: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly validity: { notBefore: number; notAfter: number };
  readonly issued: Map<string, ServerIdentity>;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1'];

let authority: Authority | undefined;

/**
 * Creates a certificate for hosts and for the loopback names, signed by an authority that this process creates at the first
 * call. Both are valid for a year. Private keys are never written to disk.
 */
export function identityFor(...names: readonly string[]): ServerIdentity {
  authority ??= createAuthority();
  const hosts = [...new Set([...names.map(hostName), ...LOCAL_HOSTS])];
  const key = hosts.join(' ');
  const known = authority.issued.get(key);
  if (known) return known;
  const identity = issue(authority, hosts);
  authority.issued.set(key, identity);
  return identity;
}

function createAuthority(): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // TLS clients use the machine's clock, not the mock provider's clock and not a Date that a test replaced.
  const now = performance.timeOrigin + performance.now();
  const validity = { notBefore: now - HOUR_MS, notAfter: now + YEAR_MS };
  const name = `Mock provider authority ${randomBytes(8).toString('hex')}`;
  const parts = { subject: name, issuer: name, publicKey, issuerKey: publicKey, extensions: authorityExtensions() };
  const certificate = certificatePEM({ ...parts, ...validity }, privateKey);
  return { name, certificate, publicKey, privateKey, validity, issued: new Map() };
}

function issue({ name, certificate, publicKey: issuerKey, privateKey, validity }: Authority, hosts: readonly string[]) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const parts = { subject: 'Mock provider', issuer: name, publicKey: pair.publicKey, issuerKey };
  const cert = certificatePEM({ ...parts, ...validity, extensions: serverExtensions(hosts) }, privateKey);
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { key, cert, ca: certificate };
}
