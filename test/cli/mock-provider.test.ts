import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { describeBuilt, endAll, passportClinician, runToEnd } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

interface Started {
  issuer: string;
  controlURL?: string;
  ca?: string;
  pid: number;
}

async function started(...args: string[]) {
  const program = passportClinician(['mock-provider', '--port', '0', '--json', ...args]);
  return { program, said: JSON.parse(await program.line()) as Started };
}

describeBuilt('passport-clinician mock-provider', () => {
  test('--json prints exactly one line, with all that a script needs', async () => {
    const { program, said } = await started();
    const { issuer } = said;
    expect(said).toEqual({
      issuer: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiURL: issuer,
      shareScriptURL: `${issuer}/share-button.js`,
      inspectorURL: `${issuer}/`,
      clients: {
        openid: { clientID: 'ready-made-openid', clientSecret: 'ready-made-openid-secret' },
        profile: { clientID: 'ready-made-profile', clientSecret: 'ready-made-profile-secret' },
      },
      pid: program.child.pid,
    });
    const metadata = await fetch(`${issuer}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({ issuer });
    expect((await fetch(`${issuer}/`)).headers.get('content-type')).toMatch(/html/);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect([program.said.out.split('\n').length, program.said.err]).toEqual([2, '']);
  });

  test('for people it prints addresses, the two clients, and who signs in with which password', async () => {
    const program = passportClinician(['mock-provider', '--port', '0']);
    while (!program.said.out.includes('Ctrl+C')) await once(program.child.stdout as NodeJS.ReadableStream, 'data');
    for (const text of [
      'issuer  ',
      'inspector  ',
      'ready-made-openid-secret',
      'ready-made-profile-secret',
      'verified, pending',
    ])
      expect(program.said.out).toContain(text);
    expect(program.said.out).not.toMatch(/control API|trust/);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends it with exit code 0, whoever is still connected',
    async (signal) => {
      const { program, said } = await started();
      const { hostname, port } = new URL(said.issuer);
      const idle = connect(Number(port), hostname).on('error', () => {});
      await once(idle, 'connect');
      idle.write('GET /.well-known/jwks.json HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(idle, 'data');
      const before = Date.now();
      program.child.kill(signal);
      expect(await program.ended).toBe(0);
      expect(Date.now() - before).toBeLessThan(4000);
      idle.destroy();
    },
  );

  test('an answer that a fault keeps back does not keep it', async () => {
    const { program, said } = await started('--control');
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'noResponse', endpoint: '/oauth/userinfo' });
    expect((await fetch(`${said.controlURL}faults`, { method: 'POST', headers: json, body })).ok).toBe(true);
    const waiting = fetch(`${said.issuer}/oauth/userinfo`).catch(() => 'cut');
    await fetch(`${said.issuer}/.well-known/jwks.json`);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(await waiting).toBe('cut');
  });

  test('a closed standard input is no reason to stop, unless it is told so', async () => {
    const { program, said } = await started();
    program.child.stdin?.end();
    expect((await fetch(`${said.issuer}/.well-known/jwks.json`)).status).toBe(200);
    const child = await started('--stop-with-stdin');
    child.program.child.stdin?.end();
    expect(await child.program.ended).toBe(0);
    expect(program.child.exitCode).toBeNull();
  });

  test('--quiet prints nothing', async () => {
    const end = await runToEnd(['mock-provider', '--port', '0', '--quiet', '--stop-with-stdin']);
    expect(end).toEqual({ code: 0, out: '', err: '' });
  });

  test('--https speaks TLS, and --ca-file holds the certificate to trust', async () => {
    const file = join(folder, 'ca.pem');
    const { said } = await started('--https', '--ca-file', file);
    expect(said.issuer).toMatch(/^https:/);
    expect(readFileSync(file, 'utf8')).toBe(said.ca);
    expect(said.ca).not.toContain('PRIVATE');
    const asked = request(`${said.issuer}/.well-known/jwks.json`, { ca: said.ca, agent: false }).end();
    const [response] = await once(asked, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test('the control API is closed, unless it is asked for', async () => {
    const [closed, open] = [await started(), await started('--control')];
    expect((await fetch(`${closed.said.issuer}/_mock/openapi.json`)).status).toBe(404);
    expect((await fetch(`${open.said.controlURL}openapi.json`)).status).toBe(200);
  });

  test('a port in use is one sentence, and exit code 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { code, out, err } = await runToEnd(['mock-provider', '--port', String(port)]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(`Port ${port} is in use. Choose another one, or 0 for any that is free.\n`);
    server.close();
  });

  test('with NODE_ENV=production it does not start, in one sentence', async () => {
    const { code, err } = await runToEnd(['mock-provider', '--port', '0'], { NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^The mock provider does not start with NODE_ENV=production.*set allowInProduction to true .*\.\n$/,
    );
  });

  test('a file that cannot be written ends it, and leaves nothing running', async () => {
    const file = join(folder, 'no', 'such', 'folder.pem');
    const { code, err } = await runToEnd(['mock-provider', '--port', '0', '--https', '--ca-file', file]);
    expect([code, err]).toEqual([1, `Cannot write ${file} (ENOENT).\n`]);
  });

  test.each([
    [['--host', '0.0.0.0'], /^host must be 127\.0\.0\.1, localhost or ::1 .*\n$/],
    [
      ['--host', '0.0.0.0', '--https', '--control'],
      /^control can be true only where no other machine reaches the provider.*\n$/,
    ],
    [['--host', '203.0.113.9', '--https'], /^Cannot listen on 203\.0\.113\.9, port 0 \(EADDRNOTAVAIL\)\.\n$/],
  ])('%j is refused in one sentence, with exit code 1', async (args, sentence) => {
    const { code, out, err } = await runToEnd(['mock-provider', '--port', '0', ...args]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(sentence);
  });
});

describeBuilt('passport-clinician', () => {
  test.each([
    [[], 'Say what to do: mock-provider or doctor.'],
    [['mock-providr'], 'There is no command "mock-providr". Did you mean mock-provider?'],
    [['fly'], 'There is no command "fly". There are: mock-provider, doctor.'],
    [['mock-provider', '--prot', '1'], 'mock-provider has no option --prot. Did you mean --port?'],
    [['mock-provider', '--verbose-mode'], 'mock-provider has no option --verbose-mode. There are: --port, --host'],
    [['mock-provider', '-p', '1'], 'mock-provider has no option -p.'],
    [['mock-provider', 'now'], 'mock-provider takes options alone, and "now" is none.'],
    [['mock-provider', '--port'], '--port needs a value: --port <number>.'],
    [['mock-provider', '--port', '70000'], '--port must be a number from 0 to 65535, not "70000".'],
    [['mock-provider', '--port=1e3'], '--port must be a number from 0 to 65535, not "1e3".'],
    [['mock-provider', '--port', '1', '--port', '2'], '--port is given twice'],
    [['mock-provider', '--json=yes'], '--json takes no value: leave out "=yes".'],
    [['mock-provider', '--json', '--quiet'], 'Pass only one of them.'],
    [['mock-provider', '--ca-file', 'ca.pem'], '--ca-file is for the certificate that --https generates'],
  ])('%j is refused in one sentence, with exit code 2', async (args, sentence) => {
    const { code, out, err } = await runToEnd(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err.match(/\n/g)).toHaveLength(1);
  });

  test('--help and --version', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await runToEnd(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
    const help = await runToEnd(['--help']);
    expect([help.code, help.out]).toEqual([0, expect.stringMatching(/^ {2}mock-provider {2}/m)]);
    const { out } = await runToEnd(['mock-provider', '--port', '1', '--help']);
    for (const option of ['port', 'host', 'config', 'https', 'ca-file', 'control', 'json', 'quiet', 'stop-with-stdin'])
      expect(out).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
  });
});
