import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { checkNode } from '../../lib/cli/doctor/check-packages.js';
import type { CheckResult } from '../../lib/cli/doctor/check-result.js';
import { reportLine, reportText } from '../../lib/cli/doctor/check-result.js';
import { runChecks } from '../../lib/cli/doctor/run-checks.js';
import { readSettings } from '../../lib/cli/doctor/settings.js';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';
import { certificatePEM, serverExtensions } from '../../lib/mock-provider/tls/certificate.js';
import { testCertificates } from '../authorization-server/test-certificates.js';
import { freePort } from '../helpers/free-port.js';
import { describeBuilt, endAll, runToEnd } from './program.js';

// A secret that can be guessed is accepted in tests.
process.env.NODE_ENV = 'development';

const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
const root = fileURLToPath(new URL('../..', import.meta.url));
const running: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  await endAll();
  for (const one of running.splice(0)) await one.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

const start = async (options: MockProviderOptions = {}): Promise<MockProvider> => {
  const provider = await startMockProvider(options);
  running.push(provider);
  return provider;
};

const CALLBACK = 'https://app.example/auth/callback';
const LOGGED_OUT = 'https://app.example/auth/logged-out';

/** The page of a service for a URL that is not registered. */
const INVALID = `<script nonce="a1">let redirect</script><p>Invalid redirect uri</p>`;
const isLoggedOut = (url: string): boolean => url === LOGGED_OUT;

/** Registers a client, and returns the settings of a site without a problem. */
function liveSite(provider: MockProvider, flow: 'openid' | 'profile', changes: Record<string, string> = {}) {
  const scope = flow === 'openid' ? 'openid basic' : 'basic';
  const client = provider.registerClient({
    flow,
    redirectURIs: [CALLBACK],
    postLogoutRedirectURIs: [LOGGED_OUT],
    scope,
    clientSecret: 'planted client-secret %:+',
  });
  return {
    NODE_ENV: 'production',
    CLINICIAN_FLOW: flow,
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_CLIENT_ID: client.clientID,
    CLINICIAN_CLIENT_SECRET: client.clientSecret,
    CLINICIAN_SCOPE: scope,
    APP_URL: 'https://app.example',
    SESSION_SECRET: 'planted-session-secret-0123456789-abcdefghij',
    ...changes,
  };
}

type Report = Record<string, { outcome: string; message: string; fix?: string }>;

/** Runs the checks in this process: a process for each case would take a minute. */
async function doctor(env: Record<string, string>, options: Record<string, string> = {}): Promise<Report> {
  const results = await runChecks(readSettings({ folder: root, ...options }, env));
  expect(reportLine(results) + reportText(results)).not.toContain('planted');
  return worst(results);
}

/** @returns the worst result of each check. */
function worst(results: readonly CheckResult[]): Report {
  const rank = ['problem', 'warning', 'skipped', 'ok'];
  const worstLast = [...results].sort((a, b) => rank.indexOf(b.outcome) - rank.indexOf(a.outcome));
  return Object.fromEntries(worstLast.map(({ check, ...rest }) => [check, rest]));
}

const outcomes = (report: Report): Record<string, string> =>
  Object.fromEntries(Object.entries(report).map(([check, { outcome }]) => [check, outcome]));

