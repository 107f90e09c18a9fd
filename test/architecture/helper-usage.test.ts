import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

/** The folders of tests of the relying party. Tests with other libraries and in a browser do not use the testing entry. */
const FOLDERS = ['security', 'example-app', 'express', 'integration', 'passport'];
/** The paths and form fields of the provider's pages, and a browser user that submits its forms. */
const PAGE_USE = /\/oauth\/(?:login|consent|resume)\b|form_token|new BrowserUser\(\)/g;
/** The number of uses that a file needs: it captures what the provider sends over HTTP. */
const ALLOWED: Readonly<Record<string, number>> = { 'test/integration/two-processes.redis.test.ts': 1 };

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, 'test', folder), { recursive: true })
    .map((file) => `test/${folder}/${file}`)
    .filter((file) => file.endsWith('.ts')),
);

test('tests of the relying party sign in through the testing entry, not through pages of the provider', () => {
  expect(files.length).toBeGreaterThan(20);
  const pageUses = files
    .map((file) => ({ file, count: readFileSync(join(root, file), 'utf8').match(PAGE_USE)?.length ?? 0 }))
    .filter(({ file, count }) => count > (ALLOWED[file] ?? 0));
  expect(pageUses).toEqual([]);
});
