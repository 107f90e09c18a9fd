import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import * as der from './der.js';
import { addressBytes } from './host-name.js';

const ECDSA_WITH_SHA256 = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = der.identifier('2.5.4.3');
const VERSION_3 = der.explicit(0, der.integer(Buffer.from([2])));
/** Tags of GeneralName (RFC 5280 section 4.2.1.6). */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** An extension of a certificate (RFC 5280 section 4.2.1). */
type Extension = Buffer;

function extension(id: string, critical: boolean, value: Buffer): Extension {
  const parts = [der.identifier(id), ...(critical ? [der.TRUE] : []), der.octetString(value)];
  return der.sequence(...parts);
}

/** Allows signing certificates of servers, but not of another authority. */
export function authorityExtensions(): Extension[] {
  const keyCertSignAndCRLSign = der.bitString(Buffer.from([0b0000_0110]), 1);
  const pathLengthZero = der.sequence(der.TRUE, der.integer(Buffer.from([0])));
  return [extension('2.5.29.19', true, pathLengthZero), extension('2.5.29.15', true, keyCertSignAndCRLSign)];
}

/** Allows TLS server authentication for these hosts, each a DNS name or an IP address. */
export function serverExtensions(hosts: readonly string[]): Extension[] {
  const digitalSignature = der.bitString(Buffer.from([0b1000_0000]), 7);
  const serverAuth = der.identifier('1.3.6.1.5.5.7.3.1');
  const names = hosts.map((host) => {
    const address = addressBytes(host);
    return address ? der.implicit(IP_ADDRESS, address) : der.implicit(DNS_NAME, Buffer.from(host, 'ascii'));
  });
  return [
    extension('2.5.29.19', true, der.sequence()),
    extension('2.5.29.15', true, digitalSignature),
    extension('2.5.29.37', false, der.sequence(serverAuth)),
    extension('2.5.29.17', false, der.sequence(...names)),
  ];
}

/** The contents of a certificate. */
interface Certificate {
  /** A common name, as is the issuer. */
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly issuerKey: KeyObject;
  /** Milliseconds since the Unix epoch. */
  readonly notBefore: number;
  /** Milliseconds since the Unix epoch. */
  readonly notAfter: number;
  readonly extensions: readonly Extension[];
}

/** @returns an X.509 certificate in PEM, signed with the issuer's private key, which must be a P-256 key. */
export function certificatePEM(certificate: Certificate, issuerPrivateKey: KeyObject): string {
  const tbs = tbsCertificate(certificate);
  const signature = sign('sha256', tbs, issuerPrivateKey);
  const whole = der.sequence(tbs, ECDSA_WITH_SHA256, der.bitString(signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Encodes the part of a certificate that is signed (RFC 5280 section 4.1.2). */
function tbsCertificate({
  subject,
  issuer,
  publicKey,
  issuerKey,
  notBefore,
  notAfter,
  extensions,
}: Certificate): Buffer {
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

/** Generates a positive serial number, unique for each certificate of an issuer (RFC 5280 section 4.1.2.2): 126 random bits. */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  return serial;
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Computes a key identifier by RFC 7093 section 2, method 1: the first 160 bits of the SHA-256 of the public key's bits. */
function keyIdentifier(key: KeyObject): Buffer {
  const uncompressedPoint = spki(key).subarray(-65);
  return createHash('sha256').update(uncompressedPoint).digest().subarray(0, 20);
}
