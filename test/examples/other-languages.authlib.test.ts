import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { root } from '../architecture/imports.js';
import { freePort } from '../helpers/free-port.js';
import { printedAddress } from '../helpers/printed-address.js';

const PYTHON = String(process.env.PYTHON3_AUTHLIB);
const env = { ...process.env, no_proxy: '*', SESSION_SECRET: 'a secret for this test of at least 32 bytes' };
const folders: string[] = [];
let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ control: true });
});
afterAll(async () => {
  await provider.stop();
  for (const folder of folders) await rm(folder, { recursive: true });
});

/** @returns a folder with the programs in Python, for a provider and a port of the site */
async function copyPrograms({ issuer }: MockProvider, port = 3000): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'authlib-'));
  folders.push(folder);
  await cp(join(root, 'test', 'examples', 'other-languages'), folder, { recursive: true });
  for (const file of ['clinician_site.py', 'test_clinician_site.py'].map((name) => join(folder, name))) {
    const program = (await readFile(file, 'utf8')).replaceAll('http://127.0.0.1:4400', issuer);
    await writeFile(file, program.replaceAll('3000', String(port)));
  }
  return folder;
}

const runTests = async (of: MockProvider) =>
  promisify(execFile)(PYTHON, ['-m', 'unittest'], { cwd: await copyPrograms(of), env });

test('the site with Authlib passes its tests', async () => {
  expect((await runTests(provider)).stderr).toMatch(/^\.\.\.\n-+\nRan 3 tests[\s\S]*\nOK\n$/);
  expect(provider.logins.map(({ outcome }) => outcome)).toEqual(['signed in']);
});

test('its tests name --control when the provider runs without it', async () => {
  await using closed = await startMockProvider();
  await expect(runTests(closed)).rejects.toThrow(/AssertionError: .*--control/);
});

test('the site with Authlib signs a clinician in when it is started', async () => {
  const port = await freePort();
  const site = spawn(PYTHON, ['clinician_site.py'], { cwd: await copyPrograms(provider, port), env });
  const ended = once(site, 'close');
  try {
    await printedAddress(site.stderr);
    const login = await fetch(`http://127.0.0.1:${port}/auth/login`, { redirect: 'manual' });
    const callback = await provider.signIn(String(login.headers.get('location')), { as: 'verified' });
    const cookie = login.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
    const response = await fetch(callback, { headers: { cookie } });
    const { sub } = provider.clinicians.get('verified');
    expect(await response.json()).toEqual({ user: sub, verified: true });
  } finally {
    site.kill();
    await ended;
  }
});
