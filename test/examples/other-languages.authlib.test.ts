import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { root } from '../architecture/imports.js';

const env = { ...process.env, no_proxy: '*', SESSION_SECRET: 'a secret for this test of at least 32 bytes' };

test('the site with Authlib passes its tests', async () => {
  await using provider = await startMockProvider({ control: true });
  const folder = await mkdtemp(join(tmpdir(), 'authlib-'));
  await cp(join(root, 'test', 'examples', 'other-languages'), folder, { recursive: true });
  for (const file of ['clinician_site.py', 'test_clinician_site.py'].map((name) => join(folder, name))) {
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('http://127.0.0.1:4400', provider.issuer));
  }
  const python = String(process.env.PYTHON3_AUTHLIB);
  const { stderr } = await promisify(execFile)(python, ['-m', 'unittest'], { cwd: folder, env });
  expect(stderr).toMatch(/^\.\.\.\n-+\nRan 3 tests[\s\S]*\nOK\n$/);
  expect(provider.logins.map(({ outcome }) => outcome)).toEqual(['signed in']);
  await rm(folder, { recursive: true });
});
