import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ResolvedOptions } from '../options/resolve-provider-options.js';
import { quoted, violationAt } from '../options/validate.js';

/** The key and the certificate of the server, in PEM. */
export interface ServerIdentity {
  readonly key: string | Uint8Array;
  readonly cert: string | Uint8Array;
  /** The certificate of the authority, if the certificate is that of this package. */
  readonly ca?: string;
}

/*
 * A PUBLIC KEY PAIR for loopback names: its private key is in every copy of this package. The authority is
 * valid for no other name (RFC 5280 section 4.2.1.10), and its private key was deleted. It is not for the
 * trust store of a system.
 */
const KEY = `
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgByvca+Sj6Dy37Yi4ByCYsQVY8evPAgLKVEVeHLG8G1yhRANCAAQI
i18t5eMZmqxUCuOC2f71WFAysY5k0LJXI9bOEg06Ehj2nxCYUXU718F9WUlua9ZVc4sH4QdC9jY8wRjOIvli`;
const CERTIFICATE = `
MIICHDCCAcOgAwIBAgIUThFEdhnfZv3H0KconGEckTZC7jEwCgYIKoZIzj0EAwIwPDE6MDgGA1UEAwwxcGFzc3BvcnQtY2xpbmlj
aWFuIG1vY2sgcHJvdmlkZXIgKGxvY2FsaG9zdCBvbmx5KTAgFw0yNTAxMDEwMDAwMDBaGA8yMDU2MDEwMTAwMDAwMFowKzEpMCcG
A1UEAwwgcGFzc3BvcnQtY2xpbmljaWFuIG1vY2sgcHJvdmlkZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQIi18t5eMZmqxU
CuOC2f71WFAysY5k0LJXI9bOEg06Ehj2nxCYUXU718F9WUlua9ZVc4sH4QdC9jY8wRjOIvlio4GxMIGuMAwGA1UdEwEB/wQCMAAw
DgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBTOeUd+Dy7K6ITiSO8+7Cv+9wyPVjAfBgNVHSME
GDAWgBSjQPltukV8rTwW+1hprx6hAhAZUzA5BgNVHREEMjAwgglsb2NhbGhvc3SCCyoubG9jYWxob3N0hwR/AAABhxAAAAAAAAAA
AAAAAAAAAAABMAoGCCqGSM49BAMCA0cAMEQCIDu7t+jUrLZ9ak9U7+tKaPog0GtEeBgKp1YNIQ6qairyAiAcw1izaSqLicFxodRB
hvJzR/MwCFZjdfaVv3pZVCjlhA==`;
const AUTHORITY = `
MIICJDCCAcugAwIBAgIUWWC6AD6WqjYd9BaSLGZFsr/B+aYwCgYIKoZIzj0EAwIwPDE6MDgGA1UEAwwxcGFzc3BvcnQtY2xpbmlj
aWFuIG1vY2sgcHJvdmlkZXIgKGxvY2FsaG9zdCBvbmx5KTAgFw0yNTAxMDEwMDAwMDBaGA8yMDU2MDEwMTAwMDAwMFowPDE6MDgG
A1UEAwwxcGFzc3BvcnQtY2xpbmljaWFuIG1vY2sgcHJvdmlkZXIgKGxvY2FsaG9zdCBvbmx5KTBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABPlyhPdsFa6182Cc0iJz0b4PkMnFsihmVKSSusopK15hPfhE8mdNKZ01kNM88u2kJkciRyYwBfa+BItB0BOy1kijgagw
gaUwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAgQwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFKNA+W26
RXytPBb7WGmvHqECEBlTMEsGA1UdHgEB/wRBMD+gPTALgglsb2NhbGhvc3QwCocIfwAAAf////8wIocgAAAAAAAAAAAAAAAAAAAA
Af////////////////////8wCgYIKoZIzj0EAwIDRwAwRAIgeOqG3IjdcxkRzcFwJlvdBaZlR0JdaO5JNqEkxQQgXh0CICBmNMdM
9HZtWq01qx3WbWFSiWkNqDNDHJVw6+/Uo7cA`;

const fromDER = (base64: string): Buffer => Buffer.from(base64, 'base64');

/**
 * @returns undefined for plain http. Throws an {@link OptionError} if the certificate of this package does not name the host of the
 * provider, as Node and OpenSSL compare names.
 */
export function serverIdentity({ https, host, publicURL }: ResolvedOptions): ServerIdentity | undefined {
  if (https !== true) return https || undefined;
  const certificate = new X509Certificate(fromDER(CERTIFICATE));
  const name = (publicURL === undefined ? host : new URL(publicURL).hostname).replaceAll(/[[\]]/g, '');
  const isNamed = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name);
  if (isNamed === undefined) throw notNamed(publicURL === undefined ? 'host' : 'publicURL', name);
  const key = createPrivateKey({ key: fromDER(KEY), format: 'der', type: 'pkcs8' });
  return {
    key: key.export({ format: 'pem', type: 'pkcs8' }) as string,
    cert: certificate.toString(),
    ca: new X509Certificate(fromDER(AUTHORITY)).toString(),
  };
}

function notNamed(option: 'host' | 'publicURL', name: string): Error {
  const subject = `-subj /CN=mock -addext subjectAltName=${isIP(name) ? 'IP' : 'DNS'}:${name}`;
  return violationAt(
    [option],
    `has the host ${quoted(name)}, and the certificate of https: true is for localhost, 127.0.0.1 and ::1. Create one, and set https to { key, cert }, the contents of the two files: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 ${subject} -keyout key.pem -out cert.pem`,
  );
}
