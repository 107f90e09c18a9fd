import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { mockProvider } from '../../lib/cli/mock-provider-command.js';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { BrowserUser, freePort } from '../helpers.js';
import { describeBuilt, endAll, passportClinician, runToEnd, siteWith } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
const FILE_TOKEN = 'token-of-the-config-file';
const OTHER_TOKEN = 'token-of-the-environment';
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

interface StartLine {
  issuer: string;
  apiURL: string;
  controlURL?: string;
  ca?: string;
  pid: number;
}

async function start(...args: string[]) {
  const program = passportClinician(['mock-provider', '--port', '0', '--json', ...args]);
  return { program, line: JSON.parse(await program.line()) as StartLine };
}

describeBuilt('passport-clinician mock-provider', () => {
  test('--json prints one line with URLs and credentials', async () => {
    const { program, line } = await start();
    const { issuer } = line;
    expect(line).toEqual({
      issuer: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiURL: issuer,
      shareScriptURL: `${issuer}/share-button.js`,
      inspectorURL: `${issuer}/`,
      clients: {
        openid: { clientID: 'default-openid', clientSecret: 'default-openid-client-secret' },
        profile: { clientID: 'default-profile', clientSecret: 'default-profile-client-secret' },
      },
      pid: program.child.pid,
    });
    const metadata = await fetch(`${issuer}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({ issuer });
    expect((await fetch(`${issuer}/`)).headers.get('content-type')).toMatch(/html/);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect([program.output.out.split('\n').length, program.output.err]).toEqual([2, '']);
  });

  test('without --json it prints URLs, the default clients and the test users', async () => {
    const program = passportClinician(['mock-provider', '--port', '0']);
    await program.printed('Ctrl+C');
    for (const text of [
      'issuer  ',
      'inspector  ',
      'default-openid-client-secret',
      'default-profile-client-secret',
      'verified, pending',
    ])
      expect(program.output.out).toContain(text);
    expect(program.output.out).not.toMatch(/control API|trust/);
  });

  test('SIGINT stops it with exit code 0, although a fault delays a response forever', async () => {
    const { program, line } = await start('--control');
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'noResponse', endpoint: '/oauth/userinfo' });
    expect((await fetch(`${line.controlURL}faults`, { method: 'POST', headers: json, body })).ok).toBe(true);
    const waiting = fetch(`${line.issuer}/oauth/userinfo`).catch(() => 'cut');
    await fetch(`${line.issuer}/.well-known/jwks.json`);
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(0);
    expect(await waiting).toBe('cut');
  });

  test('a closed standard input stops it only with --stop-with-stdin', async () => {
    const { program, line } = await start();
    program.child.stdin?.end();
    expect((await fetch(`${line.issuer}/.well-known/jwks.json`)).status).toBe(200);
    const child = await start('--stop-with-stdin');
    child.program.child.stdin?.end();
    expect(await child.program.ended).toBe(0);
    expect(program.child.exitCode).toBeNull();
  });

  test('a site signs in with the settings of --env, which are the only output on stdout', async () => {
    const appURL = `http://127.0.0.1:${await freePort()}`;
    const program = passportClinician(['mock-provider', '--port', '0', '--env']);
    await program.printed('Ctrl+C', 'err');
    const file = join(folder, '.env');
    writeFileSync(file, program.output.out.replace('http://127.0.0.1:3000', appURL));
    const site = siteWith(file);
    expect(await site.line()).toBe('listening');
    const fields = { username: 'verified', password: 'clinician', decision: 'approve' };
    const { url, text } = await new BrowserUser().visit(`${appURL}/auth/login?returnTo=/private`, fields);
    expect([url.href, JSON.parse(text)]).toEqual([`${appURL}/private`, { name: 'Vera Castellanos, MD' }]);
  });

  test('the settings of --env have every variable, and the secrets of no config file', async () => {
    const config = join(folder, 'env.json');
    const client = { clientID: 'app', clientSecret: 's3cret', flow: 'openid', redirectURIs: ['http://127.0.0.1/a'] };
    writeFileSync(config, JSON.stringify({ clients: [client], clinicians: [{ username: 'a', password: 'pa55word' }] }));
    const args = ['mock-provider', '--port', '0', '--env', '--stop-with-stdin', '--config', config];
    const [first, second] = [await runToEnd(args), await runToEnd(args)];
    expect(first.code).toBe(0);
    await using provider = await startMockProvider();
    const { SESSION_SECRET: _, ...env } = provider.env;
    const issuer = /CLINICIAN_ISSUER=(.*)/.exec(first.out)?.[1] ?? '';
    const expected = Object.entries(env).map(([name, value]) => [name, value.replace(provider.issuer, issuer)]);
    expect(parseEnv(first.out)).toMatchObject(Object.fromEntries(expected));
    expect(Object.keys(parseEnv(first.out)).sort()).toEqual(Object.keys(provider.env).sort());
    expect(first.out).not.toMatch(/s3cret|pa55word/);
    expect(parseEnv(first.out).SESSION_SECRET).not.toBe(parseEnv(second.out).SESSION_SECRET);
  });

  test('--https serves https, and --ca-file receives the certificate to trust', async () => {
    const file = join(folder, 'ca.pem');
    const env = ['mock-provider', '--port', '0', '--env', '--stop-with-stdin', '--https', '--ca-file', file];
    expect((await runToEnd(env)).out).toContain(`NODE_EXTRA_CA_CERTS=${file},`);
    const { line } = await start('--https', '--ca-file', file);
    expect(line.issuer).toMatch(/^https:/);
    expect(readFileSync(file, 'utf8')).toBe(line.ca);
    expect(line.ca).not.toContain('PRIVATE');
    const sent = request(`${line.issuer}/.well-known/jwks.json`, { ca: line.ca, agent: false }).end();
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test.each<[string, string[], unknown, string | undefined, string | undefined]>([
    ['--control with the token of the file', ['--control'], { token: FILE_TOKEN }, undefined, FILE_TOKEN],
    ['--control with both tokens', ['--control'], { token: FILE_TOKEN }, OTHER_TOKEN, OTHER_TOKEN],
    ['control: true in the file, with the variable', [], true, OTHER_TOKEN, OTHER_TOKEN],
  ])('the token of the control API: %s', async (_name, args, control, variable, expected) => {
    const file = join(folder, 'control.json');
    writeFileSync(file, JSON.stringify({ control }));
    const env = variable === undefined ? {} : { MOCK_CONTROL_TOKEN: variable };
    const program = passportClinician(['mock-provider', '--port', '0', '--json', '--config', file, ...args], env);
    const { controlURL } = JSON.parse(await program.line()) as StartLine;
    const statusWith = async (token: string) =>
      (await fetch(`${controlURL}problems`, { headers: { authorization: `Bearer ${token}` } })).status;
    const isAllowed = (token: string) => expected === undefined || token === expected;
    expect(await statusWith(FILE_TOKEN)).toBe(isAllowed(FILE_TOKEN) ? 200 : 401);
    expect(await statusWith(OTHER_TOKEN)).toBe(isAllowed(OTHER_TOKEN) ? 200 : 401);
  });

  test('a port in use: one line on stderr that names its option, and exit code 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const file = join(folder, 'port-in-use.json');
    writeFileSync(file, JSON.stringify({ port }));
    const problem = `${port} is in use. Choose another one, or 0 for any free port.\n`;
    for (const [args, err] of [
      [['--port', String(port)], `port ${problem}`],
      [['--config', file], `${file}: port ${problem}`],
    ] as const) {
      expect(await runToEnd(['mock-provider', ...args])).toEqual({ code: 1, out: '', err });
    }
    server.close();
  });
});

test.each<[args: string[], exitCode: number, message: string]>([
  [['--ca-file', join(folder, 'no', 'ca.pem'), '--https'], 1, `Cannot write ${join(folder, 'no', 'ca.pem')} (ENOENT).`],
  [['--host', '0.0.0.0'], 1, 'host must be 127.0.0.1, localhost or ::1 with plain http, not "0.0.0.0". Or set https'],
  [['--public-url', 'ftp://a'], 1, 'publicURL must be an https address'],
  [['--host', '0.0.0.0', '--https', '--control'], 1, 'control needs a token, because other machines'],
  [['--host', '203.0.113.9', '--public-url', 'https://mock.example'], 1, 'Cannot listen on 203.0.113.9, port 0 (EADDR'],
  [['--prot', '1'], 2, 'mock-provider has no option --prot. Did you mean --port?'],
  [['--verbose-mode'], 2, 'Argument 3 of mock-provider is not an option. The options are: --port, --host'],
  [['now'], 2, 'Argument 3 of mock-provider is not an option.'],
  [['--config'], 2, '--config needs a value: --config <file>.'],
  [['--port', '70000'], 2, '--port is passed twice'],
  [['--json=yes'], 2, '--json has no value. Remove "=" and the text after it.'],
  [['--json', '--env'], 2, 'Pass --json or --env, not both.'],
  [['--ca-file', 'ca.pem'], 2, '--ca-file needs --https. '],
])('%j fails with exit code %i and one line', async (args, exitCode, message) => {
  const error = await mockProvider.run(['--port', '0', ...args]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ exitCode, message: expect.stringContaining(message) });
  expect((error as Error).message).not.toContain('\n');
});

describeBuilt('passport-clinician', () => {
  test.each([
    [[], 'A command is missing. The commands are: demo, mock-provider, doctor.'],
    [['fly'], 'The first argument is not a command. The commands are: demo, mock-provider, doctor.'],
    [['mock-provider', '--port', '1e3'], '--port must be a number from 0 to 65535.'],
  ])('%j fails with one line on stderr and exit code 2', async (args, message) => {
    expect(await runToEnd(args)).toEqual({ code: 2, out: '', err: `${message}\n` });
  });

  test('--help lists the options, and --version prints the version', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await runToEnd(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
    const help = await runToEnd(['--help']);
    expect([help.code, help.out]).toEqual([0, expect.stringMatching(/^ {2}mock-provider {2}/m)]);
    const { out } = await runToEnd(['mock-provider', '--port', '1', '--help']);
    for (const option of Object.keys(mockProvider.options)) expect(out).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
  });
});
