import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import * as der from './der.js';
import { addressBytes } from './host-name.js';

const ECDSA_WITH_SHA256 = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = der.identifier('2.5.4.3');
const VERSION_3 = der.explicit(0, der.integer(Buffer.from([2])));
const NAME = 2;
const ADDRESS = 7;

/** An extension of a certificate (RFC 5280 section 4.2.1). */
type Extension = Buffer;

function extension(id: string, critical: boolean, value: Buffer): Extension {
  const parts = [der.identifier(id), ...(critical ? [der.yes] : []), der.octetString(value)];
  return der.sequence(...parts);
}

/** Says that it signs certificates of servers, and of no further authority. */
export function authorityExtensions(): Extension[] {
  const signsCertificatesAndLists = der.bitString(Buffer.from([0b0000_0110]), 1);
  const noAuthorityBelow = der.sequence(der.yes, der.integer(Buffer.from([0])));
  return [extension('2.5.29.19', true, noAuthorityBelow), extension('2.5.29.15', true, signsCertificatesAndLists)];
}

/** Says that it is a server of these hosts, each a name or an IP address. */
export function serverExtensions(hosts: readonly string[]): Extension[] {
  const digitalSignature = der.bitString(Buffer.from([0b1000_0000]), 7);
  const serverAuthentication = der.identifier('1.3.6.1.5.5.7.3.1');
  const names = hosts.map((host) => {
    const address = addressBytes(host);
    return address ? der.implicit(ADDRESS, address) : der.implicit(NAME, Buffer.from(host, 'ascii'));
  });
  return [
    extension('2.5.29.19', true, der.sequence()),
    extension('2.5.29.15', true, digitalSignature),
    extension('2.5.29.37', false, der.sequence(serverAuthentication)),
    extension('2.5.29.17', false, der.sequence(...names)),
  ];
}

/** What stands in a certificate: two common names, two times in milliseconds of the epoch, and whose key it is. */
export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly issuerKey: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Extension[];
}

/** @returns an X.509 certificate in PEM, signed with the issuer's private key, a P-256 one. */
export function certificatePEM(certificate: Certificate, issuerPrivateKey: KeyObject): string {
  const signed = toBeSigned(certificate);
  const signature = sign('sha256', signed, issuerPrivateKey);
  const whole = der.sequence(signed, ECDSA_WITH_SHA256, der.bitString(signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function toBeSigned({ subject, issuer, publicKey, issuerKey, notBefore, notAfter, extensions }: Certificate): Buffer {
  const keyIdentifiers = [
    extension('2.5.29.14', false, der.octetString(keyIdentifier(publicKey))),
    extension('2.5.29.35', false, der.sequence(der.implicit(0, keyIdentifier(issuerKey)))),
  ];
  return der.sequence(
    VERSION_3,
    der.integer(serialNumber()),
    ECDSA_WITH_SHA256,
    name(issuer),
    der.sequence(der.time(notBefore), der.time(notAfter)),
    name(subject),
    spki(publicKey),
    der.explicit(3, der.sequence(...extensions, ...keyIdentifiers)),
  );
}

function name(common: string): Buffer {
  return der.sequence(der.set(der.sequence(COMMON_NAME, der.utf8String(common))));
}

/** 127 random bits: no two certificates of one issuer may share a number, and it is positive (RFC 5280 section 4.1.2.2). */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  return serial;
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** RFC 7093 section 2, method 1: 160 bits of the SHA-256 of the key's bits. */
function keyIdentifier(key: KeyObject): Buffer {
  const uncompressedPoint = spki(key).subarray(-65);
  return createHash('sha256').update(uncompressedPoint).digest().subarray(0, 20);
}
