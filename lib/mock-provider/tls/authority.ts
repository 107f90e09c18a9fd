import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { authorityExtensions, certificatePEM, serverExtensions } from './certificate.js';
import { hostName } from './host-name.js';

/** Key and certificate of a server, in PEM, and the certificate of the authority that vouches for it. */
export interface ServerIdentity {
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

const AN_HOUR = 3_600_000;
const A_YEAR = 365 * 24 * AN_HOUR;
const THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];

let authority: Authority | undefined;

/**
 * Makes a certificate for a host, and for this machine's usual names, signed by an authority that this process makes when
 * it is first asked. Both last a year; private keys never leave memory.
 */
export function identityFor(host: string): ServerIdentity {
  authority ??= createAuthority();
  const hosts = [...new Set([hostName(host), ...THIS_MACHINE])];
  const [name = ''] = hosts;
  const known = authority.issued.get(name);
  if (known) return known;
  const identity = issue(authority, hosts);
  authority.issued.set(name, identity);
  return identity;
}

function createAuthority(): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // TLS goes by the machine's clock: neither by the mock's, nor by a Date that a test has replaced.
  const now = performance.timeOrigin + performance.now();
  const validity = { notBefore: now - AN_HOUR, notAfter: now + A_YEAR };
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
