import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { root } from './architecture/imports.js';
import { expectGenerated } from './helpers/generated-document.js';

/** In another process, because jest would compile TypeScript's own code. The compiler takes seconds on an idle machine. */
test('docs/reference/api.md has every public name with its TSDoc', () => {
  const document = execFileSync(process.execPath, [join(root, 'scripts', 'api-document.mjs')], { encoding: 'utf8' });
  expectGenerated('docs/reference/api.md', document, 'npm run docs:api');
});
