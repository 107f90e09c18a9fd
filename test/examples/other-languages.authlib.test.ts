import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { root } from '../architecture/imports.js';

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

/** @returns a folder with the programs in Python, for a provider */
async function copyPrograms({ issuer }: MockProvider): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'authlib-'));
  folders.push(folder);
  await cp(join(root, 'test', 'examples', 'other-languages'), folder, { recursive: true });
  for (const file of ['clinician_site.py', 'test_clinician_site.py'].map((name) => join(folder, name))) {
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('http://127.0.0.1:4400', issuer));
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