describeBuilt('passport-clinician doctor', () => {
  test.each(['openid', 'profile'] as const)('a site without a problem, flow %s: exit code 0', async (flow) => {
    const provider = await start({ https: true });
    const file = join(folder, 'ca.pem');
    writeFileSync(file, String(provider.ca));
    const args = ['doctor', '--json', '--folder', root, '--ca-file', file];
    const { code, out, err } = await runToEnd(args, liveSite(provider, flow));
    expect([code, err, out.match(/\n/g)?.length]).toEqual([0, '', 1]);
    expect(out).not.toContain('planted');
    const { ok, results } = JSON.parse(out) as { ok: boolean; results: CheckResult[] };
    const report = worst(results);
    expect(ok).toBe(true);
    expect(outcomes(report)).toEqual({
      ...{
        node: 'ok',
        packages: 'ok',
        settings: 'ok',
        callback: 'ok',
        secret: 'ok',
        environment: 'ok',
        certificate: 'ok',
      },
      ...{ metadata: 'ok', clock: 'ok', 'client secret': 'ok', registration: 'ok', api: 'ok' },
      ...{ redis: 'warning', keys: flow === 'openid' ? 'ok' : 'skipped' },
      'sign-out': flow === 'openid' ? 'ok' : 'skipped',
    });
    expect(report.registration?.message).toContain(CALLBACK);
    expect(report.certificate?.message).toMatch(/for 36\d more days/);
  });

  test('without --json: a line for each check, the fix, and the number of problems', async () => {
    const { code, out } = await runToEnd(['doctor', '--folder', folder]);
    expect(code).toBe(1);
    const required = [
      'CLINICIAN_ISSUER',
      'CLINICIAN_CLIENT_ID',
      'CLINICIAN_CLIENT_SECRET',
      'APP_URL',
      'SESSION_SECRET',
    ];
    for (const name of required)
      expect(out).toMatch(new RegExp(`^ {2}problem .* ${name} is missing.*\n +Set ${name}\\.$`, 'm'));
    expect(out).toMatch(/^ {2}5 problems, 2 warnings$/m);
    expect(out).toMatch(/^ {2}skipped {2}service/m);
  });

  test.each(['openid', 'profile'] as const)('a wrong client secret is a problem, flow %s', async (flow) => {
    const provider = await start();
    const report = await doctor(liveSite(provider, flow, { CLINICIAN_CLIENT_SECRET: 'planted-wrong-secret' }));
    expect(report['client secret']).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining('invalid_client'),
    });
    expect(report.registration?.outcome).toBe('ok');
  });

  test('without CLINICIAN_FLOW and CLINICIAN_SCOPE, the defaults of the package are checked', async () => {
    const env = liveSite(await start(), 'openid', { CLINICIAN_FLOW: '', CLINICIAN_SCOPE: '', CLINICIAN_API_URL: '' });
    const { settings, registration } = await doctor(env);
    expect(settings).toEqual({ outcome: 'ok', message: 'issuer, API, client, flow openid, scope "openid"' });
    expect(registration).toMatchObject({ outcome: 'ok', message: expect.stringContaining('scope "openid"') });
  });

  test('client id and client secret mixed up: the output does not contain the secret', async () => {
    const settings = liveSite(await start(), 'openid');
    const swapped = { CLINICIAN_CLIENT_ID: settings.CLINICIAN_CLIENT_SECRET, CLINICIAN_CLIENT_SECRET: 'an-id' };
    const report = await doctor({ ...settings, ...swapped });
    expect(report['client secret']?.outcome).toBe('problem');
    expect(JSON.stringify(report)).not.toContain('planted');
  });

  test('a callback URL or a scope that is not registered is a problem', async () => {
    const provider = await start();
    const elsewhere = await doctor(liveSite(provider, 'openid'), { 'app-url': 'https://www.app.example' });
    expect(elsewhere.registration).toMatchObject({
      outcome: 'problem',
      fix: expect.stringContaining('https://www.app.example/auth/callback'),
    });
    const otherPath = await doctor(liveSite(provider, 'openid'), { 'callback-path': '/callback' });
    expect(otherPath.registration).toMatchObject({
      outcome: 'problem',
      fix: expect.stringContaining('--callback-path'),
    });
    const wide = await doctor(liveSite(provider, 'openid', { CLINICIAN_SCOPE: 'openid basic email' }));
    expect(wide.registration?.message).toContain('invalid_scope');
    const unknown = await doctor(liveSite(provider, 'openid'), { 'client-id': 'unknown' });
    expect(outcomes(unknown)).toMatchObject({ registration: 'problem', 'client secret': 'problem' });
  });

  test('a post-logout redirect URI that is not registered is a problem', async () => {
    const provider = await start();
    const site = liveSite(provider, 'openid');
    expect((await doctor(site))['sign-out']).toEqual({ outcome: 'ok', message: LOGGED_OUT });
    const other = 'https://app.example/bye';
    expect((await doctor(site, { 'post-logout-redirect-uri': other }))['sign-out']).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining(other),
      fix: expect.stringContaining(`Register exactly ${other}`),
    });
  });

  test.each<[string, string, (url: string) => { status: number; body?: string; location?: string }]>([
    ['redirects to a registered URL', 'ok', (url) => ({ status: 302, location: isLoggedOut(url) ? url : '/error' })],
    ['asks the user to confirm', 'ok', (url) => (isLoggedOut(url) ? { status: 200 } : { status: 400, body: INVALID })],
    ['refuses each URL on a page', 'problem', () => ({ status: 400, body: INVALID })],
    ['requires the hint first', 'warning', () => ({ status: 400, body: 'id_token_hint is required' })],
    ['shows one page for every URL', 'warning', (url) => ({ status: 200, body: `<a href="${url}">Continue</a>` })],
    ['is down', 'warning', () => ({ status: 503, body: 'redirect later' })],
  ])('a service that %s after a logout request without a user: %s', async (_, outcome, logout) => {
    expect((await doctor(await changedService({ logout })))['sign-out']?.outcome).toBe(outcome);
  });

  test('endpoints at another origin are a problem, unless the site allows that origin', async () => {
    const elsewhere = 'http://127.0.0.2:9';
    const server = createServer((req, res) => {
      const issuer = `http://${req.headers.host}`;
      const endpoints = { token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
      res.setHeader('Content-Type', 'application/json');
      res.end(JSON.stringify({ issuer, authorization_endpoint: `${elsewhere}/authorize`, ...endpoints }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    running.push({ stop: async () => server.close() }, { stop: async () => server.closeAllConnections() });
    const env = liveSite(await start(), 'openid', {
      CLINICIAN_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    expect((await doctor(env)).metadata).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining('"allowedEndpointOrigins"'),
    });
    const allowed = await doctor(env, { 'endpoint-origin': elsewhere });
    expect(allowed.metadata).toMatchObject({
      outcome: 'warning',
      message: expect.stringContaining('end_session_endpoint'),
    });
    expect(outcomes(allowed)).toMatchObject({ registration: 'problem', keys: 'problem', 'client secret': 'warning' });
    expect(allowed.keys?.message).not.toContain('/jwks');
  });

  test('a service with only the document of RFC 8414 has no problem', async () => {
    const provider = await start();
    const server = createServer((req, res) => {
      const issuer = `http://${req.headers.host}`;
      const isFound = req.url === '/.well-known/oauth-authorization-server';
      res.writeHead(isFound ? 200 : 404, { 'Content-Type': 'application/json' });
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      res.end(JSON.stringify({ issuer, ...endpoints, code_challenge_methods_supported: ['S256'] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    running.push({ stop: async () => server.close() }, { stop: async () => server.closeAllConnections() });
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const report = await doctor({ ...liveSite(provider, 'openid'), CLINICIAN_ISSUER: issuer });
    expect(report.metadata).toMatchObject({ outcome: 'warning', message: expect.stringContaining('end_session') });
  });

  /** Starts a service like another one, with changes. @returns the settings of a site at it */
  async function changedService({
    metadata = (document) => document,
    type = 'application/json',
    tokenError = {},
    logout,
  }: {
    metadata?: (document: Record<string, unknown>) => Record<string, unknown>;
    type?: string;
    tokenError?: { status?: number; type?: string; error?: string };
    logout?: (postLogoutURL: string) => { status: number; body?: string; location?: string };
  }): Promise<Record<string, string>> {
    const provider = await start();
    const server = createServer(async (req, res) => {
      const origin = `http://${req.headers.host}`;
      if (req.method === 'POST') {
        const { status = 400, type: errorType = type, error = 'invalid_grant' } = tokenError;
        res.writeHead(status, { 'Content-Type': errorType }).end(JSON.stringify({ error }));
        return;
      }
      const { pathname, searchParams } = new URL(String(req.url), origin);
      if (logout && pathname === '/oauth/logout') {
        const { status, body = '', location } = logout(String(searchParams.get('post_logout_redirect_uri')));
        res.writeHead(status, { 'Content-Type': 'text/html', ...(location && { location }) }).end(body);
        return;
      }
      const response = await fetch(`${provider.issuer}${req.url}`, { redirect: 'manual' });
      const text = (await response.text()).replaceAll(provider.issuer, origin);
      const isMetadata = req.url?.startsWith('/.well-known/o');
      const location = response.headers.get('location');
      res.writeHead(response.status, { 'Content-Type': type, ...(location !== null && { location }) });
      res.end(isMetadata ? JSON.stringify(metadata(JSON.parse(text))) : text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    running.push({ stop: async () => server.close() }, { stop: async () => server.closeAllConnections() });
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { ...liveSite(provider, 'openid'), CLINICIAN_ISSUER: issuer };
  }

  test('documents are read as the site reads them: the charset of JSON has no meaning', async () => {
    const report = await doctor(await changedService({ type: 'application/json;charset=ISO-8859-1' }));
    expect(outcomes(report)).toMatchObject({ metadata: 'ok', keys: 'ok', 'client secret': 'ok' });
  });

  test('a token error that the site refuses is reported', async () => {
    const report = await doctor(await changedService({ tokenError: { type: 'text/plain' } }));
    expect(report['client secret']).toMatchObject({
      outcome: 'warning',
      message: expect.stringContaining('does not have the content type of JSON'),
    });
  });

  test('unauthorized_client names the client and the secret as causes', async () => {
    const report = await doctor(await changedService({ tokenError: { status: 401, error: 'unauthorized_client' } }));
    expect(report['client secret']).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining('or its secret is wrong (unauthorized_client)'),
      fix: expect.stringContaining('CLINICIAN_CLIENT_SECRET'),
    });
  });

  test('metadata without a revocation endpoint is a warning', async () => {
    const env = await changedService({ metadata: ({ revocation_endpoint, ...document }) => document });
    expect((await doctor(env)).metadata).toMatchObject({
      outcome: 'warning',
      message: expect.stringContaining('no revocation_endpoint'),
    });
  });

  test('scope offline_access is a problem, unless the metadata lists it', async () => {
    const scope = { CLINICIAN_SCOPE: 'openid basic offline_access' };
    const unlisted = await doctor({ ...(await changedService({})), ...scope });
    expect(unlisted.metadata).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining("CLINICIAN_SCOPE has 'offline_access', which the metadata"),
    });
    const metadata = (document: Record<string, unknown>) => ({ ...document, scopes_supported: ['offline_access'] });
    const listed = await doctor({ ...(await changedService({ metadata })), ...scope });
    expect(outcomes(listed)).toMatchObject({ settings: 'ok', metadata: 'ok' });
  });

  test('an issuer with an additional slash is a problem', async () => {
    const provider = await start();
    const report = await doctor(liveSite(provider, 'openid'), { issuer: `${provider.issuer}/` });
    expect(report.metadata).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining(`has the issuer "${provider.issuer}" instead of "${provider.issuer}/"`),
    });
    expect(report.keys).toBeUndefined();
  });

  test('an untrusted or expired certificate is a problem, and no request is sent', async () => {
    const provider = await start({ https: true });
    const unknown = await doctor(liveSite(provider, 'openid'));
    expect(unknown.certificate?.message).toMatch(/is not trusted \([A-Z_]+\)/);
    const { key, expired: cert, authority } = testCertificates;
    const ended = await start({ host: 'localhost', https: { key, cert } });
    const file = join(folder, 'authority.pem');
    writeFileSync(file, authority);
    const late = await doctor(liveSite(ended, 'openid'), { 'ca-file': file });
    expect(late.certificate?.message).toContain('CERT_HAS_EXPIRED');
    expect([provider.requests, ended.requests].map(({ length }) => length)).toEqual([0, 0]);
  });

  test('a certificate that expires soon is a warning', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const times = { notBefore: Date.now() - 1000, notAfter: Date.now() + 3.5 * 86_400_000 };
    const parts = { subject: 'soon', issuer: 'soon', publicKey, issuerKey: publicKey, ...times };
    const cert = certificatePEM({ ...parts, extensions: serverExtensions(['127.0.0.1']) }, privateKey);
    const provider = await start({
      https: { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
    });
    const file = join(folder, 'soon.pem');
    writeFileSync(file, cert);
    const report = await doctor(liveSite(provider, 'openid'), { 'ca-file': file });
    expect(report.certificate).toMatchObject({
      outcome: 'warning',
      message: 'The certificate of 127.0.0.1 expires in 3 days.',
    });
  });

  test('a service without keys, or that is down, is a problem', async () => {
    const provider = await start({ port: await freePort() });
    const site = liveSite(provider, 'openid');
    provider.faults.next('unavailable', { endpoint: '/.well-known/jwks.json' });
    expect((await doctor(site)).keys).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining('503'),
    });
    await provider.stop();
    const report = await doctor(site);
    expect(outcomes(report)).toMatchObject({ metadata: 'problem', api: 'problem' });
    expect(report.metadata?.message).toContain('ECONNREFUSED');
  });

  test('another server, whose clock is two hours behind, is a problem', async () => {
    const server = createServer(
      (_req, res) => void res.setHeader('Date', new Date(Date.now() - 7_200_000).toUTCString()).end('<h1>hello</h1>'),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    running.push({ stop: async () => server.close() }, { stop: async () => server.closeAllConnections() });
    const env = { CLINICIAN_ISSUER: address, CLINICIAN_API_URL: address };
    const startedAt = Date.now();
    const report = await doctor({ ...liveSite(await start(), 'openid'), ...env });
    const elapsedSeconds = (Date.now() - startedAt) / 1000;
    expect(report.clock).toMatchObject({ outcome: 'problem', message: expect.stringMatching(/differ by \d+ seconds/) });
    const seconds = Number(/(\d+) seconds/.exec(report.clock?.message ?? '')?.[1]);
    expect(Math.abs(seconds - 7200)).toBeLessThanOrEqual(1 + elapsedSeconds);
    expect(report.metadata?.message).toContain('does not have the content type of JSON');
    expect(report.api).toMatchObject({ outcome: 'warning', message: expect.stringContaining('200 instead of 401') });
    const formA = await doctor({ ...liveSite(await start(), 'profile'), ...env });
    expect(outcomes(formA)).toMatchObject({ 'client secret': 'warning', registration: 'warning' });
  });

  test.each<[string, Record<string, string>, string, string]>([
    ['a missing APP_URL', { APP_URL: '' }, 'callback', 'APP_URL is missing'],
    ['a loopback APP_URL', { APP_URL: 'http://localhost:3000' }, 'callback', 'on the machine of the browser'],
    ['plain http', { APP_URL: 'http://app.example' }, 'callback', 'APP_URL'],
    ['a repeated word', { SESSION_SECRET: 'changeme'.repeat(4) }, 'secret', 'SESSION_SECRET must be random'],
    ['a short secret', { SESSION_SECRET: 'planted' }, 'secret', 'SESSION_SECRET must be at least 32 bytes long'],
    ['an unknown flow', { CLINICIAN_FLOW: 'implicit' }, 'settings', "CLINICIAN_FLOW must be 'openid' or 'profile'"],
    [
      'an unknown scope',
      { CLINICIAN_SCOPE: 'openid all' },
      'settings',
      "CLINICIAN_SCOPE has a scope which the 'openid' flow does not have",
    ],
    ['a scope without openid', { CLINICIAN_SCOPE: 'basic' }, 'settings', "CLINICIAN_SCOPE must have 'openid'"],
    [
      'a line break in a secret',
      { CLINICIAN_CLIENT_SECRET: 'planted\n' },
      'settings',
      'CLINICIAN_CLIENT_SECRET starts or ends with',
    ],
    ['a service over plain http', { CLINICIAN_ISSUER: 'http://auth.example' }, 'settings', 'CLINICIAN_ISSUER'],
    [
      'an https URL for Redis',
      { REDIS_URL: 'https://:planted@redis.example' },
      'redis',
      'REDIS_URL is not the URL of a Redis server.',
    ],
    ['a Redis that is down', { REDIS_URL: 'redis://:planted@127.0.0.1:1' }, 'redis', 'Cannot connect to 127.0.0.1:1.'],
    [
      'a Cluster without a comma between two nodes',
      { REDIS_URL: 'redis://:planted@127.0.0.1:1, 127.0.0.1:2' },
      'redis',
      'REDIS_URL is not the URL of a Redis server.',
    ],
    [
      'a Cluster whose nodes are all down',
      { REDIS_URL: 'redis://:planted@127.0.0.1:1,redis://:planted@127.0.0.1:2' },
      'redis',
      'Cannot connect to 127.0.0.1:1, 127.0.0.1:2.',
    ],
  ])('%s is a problem', async (_, changes, check, message) => {
    const report = await doctor(liveSite(await start(), 'openid', changes));
    expect(report[check]).toMatchObject({ outcome: 'problem', message: expect.stringContaining(message) });
  });

  test('a Cluster of which one node is down is a warning', async () => {
    const provider = await start();
    const { host } = new URL(provider.issuer);
    const report = await doctor(liveSite(provider, 'openid', { REDIS_URL: `redis://${host}, redis://127.0.0.1:1` }));
    expect(report.redis).toMatchObject({ outcome: 'warning', message: 'Cannot connect to 127.0.0.1:1.' });
    const both = await doctor(liveSite(provider, 'openid', { REDIS_URL: `redis://${host},redis://${host}` }));
    expect(both.redis).toEqual({ outcome: 'ok', message: `connected to ${host}, ${host}` });
  });

  test('NODE_ENV=test is a warning; a secret used twice is a problem', async () => {
    const provider = await start();
    const report = await doctor({ ...liveSite(provider, 'openid'), NODE_ENV: 'test' });
    expect(outcomes(report)).toMatchObject({ environment: 'warning', redis: 'skipped' });
    const secret = 'planted-secret-of-a-client-0123456789';
    const same = { CLINICIAN_CLIENT_SECRET: secret, SESSION_SECRET: secret };
    expect((await doctor(liveSite(provider, 'openid', same))).secret?.outcome).toBe('problem');
  });

  test('each secret of a rotation is checked, and none is printed', async () => {
    const provider = await start();
    const good = 'planted-session-secret-0123456789-abcdefghij';
    const secretWith = async (other: string) => {
      const changes = {
        SESSION_SECRET: `${good} ${other}`,
        CLINICIAN_CLIENT_SECRET: 'planted-secret-of-a-client-0123456789',
      };
      return (await doctor(liveSite(provider, 'openid', changes))).secret;
    };
    expect(await secretWith('planted-older-secret-0123456789-abcdefghij')).toEqual({
      outcome: 'ok',
      message: 'SESSION_SECRET has 2 secrets, of 44, 42 bytes; the first one seals',
    });
    expect(await secretWith('planted')).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining('number 2 of 2 is shorter'),
    });
    expect(await secretWith('planted-secret-of-a-client-0123456789')).toMatchObject({ outcome: 'problem' });
    expect(await secretWith('ab'.repeat(20))).toMatchObject({
      outcome: 'problem',
      message: expect.stringContaining('number 2 of 2 has fewer than 8 different characters'),
    });
  });

  test('a missing REDIS_URL is a warning in production, unless a database may have the tokens', async () => {
    const site = liveSite(await start(), 'openid');
    const message = 'REDIS_URL is not set: this check cannot see other stores. Without one, tokens are in memory.';
    const fix = expect.stringContaining('Set REDIS_URL, unless the site has another store');
    expect((await doctor(site)).redis).toEqual({ outcome: 'warning', message, fix });
    const unknown = { outcome: 'skipped', message };
    const withDatabase = await doctor({ ...site, DATABASE_URL: 'postgres://:planted@db.example/site' });
    expect(withDatabase.redis).toEqual(unknown);
    expect((await doctor({ ...site, NODE_ENV: 'development' })).redis).toEqual(unknown);
    expect((await doctor({ ...site, DATABASE_URL: ' ' })).redis).toMatchObject({ outcome: 'warning' });
  });

  test('a package version with a published vulnerability is a problem', async () => {
    for (const [name, version] of [
      ['express', '4.19.0'],
      ['passport', '0.5.3'],
      ['cookie', '1.0.0'],
    ] as const) {
      mkdirSync(join(folder, 'site', 'node_modules', name), { recursive: true });
      writeFileSync(join(folder, 'site', 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
    }
    mkdirSync(join(folder, 'site', 'app'));
    const { out } = await runToEnd(['doctor', '--folder', 'app'], {}, join(folder, 'site'));
    expect(out).toMatch(
      /problem {2}packages .* express 4\.19\.0 has a published vulnerability\.\n +Run npm install express@\^4\.20\.0/,
    );
    expect(out).toMatch(/problem {2}packages .* passport 0\.5\.3 has/);
    expect(out).not.toContain('cookie 1.0.0 has');
  });

  test('an unsupported version of Node is a problem', () => {
    expect(checkNode('20.18.3')).toMatchObject({
      outcome: 'problem',
      message: 'Node 20.18.3 is too old for this package.',
    });
    expect(checkNode('26.0.0').outcome).toBe('ok');
  });

  test.each([
    [['--client-secret', 'x'], 2, 'doctor has no option for a secret: other users can read a command line.'],
    [['--isuer', 'x'], 2, 'Did you mean --issuer?'],
    [['--ca-file', 'nowhere.pem'], 1, 'Cannot read nowhere.pem (ENOENT).'],
  ])('%j fails with one line on stderr', async (args, exitCode, message) => {
    const { code, err } = await runToEnd(['doctor', ...args]);
    expect([code, err]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(err.match(/\n/g)).toHaveLength(1);
  });
});
