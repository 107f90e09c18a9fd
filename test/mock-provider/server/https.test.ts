import { X509Certificate } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { connect as connectTCP, isIPv6 } from 'node:net';
import { checkServerIdentity as checkByDefault, connect, type PeerCertificate } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import { testCertificates } from '../../authorization-server/test-certificates.js';
import { authorizeURL } from '../wire.js';

const start = (options: MockProviderOptions = {}) => startMockProvider({ https: true, ...options });

/** Node 22.23.3 finds no IPv6 address in a certificate. */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const hasName = isIPv6(host) && new X509Certificate(certificate.raw).checkIP(host) !== undefined;
  return hasName ? undefined : checkByDefault(host, certificate);
}

/** @returns the server's certificate as received by a client that trusts the authority and checks the host name. */
function certificateOf({ issuer, ca }: MockProvider, name?: 'localhost', trusted = ca): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(issuer);
    const address = { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) };
    const server = name === undefined ? {} : { servername: name };
    const trust = { ca: trusted === '' ? undefined : trusted, checkServerIdentity };
    const socket = connect({ ...address, ...server, ...trust }, () => {
      resolve(socket.getPeerX509Certificate() as X509Certificate);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const get = ({ issuer, ca }: MockProvider, path: string): Promise<{ status: number; setCookie: string[] }> =>
  new Promise((resolve, reject) => {
    const url = path.startsWith('https:') ? path : issuer + path;
    httpsRequest(url, { ca, checkServerIdentity, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, setCookie: response.headers['set-cookie'] ?? [] });
    })
      .on('error', reject)
      .end();
  });

describe('https: true', () => {
  test('a client that trusts the authority connects by each loopback name, and another one does not', async () => {
    await using provider = await start();
    expect(new URL(provider.issuer)).toMatchObject({ protocol: 'https:', hostname: '127.0.0.1' });
    await certificateOf(provider);
    await certificateOf(provider, 'localhost');
    await expect(certificateOf(provider, undefined, '')).rejects.toThrow(/certificate/);
    const { authority } = testCertificates;
    await expect(certificateOf(provider, undefined, authority)).rejects.toThrow(/certificate/);
  });

  test('the host [::1] is served under its own name', async () => {
    await using provider = await start({ host: '[::1]' });
    expect(new URL(provider.issuer).hostname).toBe('[::1]');
    expect((await get(provider, '/.well-known/openid-configuration')).status).toBe(200);
    expect((await certificateOf(provider)).subjectAltName).toContain('IP Address:0:0:0:0:0:0:0:1');
  });

  test.each([
    [{ host: '0.0.0.0' }, 'host', '0.0.0.0', 'IP:0.0.0.0'],
    [{ host: '0.0.0.0', publicURL: 'https://mock:4400' }, 'publicURL', 'mock', 'DNS:mock'],
    [{ publicURL: 'https://[2001:db8::7]:4400/idp' }, 'publicURL', '2001:db8::7', 'IP:2001:db8::7'],
  ])(
    '%j, which the certificate does not name, fails with the line that creates one',
    async (options, name, host, subject) => {
      const message = `${name} has the host "${host}", and the certificate of https: true is for localhost, 127.0.0.1 and ::1.`;
      const started = startMockProvider({ https: true, ...options });
      await expect(started).rejects.toThrow(message);
      await expect(started).rejects.toThrow(`openssl req -x509 -newkey ec`);
      await expect(started).rejects.toThrow(`subjectAltName=${subject} -keyout key.pem -out cert.pem`);
    },
  );

  test('the authority is limited to names, its certificate is valid for years, and issues only server certificates', async () => {
    await using provider = await start();
    const authority = new X509Certificate(provider.ca as string);
    const server = await certificateOf(provider);
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect([server.verify(authority.publicKey), server.checkIssued(authority)]).toEqual([true, true]);
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    for (const { validFrom, validTo } of [authority, server]) {
      expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([Date.UTC(2025, 0), Date.UTC(2056, 0)]);
    }
    // The object identifier of name constraints (RFC 5280 section 4.2.1.10), and that they are critical.
    expect(authority.raw.includes(Buffer.from('0603551d1e0101ff', 'hex'))).toBe(true);
  });

  test('the public provider object contains no private key', async () => {
    await using provider = await start();
    const printed = inspect(provider, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(provider);
    expect(printed).toContain('BEGIN CERTIFICATE');
    expect(printed).not.toContain('PRIVATE KEY');
  });

  test('cookies over https are Secure and SameSite=None', async () => {
    await using provider = await start();
    const { setCookie } = await get(provider, authorizeURL(provider, provider.clients.openid));
    expect(setCookie).not.toEqual([]);
    for (const line of setCookie) expect(line).toMatch(/; SameSite=None; Secure(;|$)/);
  });

  test('stop() does not wait for a connection without a TLS handshake', async () => {
    const provider = await startMockProvider({ https: true });
    const socket = connectTCP(Number(new URL(provider.issuer).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await get(provider, '/.well-known/jwks.json');
    await provider.stop();
    await closed;
  });
});

describe('other values of https', () => {
  test('a configured key and certificate are used unchanged, and provider.ca is undefined', async () => {
    const https = { key: testCertificates.key, cert: testCertificates.good };
    await using provider = await start({ host: 'localhost', https });
    expect(provider.ca).toBeUndefined();
    const seen = await certificateOf(provider, 'localhost', testCertificates.authority);
    expect(seen.toString()).toBe(testCertificates.good);
  });

  test.each([
    [{ https: 'yes' }, 'https must be true, false or { key, cert } in PEM, not a string.'],
    [{ https: true, publicURL: 'http://127.0.0.1:4400' }, 'publicURL must be an https address, because https is set'],
    [{ https: {} }, 'https needs the option "key", which must be text in PEM.'],
    [{ https: { key: 'k', cert: '' } }, 'https.cert must be text in PEM.'],
    [{ https: true, host: 'no host' }, 'host must be a host name or an IP address, not "no host"'],
  ])('%j fails with a message that names the fix', async (options, message) => {
    await expect(startMockProvider(options as never)).rejects.toThrow(message);
  });
});
