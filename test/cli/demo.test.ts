import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { demo } from '../../lib/cli/demo-command.js';
import { freePort, testUsers, withNodeEnv } from '../helpers.js';
import { describeBuilt, endAll, passportClinician, runToEnd } from './program.js';

describeBuilt('passport-clinician demo', () => {
  afterEach(endAll);

  test('reads no variable, prints the site, the inspector and the users, and exits with code 0 on SIGTERM', async () => {
    const port = await freePort();
    const ignored = { CLINICIAN_ISSUER: 'https://auth.service.example', SESSION_SECRET: 'short', PORT: 'none' };
    const { child, output, ended, line } = passportClinician(['demo', '--port', String(port)], ignored);
    await line();
    const { headers } = await fetch(`http://127.0.0.1:${port}/auth/login`, { redirect: 'manual' });
    expect(headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(output.out).toContain(`http://127.0.0.1:${port}\n`);
    expect(output.out).toContain(testUsers);
    const [, inspector = ''] = /Inspector +(http\S+)/.exec(output.out) ?? [];
    expect(await (await fetch(inspector)).text()).toContain('<h1>Inspector</h1>');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output.err).toBe('');
  });

  test('a port in use ends with a message that names the option', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, out, err } = await runToEnd(['demo', '--port', String(port)]);
    expect([code, out, err]).toEqual([1, '', `Port ${port} is in use. Pass another one: --port 3001.\n`]);
    server.close();
  });
});

test.each([
  [['--port', '0'], 2, '--port must be a number from 1 to 65535.'],
  [['--flow', 'oidc'], 2, '--flow must be openid or profile.'],
])('%p is refused', async (args, exitCode, message) => {
  await expect(demo.run(args)).rejects.toMatchObject({ exitCode, message });
});

test('the demo does not start with NODE_ENV=production', () =>
  withNodeEnv('production', async () => {
    const message = 'The demo does not start with NODE_ENV=production: anyone can sign in to it.';
    await expect(demo.run(['--port', String(await freePort())])).rejects.toMatchObject({ exitCode: 1, message });
  }));
