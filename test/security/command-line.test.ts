import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { describeBuilt, endAll, runToEnd } from '../cli/program.js';

const SECRET = 'plantedsecret4f9a2c71';
const folder = mkdtempSync(join(tmpdir(), 'passport-clinician-'));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

function configFile(options: object): string {
  const file = join(folder, 'mock.json');
  writeFileSync(file, JSON.stringify(options));
  return file;
}

const client = { clientID: 'a', clientSecret: SECRET, flow: 'openid' };

describeBuilt('the command line does not repeat a secret', () => {
  test.each([
    [['mock-provider', `--control=${SECRET}`]],
    [['mock-provider', '--public-url', `http://user:${SECRET}@mock:4400`]],
    [['doctor', `--client-secret${SECRET}`]],
    [['doctor', `--issuer=https://${SECRET}@auth.example`, SECRET]],
  ])('%j', async (args) => {
    const { code, out, err } = await runToEnd(args);
    expect([code, out]).toEqual([expect.any(Number), '']);
    expect(code).toBeGreaterThan(0);
    expect(err).toMatch(/^.+\n$/);
    expect(err).not.toContain(SECRET);
  });

  test.each([
    [{ control: { token: SECRET } }],
    [{ clients: [{ ...client, redirectURIs: [`https://user:${SECRET}@app.example/callback`] }] }],
  ])('of the config file %j', async (options) => {
    const args = ['mock-provider', '--port', '0', '--config', configFile(options)];
    const { code, err } = await runToEnd(args);
    expect([code, err]).toEqual([1, expect.not.stringContaining(SECRET)]);
  });
});

test.each<[string, string]>([
  ['16 hexadecimal digits', '4f9a2c71d3e8b605'],
  ['24 lower-case letters and digits', 'k3v9x0q7w2m8z5t1y6p4h7jr'],
  ['21 characters', 'Kd8-sW2_pQ7xLz0Vb4NtR'],
  ['40 characters, of which 7 are different', 'abcdefg-'.slice(0, 7).repeat(6).slice(0, 40)],
  ['a space', 'Kd8-sW2_pQ7xLz0V b4NtRyU'],
])('a token of the control API with less than 128 random bits is refused: %s', async (_, token) => {
  await expect(startMockProvider({ control: { token } })).rejects.toThrow(
    'control.token must have 128 random bits, without spaces: for example the 32 characters of "openssl rand -hex 16".',
  );
});

test.each<[string, string]>([
  ['32 hexadecimal digits', '4f9a2c71d3e8b6050a1b9c2d8e7f6354'],
  ['22 characters, as of 16 bytes in base64url', 'Kd8-sW2_pQ7xLz0Vb4NtRy'],
])('a token of the control API with 128 random bits is accepted: %s', async (_, token) => {
  await using provider = await startMockProvider({ control: { token } });
  expect(provider.issuer).toMatch(/^http:/);
});
