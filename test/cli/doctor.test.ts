import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { type DoctorOptions, runChecks } from '../../lib/cli/doctor-checks.js';
import { doctor as doctorCommand } from '../../lib/cli/doctor-command.js';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../lib/mock-provider/mock-provider.js';
import { describeBuilt, endAll, runToEnd } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
const running: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  await endAll();
  for (const one of running.splice(0)) await one.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(options: MockProviderOptions = {}): Promise<MockProvider> {
  const provider = await startMockProvider(options);
  running.push(provider);
  return provider;
}

/** Starts a server that is no correct service. @returns its address */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  running.push({ stop: async () => server.close() }, { stop: async () => server.closeAllConnections() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const FLOWS = ['openid', 'profile'] as const;
const CALLBACK = 'https://app.example/auth/callback';

/** Registers a client, and returns the settings of a site without a problem. */
function liveSite(provider: MockProvider, flow: 'openid' | 'profile', changes: Record<string, string> = {}) {
  const scope = flow === 'openid' ? 'openid basic' : 'basic';
  const client = provider.registerClient({
    ...{ flow, redirectURIs: [CALLBACK], scope, clientSecret: 'planted client-secret %:+' },
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

type Report = Record<string, { outcome: string; message: string }>;

/** Runs the checks in this process: a process for each case would take a minute. */
async function doctor(env: Record<string, string>, options?: DoctorOptions): Promise<Report> {
  const results = await runChecks(env, options);
  expect(JSON.stringify(results)).not.toContain('planted');
  return Object.fromEntries(results.map(({ check, ...result }) => [check, result]));
}

const problem = (text: string) => ({ outcome: 'problem', message: expect.stringContaining(text) });

describeBuilt('passport-clinician doctor', () => {
  test.each(FLOWS)('a site without a problem, flow %s: exit code 0', async (flow) => {
    const provider = await start({ https: true });
    const file = join(folder, 'ca.pem');
    writeFileSync(file, String(provider.ca));
    const { code, out, err } = await runToEnd(['doctor', '--ca-file', file], liveSite(provider, flow));
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain('planted');
    expect(out.match(/^ {2}ok +(?:settings|metadata|client secret|registration) /gm)).toHaveLength(4);
  });

  test('names every missing variable in the same run', async () => {
    const { code, out } = await runToEnd(['doctor']);
    expect(code).toBe(1);
    for (const name of ['CLINICIAN_ISSUER', 'CLINICIAN_CLIENT_ID', 'CLINICIAN_CLIENT_SECRET', 'APP_URL']) {
      expect(out).toContain(`${name} is missing`);
    }
    expect(out).toMatch(/^ {2}skipped {2}metadata/m);
  });
});

test.each([
  [['--calback-path', 'x'], 2, 'Did you mean --callback-path?'],
  [['--ca-file', 'nowhere.pem'], 1, 'Cannot read nowhere.pem (ENOENT).'],
])('%j fails', async (args, exitCode, message) => {
  await expect(doctorCommand.run(args)).rejects.toMatchObject({ exitCode, message: expect.stringContaining(message) });
});

test.each(FLOWS)('a wrong client secret is a problem, flow %s', async (flow) => {
  const provider = await start();
  const report = await doctor(liveSite(provider, flow, { CLINICIAN_CLIENT_SECRET: 'planted-wrong-secret' }));
  expect(report['client secret']).toEqual(problem('client_secret_basic in the openid flow'));
  expect(report.registration?.outcome).toBe('ok');
});

test('a CA file without a certificate is a problem', async () => {
  const { settings } = await doctor(liveSite(await start(), 'openid'), { ca: 'planted' });
  expect(settings).toEqual(problem("option 'ca' must be a string: the certificate in PEM"));
});

test('client id and client secret mixed up: the output does not contain the secret', async () => {
  const site = liveSite(await start(), 'openid');
  const swapped = { CLINICIAN_CLIENT_ID: site.CLINICIAN_CLIENT_SECRET, CLINICIAN_CLIENT_SECRET: 'an-id' };
  expect((await doctor({ ...site, ...swapped }))['client secret']?.outcome).toBe('problem');
});

test('a callback URL or a scope that is not registered is a problem', async () => {
  const provider = await start();
  const elsewhere = await doctor(liveSite(provider, 'openid', { APP_URL: 'https://www.app.example' }));
  expect(elsewhere.registration).toEqual(problem('Register exactly https://www.app.example/auth/callback'));
  const otherPath = await doctor(liveSite(provider, 'openid'), { callbackPath: '/callback' });
  expect(otherPath.registration).toEqual(problem('Register exactly https://app.example/callback'));
  const wide = await doctor(liveSite(provider, 'openid', { CLINICIAN_SCOPE: 'openid basic email' }));
  expect(wide.registration).toEqual(problem('invalid_scope'));
});

test.each<[string, Record<string, string>, string]>([
  ['a short secret', { SESSION_SECRET: 'planted' }, 'SESSION_SECRET'],
  ['an unknown flow', { CLINICIAN_FLOW: 'implicit' }, 'CLINICIAN_FLOW'],
  ['a service over plain http', { CLINICIAN_ISSUER: 'http://auth.example' }, 'CLINICIAN_ISSUER'],
])('%s is a problem', async (_, changes, name) => {
  const { settings } = await doctor(liveSite(await start(), 'openid', changes));
  expect(settings).toEqual(problem(name));
});

test('a secret that is also the client secret is a problem, and a loopback address a warning', async () => {
  const provider = await start();
  const secret = 'planted-secret-of-a-client-0123456789';
  const same = { CLINICIAN_CLIENT_SECRET: secret, SESSION_SECRET: secret };
  expect((await doctor(liveSite(provider, 'openid', same))).settings).toEqual(problem('is the client secret'));
  const local = await doctor(liveSite(provider, 'openid', { APP_URL: 'http://localhost:3000' }));
  expect(local.settings).toMatchObject({ outcome: 'warning', message: expect.stringContaining('Set APP_URL') });
});

test('a service that is down, or is another server, is a problem', async () => {
  const site = liveSite(await start(), 'openid');
  const down = await doctor({ ...site, CLINICIAN_ISSUER: 'http://127.0.0.1:1' });
  expect(down.metadata).toEqual(problem('http://127.0.0.1:1 cannot be reached'));
  const other = await serve((_req, res) => void res.end('<h1>hello</h1>'));
  const report = await doctor({ ...site, CLINICIAN_ISSUER: other });
  expect(report).toEqual({ settings: expect.anything(), metadata: problem('content type of JSON') });
});

test('endpoints at another origin are a problem, unless the site allows that origin', async () => {
  const provider = await start();
  const address = await serve(async (req, res) => {
    const text = await (await fetch(`${provider.issuer}${req.url}`)).text();
    const document = req.url?.startsWith('/.well-known/openid') ? { ...JSON.parse(text), issuer: address } : undefined;
    res.setHeader('Content-Type', 'application/json').end(document ? JSON.stringify(document) : text);
  });
  const site = { ...liveSite(provider, 'openid'), CLINICIAN_ISSUER: address };
  expect((await doctor(site)).metadata).toEqual(problem('"allowedEndpointOrigins"'));
  const allowed = await doctor(site, { endpointOrigin: provider.issuer });
  expect(allowed).toMatchObject({ metadata: { outcome: 'ok' }, 'client secret': { outcome: 'ok' } });
});
