import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { connect as connectTCP, isIPv6 } from 'node:net';
import { checkServerIdentity as checkByDefault, connect, type PeerCertificate } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import { resolveOptions, serverIdentity } from '../../../lib/mock-provider/options/resolve-provider-options.js';
import { certificatePEM, serverExtensions } from '../../../lib/mock-provider/tls/certificate.js';
import { signIn } from '../../../lib/testing/testing.js';
import { testCertificates } from '../../authorization-server/test-certificates.js';
import { siteFor } from '../../integration/site.js';
import { authorizeURL } from '../wire.js';

const DAY_MS = 86_400_000;
const running: MockProvider[] = [];
const start = async (options: MockProviderOptions = {}): Promise<MockProvider> => {
  const provider = await startMockProvider({ https: true, ...options });
  running.push(provider);
  return provider;
};
afterEach(async () => {
  for (const provider of running.splice(0)) await provider.stop();
});

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

// The first test, because a process creates one authority.
test('https: true: the certificate follows the machine clock while a test fakes Date', async () => {
  const before = Date.now();
  jest.useFakeTimers({ now: 0, doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'] });
  let provider: MockProvider;
  try {
    provider = await start();
  } finally {
    jest.useRealTimers();
  }
  provider.clock.advance('900 days');
  const { validFrom, validTo } = await certificateOf(provider);
  expect(Math.abs(Date.parse(validFrom) - (before - 3_600_000))).toBeLessThan(600_000);
  expect(Date.parse(validTo)).toBeGreaterThan(before + 300 * DAY_MS);
});

describe('https: true', () => {
  test('the certificate names the loopback hosts, and a client that does not trust the authority rejects it', async () => {
    const provider = await start();
    expect(new URL(provider.issuer)).toMatchObject({ protocol: 'https:', hostname: '127.0.0.1' });
    const seen = await certificateOf(provider);
    expect(seen.subjectAltName?.split(', ').sort()).toEqual([
      'DNS:localhost',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:127.0.0.1',
    ]);
    await certificateOf(provider, 'localhost');
    await expect(certificateOf(provider, undefined, '')).rejects.toThrow(/certificate/);
    const { authority } = testCertificates;
    await expect(certificateOf(provider, undefined, authority)).rejects.toThrow(/certificate/);
  });

  test.each([
    ['localhost', 'localhost', 'DNS:localhost'],
    ['::1', '[::1]', 'IP Address:0:0:0:0:0:0:0:1'],
    ['[::1]', '[::1]', 'IP Address:0:0:0:0:0:0:0:1'],
    ['127.0.0.2', '127.0.0.2', 'IP Address:127.0.0.2'],
  ])('host %s is served under its own name', async (host, hostname, name) => {
    const provider = await start({ host });
    expect(new URL(provider.issuer).hostname).toBe(hostname);
    expect((await get(provider, '/.well-known/openid-configuration')).status).toBe(200);
    expect((await certificateOf(provider, host === 'localhost' ? host : undefined)).subjectAltName).toContain(name);
  });

  test('the certificate names the host of publicURL too, and no host of another provider', async () => {
    const certificateFor = async (options: MockProviderOptions) => {
      const identity = await serverIdentity(resolveOptions({ https: true, host: '0.0.0.0', ...options }));
      return new X509Certificate(identity?.cert as string);
    };
    const named = await certificateFor({ publicURL: 'https://mock:4400' });
    expect([named.checkHost('mock'), named.checkIP('0.0.0.0')]).toEqual(['mock', '0.0.0.0']);
    const withIPv6 = await certificateFor({ publicURL: 'https://[2001:db8::7]:4400/idp' });
    expect(withIPv6.checkIP('2001:db8::7')).toBe('2001:db8::7');
    expect((await certificateFor({})).checkHost('mock')).toBeUndefined();
  });

  test('a process creates one authority, and one certificate for each host', async () => {
    const [one, two, other] = [await start(), await start(), await start({ host: '127.0.0.3' })];
    expect([two.ca, other.ca]).toEqual([one.ca, one.ca]);
    const serials = [await certificateOf(one), await certificateOf(two), await certificateOf(other)].map(
      ({ serialNumber }) => serialNumber,
    );
    expect(serials[0]).toBe(serials[1]);
    expect(serials[0]).not.toBe(serials[2]);
  });

  test('the authority may sign server certificates, and the certificate is one of its server certificates (RFC 5280)', async () => {
    const provider = await start();
    const authority = new X509Certificate(provider.ca as string);
    const server = await certificateOf(provider);
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect([server.verify(authority.publicKey), server.checkIssued(authority)]).toEqual([true, true]);
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(authority.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(server.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  test('the public provider object contains no private key', async () => {
    const provider = await start();
    const printed = inspect(provider, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(provider);
    expect(printed).toContain('BEGIN CERTIFICATE');
    expect(printed).not.toContain('PRIVATE KEY');
  });

  test('cookies over https are Secure and SameSite=None', async () => {
    const provider = await start();
    const { setCookie } = await get(provider, authorizeURL(provider, provider.clients.openid));
    expect(setCookie).not.toEqual([]);
    for (const line of setCookie) expect(line).toMatch(/; SameSite=None; Secure(;|$)/);
  });

  test('a supertest agent that trusts the authority connects', async () => {
    const provider = await start();
    const agent = supertest.agent(provider.issuer, { ca: provider.ca as string });
    const { status, body } = await agent.get('/.well-known/openid-configuration');
    expect([status, body.issuer]).toEqual([200, provider.issuer]);
  });

  test('a callback URL may be https on the loopback host', async () => {
    const provider = await start();
    const url = authorizeURL(provider, provider.clients.openid, { redirect_uri: 'https://localhost:5001/callback' });
    expect(await provider.signIn(url, { as: 'verified' })).toMatch(/^https:\/\/localhost:5001\/callback\?code=/);
  });

  test.each(['openid', 'profile'] as const)('a site signs in over TLS with ca: provider.ca, flow %s', async (flow) => {
    const provider = await start();
    const { app } = siteFor(provider, { flow, ca: provider.ca as string });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/notes')).text).toBe('notes');
    expect((await agent.get('/me')).body.verified).toBe(true);
  });

  test('a site that does not trust the authority refuses to sign in', async () => {
    const provider = await start();
    const { app } = siteFor(provider, { onError: (error, _req, res) => void res.status(502).send(error.code) });
    expect((await supertest(app).get('/auth/login')).text).toBe('certificate_refused');
    expect(provider.requests).toHaveLength(0);
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
    const provider = await start({
      host: 'localhost',
      https: { key: testCertificates.key, cert: testCertificates.good },
    });
    expect(provider.ca).toBeUndefined();
    const seen = await certificateOf(provider, 'localhost', testCertificates.authority);
    expect(seen.toString()).toBe(testCertificates.good);
  });

  test('https: false serves plain http', async () => {
    const provider = await start({ https: false });
    expect([provider.issuer.startsWith('http://'), provider.ca]).toEqual([true, undefined]);
  });

  test.each([
    [{ https: 'yes' }, 'https must be true, false or { key, cert } in PEM, not a string.'],
    [{ https: null }, 'https must be true, false or { key, cert } in PEM, not null.'],
    [{ https: true, publicURL: 'http://127.0.0.1:4400' }, 'publicURL must be an https address if https is set'],
    [{ https: {} }, 'https needs the option "key", which must be text in PEM.'],
    [{ https: { key: 'k', cert: '' } }, 'https.cert must be text in PEM.'],
    [{ https: true, host: 'no host' }, 'host must be a host name or an IP address, not "no host"'],
    [{ https: true, host: '' }, 'host must be a host name or an IP address, not ""'],
  ])('%j fails with a message that names the fix', async (options, message) => {
    await expect(startMockProvider(options as never)).rejects.toThrow(message);
  });
});

test.each([
  ['2049-12-31T23:59:59Z', 'Dec 31 23:59:59 2049 GMT'],
  ['2050-01-01T00:00:00Z', 'Jan  1 00:00:00 2050 GMT'],
])('a certificate that ends at %s encodes the time (RFC 5280 section 4.1.2.5)', (end, printed) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const extensions = serverExtensions(['2001:db8::7', '::ffff:1.2.3.4', 'mock.example', '10.0.0.255']);
  const parts = { subject: 'a', issuer: 'b', publicKey, issuerKey: publicKey, extensions };
  const pem = certificatePEM({ ...parts, notBefore: 0, notAfter: Date.parse(end) }, privateKey);
  const { validFrom, validTo, subjectAltName } = new X509Certificate(pem);
  expect([validFrom, validTo]).toEqual(['Jan  1 00:00:00 1970 GMT', printed]);
  expect(subjectAltName).toBe(
    'IP Address:2001:DB8:0:0:0:0:0:7, IP Address:0:0:0:0:0:FFFF:102:304, DNS:mock.example, IP Address:10.0.0.255',
  );
});
