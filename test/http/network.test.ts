import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { freePort } from '../helpers.js';

/** What Node reads at its start: each test has a process of its own. */
interface Settings {
  env?: Record<string, string>;
  flags?: string[];
  /** The option `ca`. */
  ca?: string | undefined;
}

const { authority, key, good, wrongHost } = testCertificates;
const flagsOfNode = process.allowedNodeEnvironmentFlags;
/** From Node 22.21 and 24.5. */
const hasProxies = flagsOfNode.has('--use-env-proxy');

const home = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
const authorityFile = join(home, 'authority.pem');
/** Its certificate is for `localhost`, of an authority that a setting of Node trusts. */
const service = https.createServer({ key, cert: good }, (_, response) => response.end('hello'));
/** Its certificate is for `other.example`, which only the proxy finds. */
const behindProxy = https.createServer({ key, cert: wrongHost }, (_, response) => response.end('hello'));
const plain = http.createServer((_, response) => response.end('hello'));
const sockets: Socket[] = [];
let serviceURL: string;

async function listen(server: net.Server): Promise<number> {
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const connects: string[] = [];
/** A proxy with a password. */
const proxy = http.createServer().on('connect', ({ url, headers }, socket: Socket) => {
  connects.push(url as string);
  sockets.push(socket.on('error', () => undefined));
  if (headers['proxy-authorization'] !== `Basic ${Buffer.from('proxyuser:s3 cret').toString('base64')}`) {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    return;
  }
  const { port } = behindProxy.address() as AddressInfo;
  const tunnel = net.connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    tunnel.pipe(socket).pipe(tunnel);
  });
});

beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, '../../lib/http/http.ts')];
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile: join(home, 'http.mjs') });
  const script = `
    import { inspect } from 'node:util';
    import { createFetch } from './http.mjs';
    const { urls, ca } = JSON.parse(process.argv[2]);
    const fetch = createFetch({ ca });
    const results = [];
    for (const url of urls) results.push(await fetch(url).then(
      async (response) => Buffer.concat(response.body).toString(),
      (error) => ({ code: error.code, message: error.message, printed: inspect(error) })));
    fetch.close();
    console.log(JSON.stringify(results));`;
  writeFileSync(join(home, 'main.mjs'), script);
  writeFileSync(authorityFile, authority);
  serviceURL = `https://localhost:${await listen(service)}`;
  for (const server of [behindProxy, plain, proxy]) await listen(server);
});

afterEach(() => void connects.splice(0));

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of [service, behindProxy, plain, proxy]) await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true });
});

/** @returns the body of each response, or the error. */
async function request(urls: string[], { env = {}, flags = [], ca }: Settings): Promise<unknown[]> {
  const args = [...flags, join(home, 'main.mjs'), JSON.stringify({ urls, ca })];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  return JSON.parse(stdout);
}

const refused = expect.objectContaining({ code: 'certificate_refused' });

test('NODE_TLS_REJECT_UNAUTHORIZED has no effect', async () => {
  expect(await request([serviceURL], { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).toEqual([refused]);
});

test.each<[string, Settings, unknown]>([
  ['no setting', {}, refused],
  ['NODE_EXTRA_CA_CERTS', { env: { NODE_EXTRA_CA_CERTS: authorityFile } }, 'hello'],
  ['--use-openssl-ca', { env: { SSL_CERT_FILE: authorityFile }, flags: ['--use-openssl-ca'] }, 'hello'],
  ['--use-system-ca', { env: { SSL_CERT_FILE: authorityFile }, flags: ['--use-system-ca'] }, 'hello'],
])('the option ca is trusted in addition to all that Node trusts: %s', async (name, settings, expected) => {
  if (name.startsWith('--') && !flagsOfNode.has(name)) return;
  const provider = await startMockProvider({ https: true });
  const urls = [serviceURL, `${provider.issuer}/.well-known/openid-configuration`];
  const metadata = expect.stringContaining(`"issuer":"${provider.issuer}"`);
  expect(await request(urls, settings)).toEqual([expected, refused]);
  const both = { ...settings, ca: `${authority}${provider.ca}` };
  expect(await request(urls, both)).toEqual(['hello', metadata]);
  expect(await request(urls, { ...settings, ca: provider.ca })).toEqual([expected, metadata]);
  await provider.stop();
});

function withProxy(port: number, password = 's3 cret', env: Record<string, string> = {}): Settings {
  const HTTPS_PROXY = `http://proxyuser:${password}@127.0.0.1:${port}`;
  return { env: { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY, ...env }, ca: authority };
}

const portOf = (server: net.Server) => (server.address() as AddressInfo).port;

test('without NODE_USE_ENV_PROXY, or on a Node without it, HTTPS_PROXY has no effect', async () => {
  const { env = {}, ca } = withProxy(portOf(proxy));
  const { NODE_USE_ENV_PROXY: _, ...others } = env;
  expect(await request([serviceURL], { ca, env: hasProxies ? others : env })).toEqual(['hello']);
  expect(connects).toEqual([]);
});

if (hasProxies) {
  test('requests use one connection through HTTPS_PROXY, and verify the certificate of the service', async () => {
    const plainURL = `http://127.0.0.1:${portOf(plain)}`;
    const urls = ['https://other.example/a', 'https://other.example/b', plainURL, 'https://localhost'];
    const settings = withProxy(portOf(proxy), 's3 cret', { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(await request(urls, settings)).toEqual(['hello', 'hello', 'hello', refused]);
    expect(connects).toEqual(['other.example:443', 'localhost:443']);
  });

  test('a host in NO_PROXY is requested without the proxy, also with --use-env-proxy', async () => {
    const { env = {}, ca } = withProxy(portOf(proxy), 's3 cret', { NO_PROXY: 'localhost' });
    const { NODE_USE_ENV_PROXY: _, ...others } = env;
    const settings = { ca, env: others, flags: ['--use-env-proxy'] };
    expect(await request([serviceURL, 'https://other.example'], settings)).toEqual(['hello', 'hello']);
    expect(connects).toEqual(['other.example:443']);
  });

  test('a proxy that refuses or does not respond is named, without its password', async () => {
    const closed = await freePort();
    const errors = [
      ...(await request(['https://other.example'], withProxy(portOf(proxy), 'wr0ng wr0ng'))),
      ...(await request(['https://other.example'], withProxy(closed))),
    ];
    expect(errors).toEqual([
      {
        code: 'service_unreachable',
        message: `https://other.example cannot be reached (ERR_PROXY_TUNNEL). HTTPS_PROXY is http://127.0.0.1:${portOf(proxy)}, which responded with the status 407: check it and NO_PROXY. Retry later.`,
        printed: expect.not.stringMatching(/wr0ng|proxyuser/),
      },
      {
        code: 'service_unreachable',
        message: `https://other.example cannot be reached (ECONNREFUSED). HTTPS_PROXY is http://127.0.0.1:${closed}: check it and NO_PROXY. Retry later.`,
        printed: expect.not.stringMatching(/cret|proxyuser/),
      },
    ]);
  });
}
